import Backend
import AppHost
import Core

/// What a run leaves beside its state: digest, last events, facts. Never compared, never asked by what
/// decides. What the digest covers stands at ``ContentDigest``.
struct History: Sendable {
    private(set) var digest: ContentDigest
    private(set) var trace: [TraceEvent] = []
    /// Facts so far, also those that were not recorded.
    private(set) var factCount = 0
    var isRecording = true
    /// Names of faults of a device (disk, port), over or not, that made a difference; each once.
    private(set) var appliedDeviceFaults: [String] = []
    /// What went into the digest, where it is kept.
    private(set) var digested: [DigestedEvent] = []
    var isTracing = false
    /// A run of more is compared as far as this.
    static let longestTrace = 400_000
    private var ring: [EventRecord] = []
    private var ringStart = 0
    private let ringSize: Int

    init(seed: UInt64, lastEvents: Int) {
        digest = ContentDigest(seed: seed)
        ringSize = max(lastEvents, 0)
    }

    @inline(__always)
    mutating func note(_ record: EventRecord) {
        digest.mix(UInt64(bitPattern: record.at.microseconds))
        digest.mix(
            UInt64(record.code) | UInt64(record.device) << 16 | UInt64(record.process) << 32)
        digest.mix(record.detail)
        if isTracing { keep(.event(record), record.at, Int(Int16(bitPattern: record.device))) }
        if ringSize == 0 { return }
        if ring.count < ringSize {
            ring.append(record)
        } else {
            ring[ringStart] = record
            ringStart = ringStart + 1 == ringSize ? 0 : ringStart + 1
        }
    }

    /// The app takes something up.
    mutating func took(_ input: AppInput, at: Instant, _ device: Int) {
        digest.mix(input)
        if isTracing { keep(.input(input), at, device) }
    }

    /// Something leaves the app.
    mutating func left(_ effect: AppHost.Effect, at: Instant, _ device: Int) {
        if effect.isToldAsFact { return }
        digest.mix(effect)
        if isTracing { keep(.effect(effect), at, device) }
    }

    private mutating func keep(_ what: DigestedEvent.What, _ at: Instant, _ device: Int) {
        if digested.count >= History.longestTrace { return }
        digested.append(DigestedEvent(at: at, device: device, digest: digest.value, what: what))
    }

    mutating func add(_ fact: TraceEvent) {
        factCount += 1
        digest.mix(fact)
        if isTracing { keep(.fact(fact.kind), fact.at, fact.device) }
        if isRecording { trace.append(fact) }
    }

    /// The oldest first.
    var lastEvents: [EventRecord] { Array(ring[ringStart...] + ring[..<ringStart]) }

    /// A fault of a device made a difference.
    mutating func deviceFaultApplied(_ id: String) {
        if !appliedDeviceFaults.contains(id) { appliedDeviceFaults.append(id) }
    }

    mutating func forgetFacts() { trace.removeAll() }
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
