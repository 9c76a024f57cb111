import Core
import Updater

// The app that writes reports never reads one.
extension ReportLine {
    /// Reads a line.
    /// - Returns: nil for an empty line, a field without `=`, or a `%` without two hex digits.
    package init?(text: String) {
        let parts = text.utf8.split(separator: 0x20, omittingEmptySubsequences: false).map { Substring($0) }
        guard let keyword = parts.first, !keyword.isEmpty else { return nil }
        self.init(String(keyword))
        for part in parts.dropFirst() {
            guard let equalsSign = part.utf8.firstIndex(of: UInt8(ascii: "=")),
                let value = ReportLine.decoded(part[part.utf8.index(after: equalsSign)...])
            else { return nil }
            fields.append(Field(String(part[..<equalsSign]), value))
        }
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(Hex.value(ofDigit:)),
                let low = rest.next().flatMap(Hex.value(ofDigit:))
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
