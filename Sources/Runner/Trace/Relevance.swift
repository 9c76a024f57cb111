import Backend
import Core
import Updater

/// Selects the events that a reader needs to understand a failure.
///
/// In this order: the event that made it wrong, with its causes; the last event about the failure's subject,
/// with its causes; then other events about the subject, events that name a version of the failure,
/// disturbances from outside (faults, power cuts, ends of processes), and requests without an answer, the
/// latest first. The last events of a run alone would not help, because most of them are a page loading its
/// images.
struct Relevance {
    /// Limit of the selected events.
    static let maxEvents = 12
    /// Limit of the length of a chain of causes.
    static let maxChainLength = 5

    private let failure: Failure
    private let events: [TraceEvent]
    private let entries: [TimelineEntry]
    private let versions: [String]
    /// Parts that the failure names; if it names none, the words of its headline that are names of parts.
    private let parts: [String]
    /// Indices of requests without an answer. A wait for an answer leaves no other event.
    private let unanswered: [Int]

    /// - Parameters:
    ///   - events: visible events in order.
    ///   - entries: timeline entries, one for each event.
    init(_ failure: Failure, events: [TraceEvent], entries: [TimelineEntry], versions: [String]) {
        self.failure = failure
        let end = events.firstIndex { $0.at > failure.at } ?? events.count
        self.events = Array(events[..<end])
        self.entries = Array(entries[..<end])
        let headline = failure.headline.split { !$0.isLetter }.map(String.init)
        parts = failure.parts.isEmpty ? headline.filter(Relevance.subjects.contains) : failure.parts
        let words = ([failure.headline] + failure.expected + failure.actual)
            .flatMap { $0.split { !($0.isLetter || $0.isNumber || "._-+".contains($0)) } }
        self.versions = versions.filter { version in words.contains { $0 == version } }
        unanswered = Relevance.unanswered(self.events)
    }

    private static func unanswered(_ events: [TraceEvent]) -> [Int] {
        var open: [(index: Int, device: Int, transfer: TransferID)] = []
        for (index, event) in events.enumerated() {
            switch event.kind {
            case .requestSent(let request): open.append((index, event.device, request.transfer))
            case .transferEnded(let id, _, _), .transferFailed(let id, _, _), .transferCancelled(let id, _):
                open.removeAll { $0.transfer == id && $0.device == event.device }
            // The process that sent the request has ended.
            case .processEnded, .powerCut: open.removeAll { $0.device == event.device }
            default: break
            }
        }
        return open.map(\.index)
    }

    /// Oldest first.
    func selectedEntries() -> [TimelineEntry] {
        if failure.kind == .unexpectedPass { return [] }
        let scores = events.indices.map(score)
        var chosen = chain(from: failure.wrongSinceEvent.flatMap(index(ofEvent:)))
        chosen += chain(from: scores.lastIndex { $0 >= Weight.subject }).filter { !chosen.contains($0) }
        let rest = events.indices.filter { scores[$0] > 0 && !chosen.contains($0) }
            .sorted { (scores[$0], $0) > (scores[$1], $1) }
        chosen += rest.prefix(max(0, Relevance.maxEvents - chosen.count))
        // No event is about the subject, so the last events are shown.
        if chosen.isEmpty { chosen = Array(events.indices.suffix(6)) }
        return chosen.sorted().map { entries[$0] }
    }

    var count: Int { entries.count }

    /// Number of the last visible event up to the one that made it wrong.
    var wrongSinceEvent: Int? { failure.wrongSinceEvent.flatMap(index(ofEvent:)).map { entries[$0].ordinal } }

    private func index(ofEvent number: Int) -> Int? { events.lastIndex { $0.ordinal <= number } }

    /// The event and its causes.
    private func chain(from index: Int?) -> [Int] {
        guard var index else { return [] }
        var chain = [index]
        while chain.count < Relevance.maxChainLength, let cause = entries[index].cause,
            let next = events.firstIndex(where: { $0.ordinal == cause }), next < index
        {
            chain.append(next)
            index = next
        }
        return chain
    }

    // MARK: - Weights

    private enum Weight {
        static let mention = 1
        static let disturbance = 2
        static let subject = 3
        /// A log entry gives the reason, a status only the state.
        static let reason = 4
    }

    private func score(_ index: Int) -> Int {
        let kind = events[index].kind
        if isRepeated(index) { return 0 }
        var score = isSubject(kind) ? Weight.subject : 0
        if score > 0, case .log = kind { score = Weight.reason }
        if score == 0, kind.isDisturbance || unanswered.contains(index) { score = Weight.disturbance }
        if score == 0, !kind.isUpdaterReport { return 0 }
        if mentions(entries[index].text) { score += Weight.mention }
        return score
    }

