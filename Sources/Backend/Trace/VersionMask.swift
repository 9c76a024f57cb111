/// A set of versions of the setup, by their indices; at most 64, one bit each.
package struct VersionMask: Hashable, Sendable {
    package var bits: UInt64

    package init(bits: UInt64 = 0) { self.bits = bits }

    package init(index: Int) { bits = 1 << UInt64(index) }

    package var isEmpty: Bool { bits == 0 }
    package var hasSeveral: Bool { bits.nonzeroBitCount > 1 }
    /// The index of the set's only version; nil: it has none, or several.
    package var onlyIndex: Int? { bits.nonzeroBitCount == 1 ? bits.trailingZeroBitCount : nil }
    package func contains(_ index: Int) -> Bool { bits & 1 << UInt64(index) != 0 }
    package func intersection(_ other: VersionMask) -> VersionMask { VersionMask(bits: bits & other.bits) }
    package mutating func insert(_ index: Int) { bits |= 1 << UInt64(index) }

    /// The indices of the set's versions, ascending.
    package var indices: [Int] {
        var found: [Int] = []
        var rest = bits
        while rest != 0 {
            found.append(rest.trailingZeroBitCount)
            rest &= rest - 1
        }
        return found
    }
}
