/// The field lines of a message in their order (RFC 9110 §5): names compare without case; lines of the same
/// name stay separate, because `Set-Cookie` can't be joined.
///
/// A value has one Unicode scalar for each byte, U+0000 to U+00FF, so that bytes outside ASCII pass through a
/// proxy unchanged.
public struct HeaderFields: Hashable, Sendable {
    /// One field line.
    public struct Field: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Field lines in the order in which they are sent.
    public private(set) var fields: [Field]

    public init() { fields = [] }

    public init(_ fields: [Field]) { self.fields = fields }

    public var isEmpty: Bool { fields.isEmpty }

    /// Value of the first line with that name.
    public subscript(name: String) -> String? {
        for index in fields.indices where isField(index, name) { return fields[index].value }
        return nil
    }

    /// Values of all lines with that name, in order.
    public func all(_ name: String) -> [String] {
        var values: [String] = []
        for index in fields.indices where isField(index, name) { values.append(fields[index].value) }
        return values
    }

    /// Number of lines with that name.
    func count(_ name: String) -> Int {
        fields.indices.count { isField($0, name) }
    }

    /// Whether there is a line with that name.
    public func contains(_ name: String) -> Bool {
        fields.indices.contains { isField($0, name) }
    }

    /// Compares in place: a loop over the fields would retain both texts of each.
    private func isField(_ index: Int, _ name: String) -> Bool {
        HeaderFields.areEqual(fields[index].name, name)
    }

    /// Adds a line after all others, whether or not the name is present.
    public mutating func append(_ name: String, _ value: String) { fields.append(Field(name, value)) }

    /// Replaces all lines with that name by one, at the position of the first; appends it when there is none.
    public mutating func set(_ name: String, _ value: String) {
        guard let index = fields.firstIndex(where: { HeaderFields.areEqual($0.name, name) }) else {
            append(name, value)
            return
        }
        fields[index].value = value
        var rest = index + 1
        while rest < fields.count {
            if HeaderFields.areEqual(fields[rest].name, name) { fields.remove(at: rest) } else { rest += 1 }
        }
    }

    /// Removes all lines with that name.
    public mutating func remove(_ name: String) {
        fields.removeAll { HeaderFields.areEqual($0.name, name) }
    }

    /// Elements of the comma-separated list that all lines with that name form, in lower case and without
    /// empty elements: for lists of tokens such as `Connection`.
    public func tokens(_ name: String) -> [String] {
        var tokens: [String] = []
        for field in fields where HeaderFields.areEqual(field.name, name) {
            for element in field.value.utf8.split(separator: UInt8(ascii: ",")) {
                let trimmed = Token.trimmed(element)
                if !trimmed.isEmpty {
                    tokens.append(String(decoding: trimmed.map(Token.lowercased), as: UTF8.self))
                }
            }
        }
        return tokens
    }

    /// Whether two texts are equal when the case of ASCII letters is ignored.
    public static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && areEqualWithSameLength(left, right)
    }

    private static func areEqualWithSameLength(_ left: String, _ right: String) -> Bool {
        let fast = left.utf8.withContiguousStorageIfAvailable { one in
            right.utf8.withContiguousStorageIfAvailable { other in
                var index = 0
                // Most names are written in the usual case.
                while index < one.count,
                    one[index] == other[index]
                        || Token.lowercased(one[index]) == Token.lowercased(other[index])
                {
                    index &+= 1
                }
                return index == one.count
            }
        }
        if case .some(.some(let areEqual)) = fast { return areEqual }
        return zip(left.utf8, right.utf8).allSatisfy { Token.lowercased($0) == Token.lowercased($1) }
    }

    /// Appends the lines as they are sent, each with its CRLF. A control character in a value is sent as a
    /// space, and a byte in a name that no token may contain as `-`, so that no field can end its line early.
    func serialize(into bytes: inout [UInt8]) {
        for field in fields {
            let begin = bytes.count
            bytes.append(contentsOf: field.name.utf8)
            for index in begin..<bytes.count where !Token.isTokenByte(bytes[index]) {
                bytes[index] = UInt8(ascii: "-")
            }
            bytes.append(UInt8(ascii: ":"))
            bytes.append(UInt8(ascii: " "))
            HeaderFields.serialize(field.value, into: &bytes)
            bytes.append(13)
            bytes.append(10)
        }
    }

    private static func serialize(_ value: String, into bytes: inout [UInt8]) {
        let begin = bytes.count
        bytes.append(contentsOf: value.utf8)
        var index = begin
        while index < bytes.count, bytes[index] >= 0x20 && bytes[index] < 0x7f || bytes[index] == 9 {
            index += 1
        }
        if index == bytes.count { return }
        bytes.removeSubrange(begin...)
        for scalar in value.unicodeScalars {
            switch scalar.value {
            case 9, 0x20..<0x7f, 0x80...0xff: bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            case 0..<0x20, 0x7f: bytes.append(UInt8(ascii: " "))
            default: bytes.append(contentsOf: String(scalar).utf8)
            }
        }
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    /// In the order of the literal; a name may come again.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Field($0.0, $0.1) })
    }
}

extension HeaderFields: CustomStringConvertible {
    public var description: String { fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n") }
}
