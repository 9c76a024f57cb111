import Backend
import Core
import HTTP1
import Updater

/// A device's network link to the origin: its running transfers, and which of them gets the bandwidth next.
///
/// Guarantees: bandwidth is shared in turns of at most 64 KiB and 4 s; each transfer has one head, its bytes
/// in order, and one end or failure; a new connection costs its round trips, and one whose transfer ended in
/// order is used again. Deliberately not here: the answers (``OriginResponder``), packet loss (a fault states
/// what the app would see of it), the bandwidth of requests.
struct Link: Sendable {
    struct Transfer: Equatable, Sendable {
        let id: TransferID
        let request: OriginRequest
        let edge: Int
        let plan: RequestPlan
        var answer: OriginAnswer?
        /// Bytes of the body that the origin will send, and that have arrived.
        var limit = 0
        var arrived = 0
        /// Sequence number of the last trace event about the transfer.
        var lastTraceEvent: Int32 = 0

        /// How the body ends. A body whose announced length has arrived is whole, and so is a response of a
        /// status that never has a body, whatever happens to the connection then (RFC 9112 §6.3).
        var bodyEnd: BodyEnd {
            if let answer, StatusCode(answer.status).neverHasContent { return .whole }
            // Without a length and without chunks, a body that ends early looks whole (item 8).
            if answer?.endsWithConnection == true, plan.end == .truncate { return .whole }
            guard let answer, limit == answer.body.count, !answer.fields.contains("Transfer-Encoding"),
                answer.fields["Content-Length"].flatMap({ Int($0) }) == limit
            else { return plan.end }
            return .whole
        }

        /// Ignores the trace event, which is history and not state.
        static func == (left: Transfer, right: Transfer) -> Bool {
            left.id == right.id && left.request == right.request && left.edge == right.edge
                && left.plan == right.plan && left.answer == right.answer && left.limit == right.limit
                && left.arrived == right.arrived
        }
    }

    /// The next event of a transfer.
    enum Stage: Hashable, Sendable {
        /// The request reaches the edge.
        case atOrigin
        /// The head reaches the device.
        case head
        /// This number of bytes of the body reach the device.
        case bytes(Int)
        case fails(TransferFailure)
    }

    let profile: LinkProfile
    /// The running transfers, sorted by id.
    private(set) var transfers: [Transfer] = []
    /// Transfers in the order of their turns; bytes of the first one are in flight while `isServing`.
    private var turns: [TransferID] = []
    /// Transfers that get no turn, because their reader is behind.
    private var paused: [TransferID] = []
    private var isServing = false
    private var idleConnections = 0
    /// Bandwidth that a fault sets, in bits per second.
    var slowedTo: Int?

    init(_ profile: LinkProfile) { self.profile = profile }

    static let maxTurn = 64 << 10
    private static let minTurn = 16 << 10
    private static let maxTurnSeconds = 4

    var isIdle: Bool { transfers.isEmpty }

    func transfer(_ id: TransferID) -> Transfer? { index(of: id).map { transfers[$0] } }

    /// The trace event that causes the next one about this transfer.
    func lastTraceEvent(of id: TransferID) -> Int32? { index(of: id).map { transfers[$0].lastTraceEvent } }

    mutating func note(_ id: TransferID, traceEvent: Int32) {
        if let index = index(of: id) { transfers[index].lastTraceEvent = traceEvent }
    }

    /// Begins a transfer; returns its next stage and the time until then.
    mutating func begin(
        _ id: TransferID, _ request: OriginRequest, edge: Int, _ plan: RequestPlan, connectTimeout: TimeSpan,
        isOffline: Bool
    ) -> (Stage, after: TimeSpan) {
        insert(Transfer(id: id, request: request, edge: edge, plan: plan))
        let trip = profile.latency * 2
        if isOffline { return (.fails(.offline), .zero) }
        if plan.isSilent { return (.fails(.connectTimeout), connectTimeout) }
        if let failure = plan.failure {
            // A failed lookup and a refusal take one round trip; the certificate arrives in the second.
            return (.fails(failure), failure == .insecure ? trip * 2 : trip)
        }
        if idleConnections > 0 {
            idleConnections -= 1
            return (.atOrigin, profile.latency)
        }
        let connected = trip * Int64(profile.roundTripsToConnect)
        return (.atOrigin, (plan.hasBlackHole ? Link.blackHoleDelay : .zero) + connected + profile.latency)
    }

