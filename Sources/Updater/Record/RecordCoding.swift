import Core

/// Encoding of a record: one header line `otalab-record-1 <generation> <length> <sha256>`, then JSON. The
/// checksum covers generation, length and JSON, so that no half-written or mixed slot is valid (R8).
enum RecordCoding {
    static let format = "otalab-record-1"
    /// Largest valid file; the lists of a record are bounded.
    static let maxBytes = 512 << 10

    /// More generations than any device writes; adding one can't overflow.
    static let maxGeneration: UInt64 = 1 << 62

    static func encode(_ record: StoreRecord) -> [UInt8] {
        var trimmed = record
        var body = RecordWriter.body(trimmed)
        while body.count > maxBytes - 200, !trimmed.log.isEmpty {
            trimmed.log.removeFirst(max(1, trimmed.log.count / 2))
            body = RecordWriter.body(trimmed)
        }
        let head = "\(format) \(record.generation) \(body.count) "
        var hash = SHA256()
        hash.update(Array(head.utf8))
        hash.update(body)
        return Array((head + hash.finish().hex + "\n").utf8) + body
    }

    /// Generation in the header of a record whose format is newer than this one (N2). Formats are numbered
    /// and keep the first two fields of the header.
    static func newerGeneration(_ bytes: [UInt8]) -> UInt64? {
        guard let newline = bytes.prefix(200).firstIndex(of: 0x0a) else { return nil }
        let fields = String(decoding: bytes[..<newline], as: UTF8.self).utf8.split(separator: 0x20)
        guard fields.count >= 2 else { return nil }
        let name = String(Substring(fields[0]))
        guard name.hasPrefix("otalab-record-"),
            let formatNumber = UntrustedInteger(saturatingDigits: name.utf8.dropFirst(14)), formatNumber > 1
        else { return nil }
        return UInt64(String(Substring(fields[1]))).flatMap { $0 < maxGeneration ? $0 : nil }
    }

    /// Nil unless the bytes are complete, of this format, and match their checksum.
    static func decode(_ bytes: [UInt8]) -> StoreRecord? {
        guard bytes.count <= maxBytes, let newline = bytes.prefix(200).firstIndex(of: 0x0a) else {
            return nil
        }
        let header = String(decoding: bytes[..<newline], as: UTF8.self)
        let parts = header.utf8.split(separator: 0x20).map { String(Substring($0)) }
        guard parts.count == 4, parts[0] == format, let generation = UInt64(parts[1]),
            generation < maxGeneration,
            let length = UntrustedInteger(digits: parts[2].utf8), let sum = Digest256(hex: parts[3]),
            // Only one spelling is valid: no other case, sign or leading zero.
            header == "\(format) \(generation) \(length) \(sum.hex)",
            UntrustedInteger(bytes.count - newline - 1) == length
        else { return nil }
        var hash = SHA256()
        hash.update(Array("\(format) \(generation) \(length) ".utf8))
        hash.update(bytes[(newline + 1)...])
        guard hash.finish() == sum else { return nil }
        return RecordReader.record(Array(bytes[(newline + 1)...]), generation: generation)
    }
}
