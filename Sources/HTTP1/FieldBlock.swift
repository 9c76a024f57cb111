/// Reads the field lines of a head or of a trailer section, up to the empty line that ends them (RFC 9112
/// §5).
struct FieldBlock: Equatable, Sendable {
    private var fields = HeaderFields()
    private var lines = 0
    private var bytes = 0

    /// The fields when the empty line has been read; nil while more bytes are needed.
    mutating func read(
        from queue: inout ByteQueue, _ limits: HTTPLimits
    ) throws(ParseFailure) -> HeaderFields? {
        while true {
            switch queue.takeLine(limit: min(limits.fieldLine, limits.fieldBlock - bytes)) {
            case .incomplete: return nil
            case .tooLong: throw .fieldsTooLarge
            case .bareLineFeed: throw .bareLineFeed
            case .bareCarriageReturn: throw .bareCarriageReturn
            case .line(let line):
                if line.isEmpty { return fields }
                lines += 1
                bytes += line.count + 2
                if lines > limits.fieldLines || bytes > limits.fieldBlock { throw .fieldsTooLarge }
                let field = try FieldBlock.field(line, isFirst: lines == 1)
                fields.append(field.name, field.value)
            }
        }
    }

    /// Parses `name: value`; refuses whatever two parsers could read differently.
    private static func field(
        _ line: ArraySlice<UInt8>, isFirst: Bool
    ) throws(ParseFailure) -> HeaderFields.Field {
        if line.first == 0x20 || line.first == 9 { throw isFirst ? .leadingSpace : .foldedField }
        return try line.withUnsafeBufferPointer { bytes throws(ParseFailure) in
            var colon = 0
            while colon < bytes.count, Token.isTokenByte(bytes[colon]) { colon &+= 1 }
            guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else {
                throw bytes.contains(UInt8(ascii: ":")) ? .badFieldName : .missingColon
            }
            if colon == 0 { throw .badFieldName }
            var first = colon + 1
            var end = bytes.count
            while first < end, Token.isBlank(bytes[first]) { first &+= 1 }
            while end > first, Token.isBlank(bytes[end - 1]) { end &-= 1 }
            var isASCII = true
            for index in first..<end {
                guard Token.isValueByte(bytes[index]) else { throw .badFieldValue }
                if bytes[index] >= 0x80 { isASCII = false }
            }
            let value = UnsafeBufferPointer(rebasing: bytes[first..<end])
            return HeaderFields.Field(
                String(decoding: UnsafeBufferPointer(rebasing: bytes[..<colon]), as: UTF8.self),
                isASCII ? String(decoding: value, as: UTF8.self) : Token.text(value))
        }
    }
}
