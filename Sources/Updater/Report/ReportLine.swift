import Core

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

    private static func encoded(_ value: String) -> String {
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            if byte < 0x21 || byte == 0x7f || byte == UInt8(ascii: "%") {
                bytes.append(UInt8(ascii: "%"))
                bytes += Hex.text([byte]).utf8
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
