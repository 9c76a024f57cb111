/// A whole number that another party states: an origin, a page, a file that may be damaged, a file system.
/// It can be any number, so it has no operator that traps: sums, differences and products stop at −2⁶³ and
/// 2⁶³ − 1.
///
/// **Where it enters.** `Content-Length`, `Content-Range`, `Range`, `Retry-After` and the port of an
/// authority (`HTTP1`, `Updater`); whole numbers of JSON: serials, data schemas and sizes of manifests,
/// fields of the record and of tables (``JSONValue/integer``); the other files of the store; the free space
/// of a volume (``Disk/freeSpace(_:)``).
///
/// **Where it leaves.** Through ``bounded(by:)`` and ``clamped(to:)``, which name the bounds. A test
/// (`TidyTests`) lists the files that may call them: those that know the bounds.
///
/// **Not of this type:** a number with few digits by its grammar (dates, status codes, components of a native
/// build); a time, because ``TimeSpan``, ``Instant`` and ``OriginTime`` stop at their limits too; a number
/// that is only compared (checksums, tokens, the generation of a record, which is below 2⁶²); offsets and
/// counts of bytes that are here.
public struct UntrustedInteger: Hashable, Sendable {
    @usableFromInline let value: Int64

    /// Any integer; beyond 64 bits the nearest one.
    public init(_ number: some BinaryInteger) { value = Int64(clamping: number) }

    public static let zero = UntrustedInteger(0)
    /// 2⁶³ − 1
    public static let largest = UntrustedInteger(Int64.max)
}

extension UntrustedInteger {
    // Inlinable, so that other modules have versions for their collections.

    /// Reads decimal digits and nothing else; nil without a digit, and above 2⁶³ − 1.
    @inlinable package init?(digits: some Collection<UInt8>) {
        guard let (value, isExact) = UntrustedInteger.read(digits), isExact else { return nil }
        self.value = value
    }

    /// Reads decimal digits and nothing else; nil without a digit. Above 2⁶³ − 1 the result is that number.
    @inlinable package init?(saturatingDigits digits: some Collection<UInt8>) {
        guard let (value, _) = UntrustedInteger.read(digits) else { return nil }
        self.value = value
    }

    @inlinable static func read(_ digits: some Collection<UInt8>) -> (value: Int64, isExact: Bool)? {
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        var isExact = true
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowedToo) = product.addingReportingOverflow(Int64(digit))
            if overflowed || overflowedToo { isExact = false }
            value = isExact ? sum : .max
        }
        return (value, isExact)
    }

    // MARK: Arithmetic

    package func adding(_ other: UntrustedInteger) -> UntrustedInteger {
        UntrustedInteger(Saturating.sum(value, other.value))
    }

    package func subtracting(_ other: UntrustedInteger) -> UntrustedInteger {
        UntrustedInteger(Saturating.difference(value, other.value))
    }

    package func multiplied(by other: UntrustedInteger) -> UntrustedInteger {
        UntrustedInteger(Saturating.product(value, other.value))
    }

    /// A tenth, rounded towards zero.
    package var tenth: UntrustedInteger { UntrustedInteger(value / 10) }

    // MARK: The plain number

    /// The number, if it is within the bounds.
    package func bounded(by range: ClosedRange<Int>) -> Int? {
        guard let number = Int(exactly: value), range.contains(number) else { return nil }
        return number
    }

    /// The number, if it is within the bounds.
    package func bounded(by range: ClosedRange<Int64>) -> Int64? { range.contains(value) ? value : nil }

    /// The number within the bounds that is nearest.
    package func clamped(to range: ClosedRange<Int>) -> Int {
        min(max(Int(clamping: value), range.lowerBound), range.upperBound)
    }
}

extension UntrustedInteger: Comparable {
    public static func < (left: UntrustedInteger, right: UntrustedInteger) -> Bool {
        left.value < right.value
    }
}

extension UntrustedInteger: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self.value = value }
}

extension UntrustedInteger: CustomStringConvertible {
    /// Decimal digits, as for logs and header fields.
    public var description: String { String(value) }
}

extension JSONWriter {
    package mutating func member(_ key: String, _ number: UntrustedInteger) { member(key, number.value) }
}
