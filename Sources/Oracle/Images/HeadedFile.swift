import Core

/// A file of the store that begins with a line `format number … checksum`.
struct HeadedFile {
    var numbers: [Int] = []
    var checksum: Digest256
    var body: [UInt8]

    init?(_ bytes: [UInt8], format: String, numbers count: Int) {
        guard let newline = bytes.prefix(200).firstIndex(of: 0x0A) else { return nil }
        let words = bytes[..<newline].split(separator: 0x20, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count == count + 2, words[0] == format,
            let sum = Digest256(hex: words[count + 1])
        else { return nil }
        for word in words[1...count] {
            guard let number = Int(word), number >= 0 else { return nil }
            numbers.append(number)
        }
        checksum = sum
        body = Array(bytes[(newline + 1)...])
    }

    func json(from offset: Int = 0) -> JSONValue? {
        do throws(JSONFault) {
            return try JSONDocument.read(offset == 0 ? body : Array(body[offset...])).root
        } catch {
            return nil
        }
    }
}
