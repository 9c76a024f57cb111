/// Reads field lines up to the empty line that ends them: of a head or of a trailer section (RFC 9112 §5).
struct FieldBlock: Equatable, Sendable {
    private var fields = HeaderFields()
    private var lines = 0
    private var bytes = 0

    /// The fields when the empty line has been read, nil while more bytes are needed.
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
                if lines > limits.lines || bytes > limits.fieldBlock { throw .fieldsTooLarge }
                let field = try FieldBlock.field(line, isFirst: lines == 1)
                fields.append(field.name, field.value)
            }
        }
    }

    /// `name: value` and nothing that two readers could read differently (HT-P6).
    private static func field(
        _ line: ArraySlice<UInt8>, isFirst: Bool
    ) throws(ParseFailure) -> HeaderFields.Field {
        if line.first == 0x20 || line.first == 9 { throw isFirst ? .leadingSpace : .foldedField }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .missingColon }
        let name = line[..<colon]
        guard Token.isToken(name) else { throw .badFieldName }
        let value = line[(colon + 1)...]
        guard value.allSatisfy(Token.isValueByte) else { throw .badFieldValue }
        return HeaderFields.Field(
            String(decoding: name, as: UTF8.self), Token.text(Token.trimmed(value)))
    }
}
