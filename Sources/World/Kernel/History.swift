import Core

/// What a run leaves beside its state: digest, last events, facts. Never compared, never asked by what
/// decides.
struct History: Sendable {
    private(set) var digest: RollingDigest
    private(set) var facts: [Fact] = []
    /// Facts so far, also those that were not recorded.
    private(set) var factCount = 0
    var isRecording = true
    private var ring: [EventRecord] = []
    private var ringStart = 0
    private let ringSize: Int

    init(seed: UInt64, lastEvents: Int) {
        digest = RollingDigest(seed: seed)
        ringSize = max(lastEvents, 0)
    }

    @inline(__always)
    mutating func note(_ record: EventRecord) {
        digest.mix(UInt64(bitPattern: record.at.microseconds))
        digest.mix(
            UInt64(record.code) | UInt64(record.device) << 16 | UInt64(record.process) << 32)
        digest.mix(record.detail)
        if ringSize == 0 { return }
        if ring.count < ringSize {
            ring.append(record)
        } else {
            ring[ringStart] = record
            ringStart = ringStart + 1 == ringSize ? 0 : ringStart + 1
        }
    }

    mutating func mix(_ word: UInt64) { digest.mix(word) }

    mutating func add(_ fact: Fact) {
        factCount += 1
        if isRecording { facts.append(fact) }
    }

    /// The oldest first.
    var lastEvents: [EventRecord] { Array(ring[ringStart...] + ring[..<ringStart]) }

    mutating func forgetFacts() { facts.removeAll() }
}

/// One event of the ring, 32 bytes.
package struct EventRecord: Hashable, Sendable {
    package var at: Instant
    /// ``EventCode``.
    package var code: UInt16
    package var device: UInt16
    package var process: UInt32
    /// Transfer, connection, web view, byte count: what the code says.
    package var detail: UInt64
}