    /// Time until the origin's second address is tried, because the first one does not answer.
    private static let blackHoleDelay: TimeSpan = {
        var attempts = ConnectionAttempts<Int32, Never>([6, 4]) { $0 }
        _ = attempts.handle(.begin, at: .zero)
        return (attempts.nextAttempt ?? .zero) - .zero
    }()

    /// The edge has answered; nil if not even the head is sent and the transfer hangs.
    mutating func answered(_ id: TransferID, _ answer: OriginAnswer) -> (Stage, after: TimeSpan)? {
        guard let index = index(of: id) else { return nil }
        let plan = transfers[index].plan
        let limit = plan.bodyLimit(of: answer.body.count)
        transfers[index].answer = answer
        transfers[index].limit = limit.bytes
        let after = profile.latency + plan.delay
        if limit.hasHead { return (.head, after) }
        return plan.end == .stall ? nil : (.fails(.reset), after)
    }

    /// The head has arrived, and the body may follow. Returns how the transfer ends if no body follows.
    mutating func startBody(_ id: TransferID) -> BodyEnd? {
        guard let index = index(of: id) else { return nil }
        if transfers[index].limit == 0 { return transfers[index].bodyEnd }
        turns.append(id)
        return nil
    }

    /// Begins the next turn if the link is free. The turn ends at an offset of `stops` in the transfer's
    /// body.
    mutating func serve(stops: [(TransferID, Int)] = []) -> (TransferID, bytes: Int, after: TimeSpan)? {
        guard !isServing, let next = turns.firstIndex(where: { !paused.contains($0) }) else { return nil }
        let id = turns[next]
        guard let transfer = transfer(id) else { return nil }
        isServing = true
        if next > 0 { turns.insert(turns.remove(at: next), at: 0) }
        let turn = max(Link.maxTurn / turns.count, Link.minTurn)
        let rate = Int64(max(slowedTo ?? profile.bandwidth, 1))
        // A slow line brings something every few seconds: a transfer on it is slow, not silent (U5). One of
        // less than 256 B/s is as good as silent.
        let mostBytes = rate < 2_048 ? turn : Int(rate) / 8 * Link.maxTurnSeconds
        var bytes = min(turn, mostBytes, profile.largestPiece, transfer.limit - transfer.arrived)
        for (stopped, offset) in stops where stopped == id && offset > transfer.arrived {
            bytes = min(bytes, offset - transfer.arrived)
        }
        return (id, bytes, .microseconds((Int64(bytes) * 8_000_000 + rate - 1) / rate))
    }

    /// Bytes have arrived. Returns them, and how the transfer ends if they were the last.
    mutating func take(_ id: TransferID, _ count: Int) -> (bytes: [UInt8], end: BodyEnd?) {
        isServing = false
        if let first = turns.first, first == id { turns.removeFirst() }
        guard let index = index(of: id), let body = transfers[index].answer?.body else { return ([], nil) }
        let start = transfers[index].arrived
        let end = start + count
        transfers[index].arrived = end
        let bytes = body.read(start..<end)
        if end < transfers[index].limit {
            turns.append(id)
            return (bytes, nil)
        }
        return (bytes, transfers[index].bodyEnd)
    }

    /// Leaves out the turns of a transfer, or gives it turns again.
    mutating func pause(_ id: TransferID, _ isPaused: Bool) {
        paused.removeAll { $0 == id }
        if isPaused { paused.append(id) }
    }

    /// Removes a transfer. Its connection is used again only if the transfer ended in order, and not with the
    /// connection.
    @discardableResult
    mutating func end(_ id: TransferID, keepsConnection: Bool) -> Transfer? {
        guard let index = index(of: id) else { return nil }
        if keepsConnection, transfers[index].answer?.endsWithConnection != true { idleConnections += 1 }
        if !paused.isEmpty { paused.removeAll { $0 == id } }
        // A transfer with bytes in flight keeps its turn until they would have arrived.
        if !(isServing && turns.first == id) { turns.removeAll { $0 == id } }
        return transfers.remove(at: index)
    }

    /// Drops all transfers and connections: offline, another edge, the end of the process.
    mutating func dropAll() -> [Transfer] {
        defer {
            transfers = []
            turns = []
            paused = []
            isServing = false
            idleConnections = 0
        }
        return transfers
    }

    mutating func forgetConnections() { idleConnections = 0 }

    private func index(of id: TransferID) -> Int? {
        let low = transfers.indices.bisected { transfers[$0].id < id }
        return low < transfers.count && transfers[low].id == id ? low : nil
    }

    private mutating func insert(_ transfer: Transfer) {
        let index = transfers.firstIndex { transfer.id < $0.id } ?? transfers.count
        transfers.insert(transfer, at: index)
    }
}
