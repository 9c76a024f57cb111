import Core

/// A file of the store whose first line is `format number … checksum`.
struct HeadedFile {
    /// Numbers of the first line, in order.
    var numbers: [Int] = []
    var checksum: Digest256
    /// Bytes after the first line.
    var body: [UInt8]

    /// Nil if the first line has another format or another count of numbers.
    init?(_ bytes: [UInt8], format: String, numbers count: Int) {
        guard let newline = bytes.prefix(200).firstIndex(of: 0x0A) else { return nil }
        let fields = bytes[..<newline].split(separator: 0x20, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard fields.count == count + 2, fields[0] == format,
            let sum = Digest256(hex: fields[count + 1])
        else { return nil }
        for field in fields[1...count] {
            guard let number = Int(field), number >= 0 else { return nil }
            numbers.append(number)
        }
        checksum = sum
        body = Array(bytes[(newline + 1)...])
    }

    /// The body from an offset on, as JSON; nil if it is malformed.
    func json(from offset: Int = 0) -> JSONValue? {
        do throws(JSONFault) {
            return try JSONDocument.read(offset == 0 ? body : Array(body[offset...])).root
        } catch {
            return nil
        }
    }
}
