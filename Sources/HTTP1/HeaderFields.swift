/// The field lines of a message in the order they came (RFC 9110 §5): names compare without case, lines of
/// one name stay apart, because `Set-Cookie` can't be joined (HT-X8).
///
/// A value's text has one scalar for each byte, U+0000 to U+00FF, so that bytes which are not ASCII go
/// through a proxy unchanged.
public struct HeaderFields: Hashable, Sendable {
    public struct Field: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public private(set) var fields: [Field]

    public init() { fields = [] }

    public init(_ fields: [Field]) { self.fields = fields }

    public var isEmpty: Bool { fields.isEmpty }

    /// The value of the first line of that name.
    public subscript(name: String) -> String? {
        for field in fields where HeaderFields.areEqual(field.name, name) { return field.value }
        return nil
    }

    /// The values of all lines of that name, in order.
    public func all(_ name: String) -> [String] {
        var values: [String] = []
        for field in fields where HeaderFields.areEqual(field.name, name) { values.append(field.value) }
        return values
    }

    /// Lines of that name.
    func count(_ name: String) -> Int {
        fields.reduce(0) { HeaderFields.areEqual($1.name, name) ? $0 + 1 : $0 }
    }

    public func contains(_ name: String) -> Bool {
        fields.contains { HeaderFields.areEqual($0.name, name) }
    }

    public mutating func append(_ name: String, _ value: String) { fields.append(Field(name, value)) }

    /// One line instead of all of that name; it stands where the first of them stood.
    public mutating func set(_ name: String, _ value: String) {
        guard let place = fields.firstIndex(where: { HeaderFields.areEqual($0.name, name) }) else {
            append(name, value)
            return
        }
        fields[place].value = value
        var rest = place + 1
        while rest < fields.count {
            if HeaderFields.areEqual(fields[rest].name, name) { fields.remove(at: rest) } else { rest += 1 }
        }
    }

    public mutating func remove(_ name: String) {
        fields.removeAll { HeaderFields.areEqual($0.name, name) }
    }

    /// The elements of a comma-separated list over all lines of that name, in small letters, without
    /// empty ones: for lists of tokens such as `Connection`.
    public func tokens(_ name: String) -> [String] {
        var tokens: [String] = []
        for field in fields where HeaderFields.areEqual(field.name, name) {
            for element in field.value.utf8.split(separator: UInt8(ascii: ",")) {
                let trimmed = Token.trimmed(element)
                if !trimmed.isEmpty {
                    tokens.append(String(decoding: trimmed.map(Token.small), as: UTF8.self))
                }
            }
        }
        return tokens
    }

    /// Equality of ASCII without case.
    public static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && areEqualOfOneLength(left, right)
    }

    private static func areEqualOfOneLength(_ left: String, _ right: String) -> Bool {
        let fast = left.utf8.withContiguousStorageIfAvailable { one in
            right.utf8.withContiguousStorageIfAvailable { other in
                var place = 0
                while place < one.count, Token.small(one[place]) == Token.small(other[place]) { place &+= 1 }
                return place == one.count
            }
        }
        if case .some(.some(let areEqual)) = fast { return areEqual }
        return zip(left.utf8, right.utf8).allSatisfy { Token.small($0) == Token.small($1) }
    }

    /// The lines as they are sent, each with its CRLF. A control character in a value is sent as a space, and
    /// a byte in a name that no token may have as `-`: whatever was put in, a field never ends its line.
    func serialize(into bytes: inout [UInt8]) {
        for field in fields {
            let begin = bytes.count
            bytes.append(contentsOf: field.name.utf8)
            for place in begin..<bytes.count where !Token.isTokenByte(bytes[place]) {
                bytes[place] = UInt8(ascii: "-")
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
        var place = begin
        while place < bytes.count, bytes[place] >= 0x20 && bytes[place] < 0x7f || bytes[place] == 9 {
            place += 1
        }
        if place == bytes.count { return }
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
