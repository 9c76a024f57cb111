/// Encodes the chunked transfer coding, without extensions and trailers (RFC 9112 §7.1).
public enum ChunkedEncoder {
    /// The line before `count` bytes of data. `count` is above 0, because an empty chunk would end the body.
    public static func chunkHead(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var shift = 60
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: count >> shift & 15)
            if digit != 0 || !bytes.isEmpty || shift == 0 {
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
            shift -= 4
        }
        return bytes + [13, 10]
    }

    /// The line end after a chunk's data.
    public static let chunkEnd: [UInt8] = [13, 10]

    /// A whole chunk; empty when `bytes` is empty.
    public static func chunk(_ bytes: some Collection<UInt8>) -> [UInt8] {
        bytes.isEmpty ? [] : chunkHead(bytes.count) + bytes + chunkEnd
    }

    /// The last chunk and the end of an empty trailer section.
    public static let end: [UInt8] = Array("0\r\n\r\n".utf8)
}
