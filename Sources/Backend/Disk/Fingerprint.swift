/// A running 64-bit hash over integers, equal in every process; not secure against an adversary. The step is
/// the finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA
/// 2014).
package struct Fingerprint: Sendable {
    package private(set) var value: UInt64

    package init(key: UInt64 = 0) { value = key ^ 0x9E37_79B9_7F4A_7C15 }

    package mutating func add(_ number: UInt64) {
        var mixed = (value ^ number) &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        value = mixed ^ (mixed >> 31)
    }

    package mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }

    package mutating func add(_ text: String) {
        var count = 0
        for byte in text.utf8 {
            add(UInt64(byte))
            count += 1
        }
        add(count)
    }
}
