import Backend
import Core
import Updater

/// A device's way to the origin: its running transfers, and who of them gets the line next.
///
/// Guarantees: bandwidth is shared in turns of at most 64 KiB; of each transfer one head, bytes in
/// order and one end or failure come out; a fresh connection costs its round trips, one that came to its end
/// in order is used again. Deliberately not here: what is answered (``OriginAnswers``), loss below the
/// connection (a fault says what the app would see of it), the upstream direction's bandwidth.
struct Link: Sendable {
    struct Transfer: Equatable, Sendable {
        let id: TransferID
        let request: OriginRequest
        let edge: Int
        let plan: RequestPlan
        var answer: OriginAnswer?
        /// Bytes of the body that will leave, and that have arrived.
        var limit = 0
        var arrived = 0
        /// The number of the last fact about it.
        var fact: Int32 = 0

        /// Numbers of facts are history.
        static func == (left: Transfer, right: Transfer) -> Bool {
            left.id == right.id && left.request == right.request && left.edge == right.edge
                && left.plan == right.plan && left.answer == right.answer && left.limit == right.limit
                && left.arrived == right.arrived
        }
    }

    /// What the link wants to happen to one of its transfers.
    enum Stage: Hashable, Sendable {
        /// The request reaches the edge.
        case atOrigin
        /// The head reaches the device.
        case head
        /// So many bytes of the body do.
        case bytes(Int)
        case fails(TransferFailure)
    }

    let profile: LinkProfile
    /// Sorted by id.
    private(set) var transfers: [Transfer] = []
    /// Whose turn it is, in order; the first one's bytes are under way while `isServing`.
    private var turns: [TransferID] = []
    private var isServing = false
    private var idleConnections = 0
    /// A fault's, in bits per second.
    var slowedTo: Int?

    init(_ profile: LinkProfile) { self.profile = profile }

    static let mostBytes = 64 << 10
    private static let leastTurn = 16 << 10

    var isIdle: Bool { transfers.isEmpty }

    func transfer(_ id: TransferID) -> Transfer? { place(of: id).map { transfers[$0] } }

    /// The fact that the next one about this transfer comes of.
    func fact(of id: TransferID) -> Int32? { place(of: id).map { transfers[$0].fact } }

    mutating func note(_ id: TransferID, fact: Int32) {
        if let place = place(of: id) { transfers[place].fact = fact }
    }

    /// Takes a request up; says what happens next and after how long.
    mutating func begin(
        _ id: TransferID, _ request: OriginRequest, edge: Int, _ plan: RequestPlan, connectTimeout: TimeSpan,
        isOffline: Bool
    ) -> (Stage, after: TimeSpan) {
        insert(Transfer(id: id, request: request, edge: edge, plan: plan))
        let trip = profile.latency * 2
        if isOffline { return (.fails(.offline), .zero) }
        if plan.isSilent { return (.fails(.connectTimeout), connectTimeout) }
        if let failure = plan.failure {
            // A name that is not found and a refusal take a round trip; a certificate is seen in the second.
            return (.fails(failure), failure == .insecure ? trip * 2 : trip)
        }
        if idleConnections > 0 {
            idleConnections -= 1
            return (.atOrigin, profile.latency)
        }
        return (.atOrigin, trip * Int64(profile.roundTripsToConnect) + profile.latency)
    }

    /// The edge has answered: nil where not even the head leaves and nothing more will be heard.
    mutating func answered(_ id: TransferID, _ answer: OriginAnswer) -> (Stage, after: TimeSpan)? {
        guard let place = place(of: id) else { return nil }
        let plan = transfers[place].plan
        let limit = plan.bodyLimit(of: answer.body.count)
        transfers[place].answer = answer
        transfers[place].limit = limit.bytes
        let after = profile.latency + plan.delay
        if limit.hasHead { return (.head, after) }
        return plan.end == .stall ? nil : (.fails(.reset), after)
    }

    /// The head has arrived: the body may come. Says how the transfer ends when nothing of it will.
    mutating func startBody(_ id: TransferID) -> BodyEnd? {
        guard let place = place(of: id) else { return nil }
        if transfers[place].limit == 0 { return transfers[place].plan.end }
        turns.append(id)
        return nil
    }

    /// The next turn on the line, if it is free. It ends where `stops` wants a transfer's body to have come
    /// to.
    mutating func serve(stops: [(TransferID, Int)] = []) -> (TransferID, bytes: Int, after: TimeSpan)? {
        guard !isServing, let id = turns.first, let transfer = transfer(id) else { return nil }
        isServing = true
        let turn = max(Link.mostBytes / turns.count, Link.leastTurn)
        var bytes = min(turn, transfer.limit - transfer.arrived)
        for (stopped, place) in stops where stopped == id && place > transfer.arrived {
            bytes = min(bytes, place - transfer.arrived)
        }
        let rate = Int64(max(slowedTo ?? profile.bandwidth, 1))
        return (id, bytes, .microseconds((Int64(bytes) * 8_000_000 + rate - 1) / rate))
    }

    /// Bytes have arrived: those, and how the transfer ends when they were the last.
    mutating func take(_ id: TransferID, _ count: Int) -> (bytes: [UInt8], end: BodyEnd?) {
        isServing = false
        if let first = turns.first, first == id { turns.removeFirst() }
        guard let place = place(of: id), let body = transfers[place].answer?.body else { return ([], nil) }
        let start = transfers[place].arrived
        let end = start + count
        transfers[place].arrived = end
        let bytes = start == 0 && end == body.count ? body : Array(body[start..<end])
        if end < transfers[place].limit {
            turns.append(id)
            return (bytes, nil)
        }
        return (bytes, transfers[place].plan.end)
    }

    /// Takes a transfer away. Its connection is used again only when it came to its end in order.
    @discardableResult
    mutating func end(_ id: TransferID, keepsConnection: Bool) -> Transfer? {
        guard let place = place(of: id) else { return nil }
        if keepsConnection { idleConnections += 1 }
        // One whose bytes are under way keeps its turn until they would have come.
        if !(isServing && turns.first == id) { turns.removeAll { $0 == id } }
        return transfers.remove(at: place)
    }

    /// All connections are gone: offline, another edge, the end of the process.
    mutating func dropAll() -> [Transfer] {
        defer {
            transfers = []
            turns = []
            isServing = false
            idleConnections = 0
        }
        return transfers
    }

    mutating func forgetConnections() { idleConnections = 0 }

    private func place(of id: TransferID) -> Int? {
        let low = transfers.indices.bisected { transfers[$0].id < id }
        return low < transfers.count && transfers[low].id == id ? low : nil
    }

    private mutating func insert(_ transfer: Transfer) {
        let place = transfers.firstIndex { transfer.id < $0.id } ?? transfers.count
        transfers.insert(transfer, at: place)
    }
}
