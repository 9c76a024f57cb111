import Backend
import AppHost
import Core

/// The record of a run beside its state: digest, last events, trace. It is not compared, and no decision
/// depends on it. ``ContentDigest`` says what the digest covers.
struct History: Sendable {
    private(set) var digest: ContentDigest
    private(set) var trace: [TraceEvent] = []
    /// Number of trace events so far, also of those that were not kept.
    private(set) var traceEventCount = 0
    var isRecording = true
    /// Names of device faults (disk, port), active or ended, that had an effect; each once.
    private(set) var appliedDeviceFaults: [String] = []
    /// What the digest covers, if that is kept.
    private(set) var digested: [DigestedEvent] = []
    var isTracing = false
    /// The most entries that are kept; longer runs are compared up to here.
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

    /// The app handles an input.
    mutating func noteInput(_ input: AppInput, at: Instant, _ device: Int) {
        digest.mix(input)
        if isTracing { keep(.input(input), at, device) }
    }

    /// The app has returned an effect.
    mutating func noteEffect(_ effect: AppHost.Effect, at: Instant, _ device: Int) {
        if effect.isRecordedAsTraceEvent { return }
        digest.mix(effect)
        if isTracing { keep(.effect(effect), at, device) }
    }

    private mutating func keep(_ what: DigestedEvent.What, _ at: Instant, _ device: Int) {
        if digested.count >= History.longestTrace { return }
        digested.append(DigestedEvent(at: at, device: device, digest: digest.value, what: what))
    }

    mutating func add(_ event: consuming TraceEvent) {
        traceEventCount += 1
        digest.mix(event)
        if isTracing { keep(.traceEvent(event.kind), event.at, event.device) }
        if isRecording { trace.append(event) }
    }

    /// The oldest first.
    var lastEvents: [EventRecord] { Array(ring[ringStart...] + ring[..<ringStart]) }

    /// A fault of a device had an effect.
    mutating func deviceFaultApplied(_ id: String) {
        if !appliedDeviceFaults.contains(id) { appliedDeviceFaults.append(id) }
    }

    mutating func dropTrace() { trace.removeAll() }
}

/// One event of the ring, 32 bytes.
package struct EventRecord: Hashable, Sendable {
    package var at: Instant
    /// Raw value of an ``EventCode``.
    package var code: UInt16
    package var device: UInt16
    package var process: UInt32
    /// Transfer, connection, web view or byte count, depending on the code.
    package var detail: UInt64
}
