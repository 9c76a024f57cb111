import Backend
import Core
import Updater
import World

/// What was asked of the origin and what became of it, worked out of the world's facts.
///
/// One entry for each request, complete when its answer has ended, failed or was given up by the client; the
/// newest ``most`` are kept.
package struct AskedLog: Sendable {
    package struct Entry: Sendable {
        package var number: UInt32
        /// On the origin's clock, from its begin.
        package var at: Instant
        package var peer: String
        package var method: String
        /// Path and query.
        package var target: String
        /// `manifest`, `outcomes`, or the route of the file.
        package var thing: String
        package var from: Int?
        package var edge: Int
        /// Faults that struck it, by name.
        package var faults: [String] = []
        /// 0 before there is an answer.
        package var status = 0
        /// What a manifest offers, by the version's name.
        package var offered: String?
        package var serial: Int?
        /// Of the body, as far as it left.
        package var bytes = 0
        package var end = End.open
        package var ended: Instant?
    }

    package enum End: String, Sendable {
        case open, whole, offline, refused, reset, truncated
        case nameNotResolved = "name not resolved"
        case connectTimeout = "connect time-out"
        case insecure
        case givenUp = "given up by the client"
    }

    package private(set) var entries: [Entry] = []
    static let most = 1_000
    private var last: TransferID?

    /// To be called when a request has been given to the world, before its facts are read.
    mutating func begin(_ id: TransferID, peer: String, method: String, target: String, at: Instant) {
        if entries.count == AskedLog.most { entries.removeFirst() }
        entries.append(
            Entry(
                number: id.number, at: at, peer: peer, method: method, target: target, thing: target, edge: 0)
        )
    }

    /// - Returns: the entry that this fact completes.
    mutating func read(_ fact: TraceEvent, _ library: Library) -> Entry? {
        switch fact.kind {
        case .requestSent(let request):
            last = request.transfer
            change(request.transfer) { entry in
                entry.thing =
                    switch request.kind {
                    case .manifest: "manifest"
                    case .outcomes: "outcomes"
                    case .file(let route): route
                    }
                entry.from = request.from
                entry.edge = request.edge
            }
        case .faultApplied(let name): if let last { change(last) { $0.faults.append(name) } }
        case .answerHead(let id, let status, let offered, let note):
            change(id) { entry in
                entry.status = status
                entry.serial = note.serial
                entry.offered = offered.map { id in
                    library.versions.first { $0.id == id }?.name ?? id
                }
            }
        case .transferEnded(let id, let bytes, _): return end(id, .whole, bytes, fact.at)
        case .transferFailed(let id, let failure, let bytes):
            return end(id, End(failure), bytes, fact.at)
        case .transferCancelled(let id, let bytes): return end(id, .givenUp, bytes, fact.at)
        default: break
        }
        return nil
    }

    private mutating func end(_ id: TransferID, _ end: End, _ bytes: Int, _ at: Instant) -> Entry? {
        change(id) { entry in
            entry.end = end
            entry.bytes = bytes
            entry.ended = at
        }
        return entries.last { $0.number == id.number }
    }

    private mutating func change(_ id: TransferID, _ change: (inout Entry) -> Void) {
        guard let place = entries.lastIndex(where: { $0.number == id.number }) else { return }
        change(&entries[place])
    }
}

extension AskedLog.End {
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

extension AskedLog.Entry {
    /// One line: when, what, the answer, and what went wrong with it.
    package var line: String {
        var asked = "\(method) \(target)"
        if let from { asked += " from byte \(from)" }
        var text = "\(at.clock)  \(asked)"
        if status > 0 { text += "  \(status)  \(bytes) B" }
        if let offered { text += "  offers \(offered)" + (serial.map { " (serial \($0))" } ?? "") }
        if end != .whole { text += "  \(end.rawValue)" }
        if let ended, ended > at { text += "  \((ended - at).milliseconds) ms" }
        if !faults.isEmpty { text += "  fault: " + faults.joined(separator: ", ") }
        return text + "  \(peer)"
    }

    /// As `GET /__otalab/requests` tells it.
    func write(to json: inout JSONWriter, edges: [String]) {
        json.beginObject()
        json.member("number", number)
        json.member("at", at.clock)
        json.member("peer", peer)
        json.member("method", method)
        json.member("target", target)
        json.member("thing", thing)
        if let from { json.member("from", from) }
        if edges.indices.contains(edge) { json.member("edge", edges[edge]) }
        if status > 0 { json.member("status", status) }
        if let offered { json.member("offers", offered) }
        if let serial { json.member("serial", serial) }
        json.member("bytes", bytes)
        json.member("end", end.rawValue)
        if let ended { json.member("milliseconds", (ended - at).milliseconds) }
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

extension Instant {
    /// `0:01:30.250` since the begin.
    var clock: String {
        func padded(_ number: Int64, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(width - text.count, 0)) + text
        }
        let milliseconds = microseconds / 1_000
        let seconds = milliseconds / 1_000
        return "\(seconds / 3_600):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))."
            + padded(milliseconds % 1_000, 3)
    }
}
