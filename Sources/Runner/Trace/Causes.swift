import Backend
import Core
import Updater

/// What led to what, where it can be told from the facts alone: an answer comes of its request, content of
/// a document, a switch of the navigation, an end of a start of what ended it.
package struct Causes: Sendable {
    private var rows: [(fact: Int, cause: Int)] = []

    package init() {}

    /// - Parameter facts: in order.
    package init(_ facts: [TraceEvent]) {
        var finder = CauseFinder()
        for fact in facts {
            if let cause = fact.cause ?? finder.cause(of: fact) { rows.append((fact.number, cause)) }
            finder.remember(fact)
        }
    }

    /// Causes that a person does not see give way to what led to them.
    package func relink(_ entries: inout [TimelineEntry], _ facts: [TraceEvent]) {
        func place(_ number: Int, _ count: Int, _ numberAt: (Int) -> Int) -> Int? {
            let low = (0..<count).bisected { numberAt($0) < number }
            return low < count && numberAt(low) == number ? low : nil
        }
        let shown = entries.map(\.number)
        for index in entries.indices {
            var cause = entries[index].cause
            while let number = cause, place(number, shown.count, { shown[$0] }) == nil {
                let fact = place(number, facts.count) { facts[$0].number }
                let next = fact.flatMap { facts[$0].cause } ?? self[number]
                cause = next.flatMap { $0 < number ? $0 : nil }
            }
            entries[index].cause = cause
        }
    }

    package subscript(fact: Int) -> Int? {
        let low = rows.indices.bisected { rows[$0].fact < fact }
        return low < rows.count && rows[low].fact == fact ? rows[low].cause : nil
    }
}

/// Remembers the last fact of each kind that others come of.
private struct CauseFinder {
    private var requests: [(transfer: TransferID, process: Int, fact: Int)] = []
    private var asked: [(request: PageRequest, fact: Int)] = []
    private var navigation: Int?
    private var document: Int?
    private var committed: Int?
    private var load: Int?
    private var death: Int?
    private var log: Int?
    private var logAt: Instant?
    private var trigger: Int?
    private var fault: (fact: Int, at: Instant)?

    func cause(of fact: TraceEvent) -> Int? {
        switch fact.kind {
        case .requestSent: trigger
        case .answerHead(let id, _, _, _), .transferCancelled(let id, _), .transferEnded(let id, _, _):
            request(id, fact.process)
        case .transferFailed(let id, _, _):
            fault.flatMap { $0.at <= fact.at ? $0.fact : nil } ?? request(id, fact.process)
        case .pageRequested(let request): request.destination == .document ? navigation : committed
        case .pageReceived(let request, _): asked.last { $0.request == request }?.fact
        case .pageLoad: navigation ?? death
        case .committed: document
        case .contentShown, .pageReady, .pageFailed, .called, .touched: committed ?? load
        case .status: logAt == fact.at ? log : nil
        case .launched: nil
        case .processEnded: nil
        default: nil
        }
    }

    private func request(_ id: TransferID, _ process: Int) -> Int? {
        requests.last { $0.transfer == id && $0.process == process }?.fact
    }

    mutating func remember(_ fact: TraceEvent) {
        switch fact.kind {
        case .requestSent(let request):
            requests.append((request.transfer, fact.process, fact.number))
            if requests.count > 64 { requests.removeFirst(32) }
        case .pageRequested(let request):
            asked.append((request, fact.number))
            if asked.count > 64 { asked.removeFirst(32) }
            fault = nil
        case .navigation: navigation = fact.number
        case .pageReceived(let request, _) where request.destination == .document: document = fact.number
        case .committed: committed = fact.number
        case .pageLoad: load = fact.number
        case .processEnded, .powerCut, .webProcessDied: death = fact.number
        case .log:
            log = fact.number
            logAt = fact.at
        case .launched, .pushed, .checkRequested, .foregrounded, .networkChanged, .step: trigger = fact.number
        case .faultApplied: fault = (fact.number, fact.at)
        default: break
        }
    }
}
