import Backend
import Core
import Updater
import World

/// The requests to a served origin and their outcomes, derived from the world's trace events.
///
/// There is one entry for each request. It is complete when the answer has ended or failed, or when the
/// client has cancelled it. The newest ``maxEntries`` are kept.
package struct RequestLog: Sendable {
    package struct Entry: Sendable {
        /// Number of the transfer, ``TransferID/number``.
        package var id: UInt32
        /// Time of the request on the origin's clock, which begins at zero.
        package var startedAt: Instant
        /// Address of the client.
        package var peer: String
        package var method: String
        /// Path and query of the request.
        package var target: String
        /// Requested resource: `manifest`, `outcomes`, or the route of a file.
        package var resource: String
        /// First byte of the requested range; nil: the whole resource.
        package var rangeStart: Int?
        /// Index of the edge that answers.
        package var edge: Int
        /// Names of the faults that applied to the request.
        package var faults: [String] = []
        /// Status of the answer; 0 before there is one.
        package var status = 0
        /// Name of the version that the manifest offers.
        package var offeredVersion: String?
        /// Serial of the manifest.
        package var serial: Int?
        /// Bytes of the body that were sent.
        package var bytes = 0
        package var outcome = Outcome.open
        /// Time at which the answer ended; nil while it is open.
        package var endedAt: Instant?
    }

    /// How a request ended; the raw values appear in the log and in `GET /__otalab/requests`.
    package enum Outcome: String, Sendable {
        case open, whole, offline, refused, reset, truncated
        case nameNotResolved = "name not resolved"
        case connectTimeout = "connect time-out"
        case insecure
        case givenUp = "given up by the client"
    }

    package private(set) var entries: [Entry] = []
    static let maxEntries = 1_000
    /// Transfer of the last request; a fault that applies next belongs to it.
    private var lastTransfer: TransferID?

    /// Adds a request. It must be called after the request was given to the world and before the trace events
    /// of it are recorded.
    mutating func begin(_ id: TransferID, peer: String, method: String, target: String, at: Instant) {
        if entries.count == RequestLog.maxEntries { entries.removeFirst() }
        entries.append(
            Entry(
                id: id.rawValue, startedAt: at, peer: peer, method: method, target: target, resource: target,
                edge: 0)
        )
    }

    /// Updates the entry that a trace event belongs to.
    /// - Returns: the entry, when the event completes it.
    mutating func record(_ event: TraceEvent, _ library: VersionLibrary) -> Entry? {
        switch event.kind {
        case .requestSent(let request):
            lastTransfer = request.transfer
            update(request.transfer) { entry in
                entry.resource =
                    switch request.kind {
                    case .manifest: "manifest"
                    case .outcomes: "outcomes"
                    case .file(let route): route
                    }
                entry.rangeStart = request.from
                entry.edge = request.edge
            }
        case .faultApplied(let name): if let lastTransfer { update(lastTransfer) { $0.faults.append(name) } }
        case .answerHead(let id, let status, let offered, let note):
            update(id) { entry in
                entry.status = status
                entry.serial = note.serial
                entry.offeredVersion = offered.map { id in
                    library.versions.first { $0.id == id }?.name ?? id
                }
            }
        case .transferEnded(let id, let bytes, _): return finish(id, .whole, bytes, event.at)
        case .transferFailed(let id, let failure, let bytes):
            return finish(id, Outcome(failure), bytes, event.at)
        case .transferCancelled(let id, let bytes): return finish(id, .givenUp, bytes, event.at)
        default: break
        }
        return nil
    }

    private mutating func finish(_ id: TransferID, _ outcome: Outcome, _ bytes: Int, _ at: Instant) -> Entry?
    {
        update(id) { entry in
            entry.outcome = outcome
            entry.bytes = bytes
            entry.endedAt = at
        }
        return entries.last { $0.id == id.rawValue }
    }

    private mutating func update(_ id: TransferID, _ change: (inout Entry) -> Void) {
        guard let index = entries.lastIndex(where: { $0.id == id.rawValue }) else { return }
        change(&entries[index])
    }
}

extension RequestLog.Outcome {
    init(_ failure: TransferFailure) {
        self =
            switch failure {
            case .offline: .offline
            case .nameNotResolved: .nameNotResolved
            case .refused: .refused
            case .connectTimeout: .connectTimeout
            case .insecure: .insecure
            case .reset: .reset
            case .truncated: .truncated
            }
    }
}

extension RequestLog.Entry {
    /// Log line: time, request, answer, and what went wrong.
    package var line: String {
        var request = "\(method) \(target)"
        if let rangeStart { request += " from byte \(rangeStart)" }
        var text = "\(startedAt.clock)  \(request)"
        if status > 0 { text += "  \(status)  \(bytes) B" }
        if let offeredVersion {
            text += "  offers \(offeredVersion)" + (serial.map { " (serial \($0))" } ?? "")
        }
        if outcome != .whole { text += "  \(outcome.rawValue)" }
        if let endedAt, endedAt > startedAt { text += "  \((endedAt - startedAt).milliseconds) ms" }
        if !faults.isEmpty { text += "  fault: " + faults.joined(separator: ", ") }
        return text + "  \(peer)"
    }

    /// Writes the object that `GET /__otalab/requests` has for this entry.
    func write(to json: inout JSONWriter, edges: [String]) {
        json.beginObject()
        json.member("number", id)
        json.member("at", startedAt.clock)
        json.member("peer", peer)
        json.member("method", method)
        json.member("target", target)
        json.member("thing", resource)
        if let rangeStart { json.member("from", rangeStart) }
        if edges.indices.contains(edge) { json.member("edge", edges[edge]) }
        if status > 0 { json.member("status", status) }
        if let offeredVersion { json.member("offers", offeredVersion) }
        if let serial { json.member("serial", serial) }
        json.member("bytes", bytes)
        json.member("end", outcome.rawValue)
        if let endedAt { json.member("milliseconds", (endedAt - startedAt).milliseconds) }
        if !faults.isEmpty {
            json.key("faults")
            json.beginArray()
            for fault in faults { json.string(fault) }
            json.endArray()
        }
        json.endObject()
    }
}

extension TimeSpan {
    var milliseconds: Int64 { microseconds / 1_000 }
}
