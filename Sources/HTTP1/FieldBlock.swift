/// Reads the field lines of a head or of a trailer section, up to the empty line that ends them (RFC 9112
/// §5).
struct FieldBlock: Equatable, Sendable {
    private let syntax: HTTPSyntax
    private var fields = HeaderFields()
    private var lines = 0
    private var bytes = 0

    init(_ syntax: HTTPSyntax) { self.syntax = syntax }

    /// The fields when the empty line has been read; nil while more bytes are needed.
    mutating func read(
        from queue: inout ByteQueue, _ limits: HTTPLimits
    ) throws(ParseFailure) -> HeaderFields? {
        while true {
            switch queue.takeLine(limit: min(limits.fieldLine, limits.fieldBlock - bytes), syntax) {
            case .incomplete: return nil
            case .tooLong: throw .fieldsTooLarge
            case .bareLineFeed: throw .bareLineFeed
            case .bareCarriageReturn: throw .bareCarriageReturn
            case .line(let line):
                if line.isEmpty { return fields }
                lines += 1
                bytes += line.count + 2
                if lines > limits.fieldLines || bytes > limits.fieldBlock { throw .fieldsTooLarge }
                let field = try FieldBlock.field(line, isFirst: lines == 1, syntax)
                fields.append(field.name, field.value)
            }
        }
    }

    /// Parses `name: value`; in strict syntax it refuses whatever two parsers could read differently.
    private static func field(
        _ line: ArraySlice<UInt8>, isFirst: Bool, _ syntax: HTTPSyntax
    ) throws(ParseFailure) -> HeaderFields.Field {
        if line.first == 0x20 || line.first == 9 { throw isFirst ? .leadingSpace : .foldedField }
        return try line.withUnsafeBufferPointer { bytes throws(ParseFailure) in
            var nameEnd = 0
            while nameEnd < bytes.count, Token.isTokenByte(bytes[nameEnd]) { nameEnd &+= 1 }
            var colon = nameEnd
            if syntax == .tolerant {
                while colon < bytes.count, Token.isBlank(bytes[colon]) { colon &+= 1 }
            }
            guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else {
                throw bytes.contains(UInt8(ascii: ":")) ? .badFieldName : .missingColon
            }
            if nameEnd == 0 { throw .badFieldName }
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
                String(decoding: UnsafeBufferPointer(rebasing: bytes[..<nameEnd]), as: UTF8.self),
                isASCII ? String(decoding: value, as: UTF8.self) : Token.text(value))
        }
    }
}
