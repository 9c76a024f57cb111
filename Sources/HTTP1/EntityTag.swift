/// An entity tag (RFC 9110 §8.8.3).
public struct EntityTag: Hashable, Sendable {
    /// Opaque text without the quotes.
    public let opaque: String
    /// Whether the tag has the prefix `W/`.
    public let isWeak: Bool

    public init(_ opaque: String, isWeak: Bool = false) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// Parses text that is one tag; nil without quotes, and for a byte that a tag can't contain.
    public init?(parsing text: String) {
        var rest = Token.trimmed(Array(text.utf8))
        guard let tag = EntityTag.take(from: &rest), rest.isEmpty else { return nil }
        self = tag
    }

    /// The tag as it is written in a field.
    public var text: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    /// Strong comparison: both tags are strong and equal (RFC 9110 §8.8.3.2).
    public func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Weak comparison: the opaque texts are equal (RFC 9110 §8.8.3.2).
    public func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Removes a tag from the front, which may contain commas; nil, with nothing removed, when there is none.
    static func take(from bytes: inout ArraySlice<UInt8>) -> EntityTag? {
        var rest = bytes
        var isWeak = false
        if rest.starts(with: "W/".utf8) {
            isWeak = true
            rest.removeFirst(2)
        }
        guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        let opaque = rest[..<end]
        guard opaque.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { return nil }
        bytes = rest[(end + 1)...]
        return EntityTag(String(decoding: opaque, as: UTF8.self), isWeak: isWeak)
    }
}

/// The value of If-Match or If-None-Match, from all field lines together (RFC 9110 §13.1).
public enum EntityTagList: Hashable, Sendable {
    /// `*`: matches any existing content.
    case any
    /// The well-formed tags; malformed elements are left out, because they match nothing.
    case tags([EntityTag])

    /// Reads the field `name`; nil when there is no such field.
    public init?(_ fields: HeaderFields, _ name: String) {
        let values = fields.all(name)
        guard !values.isEmpty else { return nil }
        if values.contains(where: { Token.trimmed(Array($0.utf8)).elementsEqual([UInt8(ascii: "*")]) }) {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        for value in values {
            var rest = Array(value.utf8)[...]
            while let byte = rest.first {
                if byte == 0x20 || byte == 9 || byte == UInt8(ascii: ",") {
                    rest.removeFirst()
                } else if let tag = EntityTag.take(from: &rest) {
                    tags.append(tag)
                } else {
                    rest = rest.drop { $0 != UInt8(ascii: ",") }
                }
            }
        }
        self = .tags(tags)
    }

    /// Whether any tag of the list matches `tag` by weak comparison.
    public func containsWeakly(_ tag: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.matchesWeakly(tag) }
        }
    }

    /// Whether any tag of the list matches `tag` by strong comparison.
    public func containsStrongly(_ tag: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.matchesStrongly(tag) }
        }
    }
}