    /// Whether it is a status equal to the previous one.
    private func isRepeated(_ index: Int) -> Bool {
        guard case .status = events[index].kind else { return false }
        let previous = events[..<index].lastIndex { if case .status = $0.kind { true } else { false } }
        return previous.map { entries[$0].text == entries[index].text } ?? false
    }

    private func mentions(_ text: String) -> Bool {
        guard !versions.isEmpty else { return false }
        let words = text.split { !($0.isLetter || $0.isNumber || "._-+".contains($0)) }
        return words.contains { word in versions.contains { $0 == word } }
    }

    private func isSubject(_ kind: TraceEvent.Kind) -> Bool {
        switch failure.kind {
        case .expectation: parts.contains { Relevance.concerns(kind, $0) }
        case .invariant: Relevance.concerns(kind, rule: failure.rule ?? "")
        case .liveness: Relevance.concerns(kind, "running") || Relevance.concerns(kind, "pending")
        case .trigger, .unexpectedPass, .bound, .boundedStep, .determinism, .workerDied, .wallLimit:
            kind.isDisturbance
        }
    }

    private static let subjects = [
        "pending", "blacklist", "blame", "parked", "stored", "log", "requests", "answers", "fetched", "bytes",
        "outcomes", "screen", "progress", "process", "port", "messages", "replies", "cookies", "storage",
        "running",
        "page", "started", "starts", "confirmed", "reloads", "switches",
    ]

    /// Whether an event is about a part of an expectation.
    /// - Parameter part: as in ``Failure/parts``.
    static func concerns(_ kind: TraceEvent.Kind, _ part: String) -> Bool {
        switch String(part.prefix { $0 != " " }) {
        case "pending", "last", "blacklist", "blame", "parked", "stored", "log": return kind.isUpdaterReport
        case "requests", "answers", "fetched", "bytes": return kind.isRequest(about: part)
        case "outcomes": if case .outcomes = kind { return true } else { return false }
        case "white", "screen", "progress": return kind.isScreen
        case "process", "port": return kind.isProcess
        case "messages", "replies": if case .messageDelivered = kind { return true } else { return false }
        case "cookies", "storage": if case .called = kind { return true } else { return kind.isPage }
        default: return kind.isPage || kind.isStartLog
        }
    }

    private static func concerns(_ kind: TraceEvent.Kind, rule: String) -> Bool {
        switch rule.first {
        case "S": if case .pageReceived = kind { return true } else { return kind.isPage }
        case "U": return kind.isRequest(about: "") || kind.isUpdaterReport
        case "T" where rule == "T4": return kind.isScreen || kind.isPage
        default: return kind.isUpdaterReport || kind.isProcess
        }
    }
}

extension TraceEvent.Kind {
    /// Whether it is a disturbance from outside, or the end of a process or a page.
    fileprivate var isDisturbance: Bool {
        switch self {
        case .faultApplied, .powerCut, .damaged, .processEnded, .webProcessDied, .boundExceeded, .deployed,
            .deployedFor, .recalled, .pageFailed, .callsOnStoppedDisk, .raceGivenUp, .actionDidNothing:
            true
        default: false
        }
    }

    /// Whether the updater reports its state.
    fileprivate var isUpdaterReport: Bool {
        switch self {
        case .status, .log: true
        default: false
        }
    }

    fileprivate var isStartLog: Bool {
        guard case .log(let entry) = self else { return false }
        return entry.cause.rawValue.hasPrefix("start") || entry.cause.rawValue == "rescued"
    }

    fileprivate var isPage: Bool {
        switch self {
        case .pageLoad, .pageReady, .pageFailed, .webProcessDied, .navigation: true
        case .screen(let screen): if case .loading = screen { false } else { true }
        default: false
        }
    }

    fileprivate var isScreen: Bool {
        switch self {
        case .screen, .whiteBegan, .whiteEnded, .contentShown, .launched: true
        default: false
        }
    }

    fileprivate var isProcess: Bool {
        switch self {
        case .launched, .processEnded, .powerCut, .foregrounded, .backgrounded, .suspended, .resumed,
            .listening:
            true
        default: false
        }
    }

    /// - Parameter part: `requests for /app.js` means only those.
    fileprivate func isRequest(about part: String) -> Bool {
        switch self {
        case .requestSent(let request):
            switch request.kind {
            case .manifest: return part.contains("manifest") || !part.contains(" for ")
            case .outcomes: return part.contains("outcomes") || !part.contains(" for ")
            case .file(let route): return !part.contains("/") || part.contains("\(route)")
            }
        case .transferFailed, .transferCancelled: return true
        default: return false
        }
    }
}
