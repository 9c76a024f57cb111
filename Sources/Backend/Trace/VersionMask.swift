/// Versions of the setup by their place in it, as a set of at most 64.
package struct VersionMask: Hashable, Sendable {
    package var bits: UInt64

    package init(bits: UInt64 = 0) { self.bits = bits }

    package init(place: Int) { bits = 1 << UInt64(place) }

    package var isEmpty: Bool { bits == 0 }
    package func contains(_ place: Int) -> Bool { bits & 1 << UInt64(place) != 0 }
    package func intersection(_ other: VersionMask) -> VersionMask { VersionMask(bits: bits & other.bits) }
    package mutating func insert(_ place: Int) { bits |= 1 << UInt64(place) }

    /// Ascending.
    package var places: [Int] {
        var found: [Int] = []
        var rest = bits
        while rest != 0 {
            found.append(rest.trailingZeroBitCount)
            rest &= rest - 1
        }
        return found
    }
}
