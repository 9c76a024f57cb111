/// An entity tag (RFC 9110 §8.8.3).
public struct EntityTag: Hashable, Sendable {
    /// Without the quotes.
    public let opaque: String
    public let isWeak: Bool

    public init(_ opaque: String, isWeak: Bool = false) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// Reads one tag and nothing else; nil when there are no quotes or a byte that no tag may have.
    public init?(parsing text: String) {
        var rest = Token.trimmed(Array(text.utf8))
        guard let tag = EntityTag.take(from: &rest), rest.isEmpty else { return nil }
        self = tag
    }

    /// As a field carries it.
    public var text: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    /// Both strong, and the same (RFC 9110 §8.8.3.2).
    public func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// The same, strong or weak.
    public func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// A tag at the front, quoted commas and all; nil, with nothing taken, when none stands there.
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

/// The value of If-Match or If-None-Match over all its lines.
public enum EntityTagList: Hashable, Sendable {
    /// `*`
    case any
    /// What is malformed among them is left out: it matches nothing.
    case tags([EntityTag])

    /// nil when there is no such field.
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

    public func containsWeakly(_ tag: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.matchesWeakly(tag) }
        }
    }

    public func containsStrongly(_ tag: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.matchesStrongly(tag) }
        }
    }
}
