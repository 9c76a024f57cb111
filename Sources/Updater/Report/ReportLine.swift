/// One line of an error report: a keyword, then `name=value` fields, separated by single spaces.
///
/// In a value every byte below 0x21, 0x7F and `%` is written as `%` and two hex digits; everything else is
/// UTF-8, unchanged. So a line is split at spaces and a field at its first `=`, and no text of a page or an
/// origin can begin a new line.
package struct ReportLine: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package var keyword: String
    package var fields: [Field]

    package init(_ keyword: String, _ fields: [Field] = []) {
        self.keyword = keyword
        self.fields = fields
    }

    package subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    package var text: String {
        keyword + fields.map { " \($0.name)=\(ReportLine.encoded($0.value))" }.joined()
    }

    /// Reads a line.
    /// - Returns: nil for an empty line, a field without `=`, or a `%` without two hex digits.
    package init?(text: String) {
        let parts = text.utf8.split(separator: 0x20, omittingEmptySubsequences: false).map { Substring($0) }
        guard let keyword = parts.first, !keyword.isEmpty else { return nil }
        self.keyword = String(keyword)
        fields = []
        for part in parts.dropFirst() {
            guard let equalsSign = part.utf8.firstIndex(of: UInt8(ascii: "=")),
                let value = ReportLine.decoded(part[part.utf8.index(after: equalsSign)...])
            else { return nil }
            fields.append(Field(String(part[..<equalsSign]), value))
        }
    }

    private static func encoded(_ value: String) -> String {
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            if byte < 0x21 || byte == 0x7f || byte == UInt8(ascii: "%") {
                bytes.append(UInt8(ascii: "%"))
                bytes += digits(byte)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digits(_ byte: UInt8) -> [UInt8] {
        let hex = Array("0123456789abcdef".utf8)
        return [hex[Int(byte >> 4)], hex[Int(byte & 15)]]
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
