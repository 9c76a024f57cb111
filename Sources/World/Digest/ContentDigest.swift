import Core

/// A digest over the content of values, and by it over a whole run (``World/digest``).
///
/// What a run's digest covers, in the order in which it happens:
/// - every event of the queue: its time, what it is, whose (``EventRecord``);
/// - every event that the app takes up, with its bytes and words (``AppInput``);
/// - every effect that leaves the app (``AppHost/Effect``), but for those that are told as a fact of the same
///   content in the same instant;
/// - every fact: its time, device, process, cause and whole content.
///
/// Guarantees: equal runs give equal digests in every process and on every machine, because nothing
/// of Swift's hashing goes in, whose key differs from process to process; a list or text goes in with its
/// length, a case with its number, so that neighbours can't be taken for each other. Two runs that differ in
/// a single word have different digests (``RollingDigest``); longer differences can meet by chance, once in
/// 2^64.
///
/// Deliberately not here: a guard against a forger.
struct ContentDigest: Hashable, Sendable {
    private(set) var rolling: RollingDigest

    init(seed: UInt64 = 0) { rolling = RollingDigest(seed: seed) }

    var value: UInt64 { rolling.value }

    @inline(__always)
    mutating func mix(_ word: UInt64) { rolling.mix(word) }

    @inline(__always)
    mutating func mix(_ number: Int) { rolling.mix(UInt64(bitPattern: Int64(number))) }

    @inline(__always)
    mutating func mix(_ flag: Bool) { rolling.mix(flag ? 1 : 0) }

    /// Which case it is, before what the case carries.
    @inline(__always)
    mutating func mix(case number: UInt64) { rolling.mix(number) }

    mutating func mix(_ text: String) {
        var text = text
        text.withUTF8 { mix(UnsafeRawBufferPointer($0)) }
    }

    mutating func mix(_ bytes: [UInt8]) { bytes.withUnsafeBytes { mix($0) } }

    mutating func mix<Value: Digested>(_ value: Value) { value.mix(into: &self) }

    mutating func mix<Value: Digested>(_ value: Value?) {
        guard let value else { return mix(false) }
        mix(true)
        value.mix(into: &self)
    }

    mutating func mix<Value: Digested>(_ values: [Value]) {
        mix(values.count)
        for value in values { value.mix(into: &self) }
    }

    private mutating func mix(_ bytes: UnsafeRawBufferPointer) {
        mix(bytes.count)
        var place = 0
        if bytes.count >= 64 { place = mixLanes(bytes) }
        while place &+ 8 <= bytes.count {
            mix(ContentDigest.word(bytes, place))
            place &+= 8
        }
        if place == bytes.count { return }
        // The last eight bytes once more, where there are so many: the length says how many are new.
        if bytes.count >= 8 { return mix(ContentDigest.word(bytes, bytes.count &- 8)) }
        var word: UInt64 = 0
        for byte in bytes { word = word &<< 8 | UInt64(byte) }
        mix(word)
    }

    /// Four rows of words side by side, so that no multiplication waits for the one before it.
    private mutating func mixLanes(_ bytes: UnsafeRawBufferPointer) -> Int {
        var (a, b) = (RollingDigest(seed: 1), RollingDigest(seed: 2))
        var (c, d) = (RollingDigest(seed: 3), RollingDigest(seed: 4))
        var place = 0
        while place &+ 32 <= bytes.count {
            a.mix(ContentDigest.word(bytes, place))
            b.mix(ContentDigest.word(bytes, place &+ 8))
            c.mix(ContentDigest.word(bytes, place &+ 16))
            d.mix(ContentDigest.word(bytes, place &+ 24))
            place &+= 32
        }
        mix(a.value)
        mix(b.value)
        mix(c.value)
        mix(d.value)
        return place
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
}

/// A value whose whole content goes into a digest. Each conformance names every case in a switch without a
/// default and every member by hand; `DigestTests` counts members, so that a new one is not forgotten.
protocol Digested {
    func mix(into digest: inout ContentDigest)
}

extension ContentDigest {
    /// A word of a list whose raw values are its names.
    @inline(__always)
    mutating func mix<Word: RawRepresentable>(word: Word) where Word.RawValue == String { mix(word.rawValue) }
}

extension String: Digested {
    func mix(into digest: inout ContentDigest) { digest.mix(self) }
}

extension Int: Digested {
    func mix(into digest: inout ContentDigest) { digest.mix(self) }
}
