import Core

/// A non-empty range of bytes of a file (RFC 9110 §14).
public struct ByteRange: Hashable, Sendable {
    /// Offset of the first byte.
    public let first: Int
    /// Offset of the last byte, which belongs to the range; never below `first`.
    public let last: Int

    /// nil for an empty or negative range.
    public init?(first: Int, last: Int) {
        guard first >= 0, last >= first, last < Int.max else { return nil }
        self.first = first
        self.last = last
    }

    /// Bytes in the range.
    public var count: Int { last - first + 1 }

    /// `Content-Range` of a 206 for a file of `size` bytes.
    public func contentRange(of size: Int) -> String { "bytes \(first)-\(last)/\(size)" }

    /// `Content-Range` of a 416 for a file of `size` bytes (RFC 9110 §15.5.17).
    public static func unsatisfied(size: Int) -> String { "bytes */\(size)" }
}

/// What a `Range` field requests.
public enum RangeRequest: Hashable, Sendable {
    /// No field, another unit, or a malformed value: the whole file is sent (RFC 9110 §14.2).
    case ignored
    /// One satisfiable range: 206.
    case one(ByteRange)
    /// More than one range is requested and at least one is satisfiable, or more than 16 are requested: the
    /// whole file is sent, because many overlapping ranges would amount to more.
    case several
    /// No requested range is satisfiable: 416.
    case unsatisfiable

    private enum Spec {
        case from(UntrustedInteger, through: UntrustedInteger?)
        case suffix(UntrustedInteger)
    }

    /// Most ranges that are evaluated.
    private static let maxRanges = 16

    /// Reads the field's value for a file of `size` bytes. Numbers that don't fit in 63 bits count as the
    /// largest that does.
    public init(_ value: String?, size: Int) {
        guard let value, let specs = RangeRequest.specs(value) else {
            self = .ignored
            return
        }
        if specs.count > RangeRequest.maxRanges {
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
        guard size > 0 else { return nil }
        switch spec {
        case .from(let first, let last):
            guard let first = first.bounded(by: 0...size - 1) else { return nil }
            return ByteRange(first: first, last: last?.clamped(to: 0...size - 1) ?? size - 1)
        case .suffix(0): return nil
        case .suffix(let count):
            return ByteRange(first: size - count.clamped(to: 0...size), last: size - 1)
        }
    }

    private static func specs(_ value: String) -> [Spec]? {
        let bytes = Array(value.utf8)
        let unit = Array("bytes=".utf8)
        guard bytes.prefix(unit.count).map(Token.lowercased) == unit else { return nil }
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
        if left.isEmpty { return UntrustedInteger(saturatingDigits: right).map { .suffix($0) } }
        guard let first = UntrustedInteger(saturatingDigits: left) else { return nil }
        if right.isEmpty { return .from(first, through: nil) }
        guard let last = UntrustedInteger(saturatingDigits: right) else { return nil }
        return last < first ? nil : .from(first, through: last)
    }
}

/// The `Content-Range` of a response, which a resumed download must check (RFC 9110 §14.4).
public struct ContentRange: Hashable, Sendable {
    /// Range that the response carries; nil for an unsatisfied range (`*`).
    public let range: ByteRange?
    /// Size of the whole file in bytes; nil when the origin does not know it (`*`).
    public let size: Int?

    /// Parses a field value; nil unless it is `bytes a-b/n`, `bytes a-b/*` or `bytes */n` with a ≤ b < n.
    public init?(_ value: String) {
        let bytes = Token.trimmed(Array(value.utf8))
        let unit = Array("bytes ".utf8)
        guard bytes.prefix(unit.count).map(Token.lowercased) == unit else { return nil }
        let parts = bytes.dropFirst(unit.count).split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let star = [UInt8(ascii: "*")]
        let size = UntrustedInteger(digits: parts[1])?.bounded(by: 0...Int.max)
        guard size != nil || parts[1].elementsEqual(star) else { return nil }
        if parts[0].elementsEqual(star) {
            guard size != nil else { return nil }
            range = nil
        } else {
            let ends = parts[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            guard ends.count == 2,
                let first = UntrustedInteger(digits: ends[0])?.bounded(by: 0...Int.max),
                let last = UntrustedInteger(digits: ends[1])?.bounded(by: 0...Int.max),
                let read = ByteRange(first: first, last: last), last < size ?? .max
            else { return nil }
            range = read
        }
        self.size = size
    }
}
