import Backend
import Core
import Updater

/// The causes of events, as far as the trace alone shows them: a response is caused by its request, content
/// by a document, a page load by a navigation, the end of a start by what ended it.
package struct Causes: Sendable {
    /// Numbers of events and of their causes, sorted by event.
    private var links: [(event: Int, cause: Int)] = []

    package init() {}

    /// - Parameter events: the trace in order.
    package init(_ events: [TraceEvent]) {
        var finder = CauseFinder()
        for event in events {
            if let cause = event.cause ?? finder.cause(of: event) { links.append((event.ordinal, cause)) }
            finder.remember(event)
        }
    }

    /// Replaces causes that the timeline does not show by their own causes.
    package func relink(_ entries: inout [TimelineEntry], _ events: [TraceEvent]) {
        func position(_ ordinal: Int, _ count: Int, _ ordinalAt: (Int) -> Int) -> Int? {
            let low = (0..<count).bisected { ordinalAt($0) < ordinal }
            return low < count && ordinalAt(low) == ordinal ? low : nil
        }
        let shown = entries.map(\.ordinal)
        // Chains of a page that keeps asking are long, and entries share them: what they led to, or 0.
        var ends: [Int: Int] = [:]
        for index in entries.indices {
            var cause = entries[index].cause
            var passed: [Int] = []
            while let ordinal = cause, position(ordinal, shown.count, { shown[$0] }) == nil {
                if let end = ends[ordinal] {
                    cause = end == 0 ? nil : end
                    break
                }
                passed.append(ordinal)
                let event = position(ordinal, events.count) { events[$0].ordinal }
                let next = event.flatMap { events[$0].cause } ?? self[ordinal]
                cause = next.flatMap { $0 < ordinal ? $0 : nil }
            }
            for ordinal in passed { ends[ordinal] = cause ?? 0 }
            entries[index].cause = cause
        }
    }

    package subscript(event: Int) -> Int? {
        let low = links.indices.bisected { links[$0].event < event }
        return low < links.count && links[low].event == event ? links[low].cause : nil
    }
}

/// Remembers the last event of each kind that can cause others.
private struct CauseFinder {
    private var requests: [(transfer: TransferID, process: Int, event: Int)] = []
    private var pageRequests: [(request: PageRequest, event: Int)] = []
    private var navigation: Int?
    private var document: Int?
    private var committed: Int?
    private var load: Int?
    private var death: Int?
    private var log: Int?
    private var logAt: Instant?
    private var trigger: Int?
    private var fault: (event: Int, at: Instant)?

    func cause(of event: TraceEvent) -> Int? {
        switch event.kind {
        case .requestSent: trigger
        case .answerHead(let id, _, _, _), .transferCancelled(let id, _), .transferEnded(let id, _, _):
            request(id, event.process)
        case .transferFailed(let id, _, _):
            fault.flatMap { $0.at <= event.at ? $0.event : nil } ?? request(id, event.process)
        case .pageRequested(let request): request.destination == .document ? navigation : committed
        case .pageReceived(let request, _): pageRequests.last { $0.request == request }?.event
        case .pageLoad: navigation ?? death
        case .committed: document
        case .contentShown, .pageReady, .pageFailed, .called, .touched: committed ?? load
        case .status: logAt == event.at ? log : nil
        case .launched: nil
        case .processEnded: nil
        default: nil
        }
    }

    private func request(_ id: TransferID, _ process: Int) -> Int? {
        requests.last { $0.transfer == id && $0.process == process }?.event
    }

    mutating func remember(_ event: TraceEvent) {
        switch event.kind {
        case .requestSent(let request):
            requests.append((request.transfer, event.process, event.ordinal))
            if requests.count > 64 { requests.removeFirst(32) }
        case .pageRequested(let request):
            pageRequests.append((request, event.ordinal))
            if pageRequests.count > 64 { pageRequests.removeFirst(32) }
            fault = nil
        case .navigation: navigation = event.ordinal
        case .pageReceived(let request, _) where request.destination == .document: document = event.ordinal
        case .committed: committed = event.ordinal
        case .pageLoad: load = event.ordinal
        case .processEnded, .powerCut, .webProcessDied: death = event.ordinal
        case .log:
            log = event.ordinal
            logAt = event.at
        case .launched, .pushed, .checkRequested, .foregrounded, .networkChanged: trigger = event.ordinal
        case .faultApplied: fault = (event.ordinal, event.at)
        default: break
        }
    }
}
