import Core

/// A digest over the content of values, and by it over a whole run (``World/digest``).
///
/// What a run's digest covers, in the order of the run:
/// - every event of the queue: time, code, device and process (``EventRecord``);
/// - every input of the app, with all its content (``AppInput``);
/// - every effect of the app (``AppHost/Effect``), but for those that are recorded as a trace event of the
///   same content in the same instant;
/// - every trace event: time, device, process, cause and whole content.
///
/// Guarantees: equal runs give equal digests in every process and on every machine, because Swift's hashing,
/// whose key differs from process to process, is not used; lists and texts are mixed with their length, cases
/// with their index, so that adjacent values can't be confused. Two runs that differ in a single 64-bit word
/// have different digests (``RollingDigest``); longer differences collide by chance, once in 2^64.
///
/// Deliberately not here: protection against an adversary.
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

    /// Index of an enum's case, before its associated values.
    @inline(__always)
    mutating func mix(case number: UInt64) { rolling.mix(number) }

    mutating func mix(_ text: String) {
        let isMixed: Void? = text.utf8.withContiguousStorageIfAvailable { mix(UnsafeRawBufferPointer($0)) }
        if isMixed == nil { mix(Array(text.utf8)) }
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
        var index = 0
        if bytes.count >= 64 { index = mixLanes(bytes) }
        while index &+ 8 <= bytes.count {
            mix(ContentDigest.word(bytes, index))
            index &+= 8
        }
        if index == bytes.count { return }
        // The last eight bytes may overlap those before; the length, which is mixed too, says how many are
        // new.
        if bytes.count >= 8 { return mix(ContentDigest.word(bytes, bytes.count &- 8)) }
        var word: UInt64 = 0
        for byte in bytes { word = word &<< 8 | UInt64(byte) }
        mix(word)
    }

    /// Mixes four interleaved sequences, so that no multiplication waits for the one before it.
    private mutating func mixLanes(_ bytes: UnsafeRawBufferPointer) -> Int {
        var (a, b) = (RollingDigest(seed: 1), RollingDigest(seed: 2))
        var (c, d) = (RollingDigest(seed: 3), RollingDigest(seed: 4))
        var index = 0
        while index &+ 32 <= bytes.count {
            a.mix(ContentDigest.word(bytes, index))
            b.mix(ContentDigest.word(bytes, index &+ 8))
            c.mix(ContentDigest.word(bytes, index &+ 16))
            d.mix(ContentDigest.word(bytes, index &+ 24))
            index &+= 32
        }
        mix(a.value)
        mix(b.value)
        mix(c.value)
        mix(d.value)
        return index
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
}

/// A value whose whole content goes into a digest. Each conformance names every case in a switch without a
/// default and every member by hand; `DigestTests` counts members, so that a new one is not forgotten.
protocol Digested {
    func mix(into digest: inout ContentDigest)
}

extension ContentDigest {
    /// A value whose raw value is its name.
    @inline(__always)
    mutating func mix<Word: RawRepresentable>(word: Word) where Word.RawValue == String { mix(word.rawValue) }
}

extension String: Digested {
    func mix(into digest: inout ContentDigest) { digest.mix(self) }
}

extension Int: Digested {
    func mix(into digest: inout ContentDigest) { digest.mix(self) }
}
