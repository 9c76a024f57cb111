/// A range of a file that has at least its last byte (RFC 9110 §14).
public struct ByteRange: Hashable, Sendable {
    /// Both inclusive; `last` is not below `first`.
    public let first: Int
    public let last: Int

    /// nil for an empty or negative range.
    public init?(first: Int, last: Int) {
        guard first >= 0, last >= first, last < Int.max else { return nil }
        self.first = first
        self.last = last
    }

    public var count: Int { last - first + 1 }

    /// `Content-Range` of a 206 out of `size` bytes.
    public func contentRange(of size: Int) -> String { "bytes \(first)-\(last)/\(size)" }

    /// `Content-Range` of a 416 (RFC 9110 §15.5.17).
    public static func unsatisfied(size: Int) -> String { "bytes */\(size)" }
}

/// What a `Range` field asks for.
public enum RangeRequest: Hashable, Sendable {
    /// No field, another unit, or malformed: the whole is sent (RFC 9110 §14.2).
    case ignored
    case one(ByteRange)
    /// More than one range that could be sent, or more than 16 asked for: the whole is sent, which never
    /// amounts to more than the file (HT-C7).
    case several
    /// No range that could be sent: 416.
    case unsatisfiable

    private enum Spec {
        case from(Int, through: Int?)
        case suffix(Int)
    }

    /// Most ranges that are looked at.
    private static let most = 16

    /// Reads the field's value for a file of `size` bytes. Numbers too large for 63 bits are as good as the
    /// largest.
    public init(_ value: String?, size: Int) {
        guard let value, let specs = RangeRequest.specs(value) else {
            self = .ignored
            return
        }
        if specs.count > RangeRequest.most {
            self = .several
            return
        }
        let ranges = specs.compactMap { RangeRequest.resolve($0, size) }
        switch ranges.count {
        case 0: self = .unsatisfiable
        case 1 where specs.count == 1: self = .one(ranges[0])
        default: self = .several
        }
    }

    private static func resolve(_ spec: Spec, _ size: Int) -> ByteRange? {
        switch spec {
        case .from(let first, let last): ByteRange(first: first, last: min(last ?? size - 1, size - 1))
        case .suffix(0): nil
        case .suffix(let count): ByteRange(first: max(0, size - count), last: size - 1)
        }
    }

    private static func specs(_ value: String) -> [Spec]? {
        let bytes = Array(value.utf8)
        let unit = Array("bytes=".utf8)
        guard bytes.prefix(unit.count).map(Token.small) == unit else { return nil }
        var specs: [Spec] = []
        for element in bytes.dropFirst(unit.count).split(separator: UInt8(ascii: ",")) {
            let trimmed = Token.trimmed(element)
            if trimmed.isEmpty { continue }
            guard let spec = spec(trimmed) else { return nil }
            specs.append(spec)
        }
        return specs.isEmpty ? nil : specs
    }

    private static func spec(_ bytes: ArraySlice<UInt8>) -> Spec? {
        guard let dash = bytes.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let left = bytes[..<dash]
        let right = bytes[(dash + 1)...]
        guard left.allSatisfy(Token.isDigit), right.allSatisfy(Token.isDigit) else { return nil }
        if left.isEmpty { return right.isEmpty ? nil : .suffix(Token.number(right) ?? .max) }
        let first = Token.number(left) ?? .max
        if right.isEmpty { return .from(first, through: nil) }
        let last = Token.number(right) ?? .max
        return last < first ? nil : .from(first, through: last)
    }
}

/// The `Content-Range` of an answer, as a download that goes on has to check it.
public struct ContentRange: Hashable, Sendable {
    /// nil for an unsatisfied range (`*`).
    public let range: ByteRange?
    /// nil when the origin does not know it (`*`).
    public let size: Int?

    /// nil unless it is `bytes a-b/n`, `bytes a-b/*` or `bytes */n` with a ≤ b < n.
    public init?(_ value: String) {
        let bytes = Token.trimmed(Array(value.utf8))
        let unit = Array("bytes ".utf8)
        guard bytes.prefix(unit.count).map(Token.small) == unit else { return nil }
        let parts = bytes.dropFirst(unit.count).split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let star = [UInt8(ascii: "*")]
        let size = Token.number(parts[1])
        guard size != nil || parts[1].elementsEqual(star) else { return nil }
        if parts[0].elementsEqual(star) {
            guard size != nil else { return nil }
            range = nil
        } else {
            let ends = parts[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            guard ends.count == 2, let first = Token.number(ends[0]), let last = Token.number(ends[1]),
                let read = ByteRange(first: first, last: last), last < size ?? .max
            else { return nil }
            range = read
        }
        self.size = size
    }
}
