import Backend
import Core
import Updater

/// Selects the events that a reader needs to understand a failure.
///
/// In this order: the event that made it wrong, with its causes; the last event about the failure's subject,
/// with its causes; the latest disturbances (faults, refusals, power cuts, ends of processes, requests
/// without an answer), whatever they are about; then other events about the subject and events that name a
/// version of the failure, the latest first. Of events that differ in numbers alone, such as those of
/// progress, the first and the last count. The last events of a run alone would not help, because most of
/// them are a page loading its images.
struct Relevance {
    /// Limit of the selected events.
    static let maxEvents = 12
    /// Limit of the length of a chain of causes.
    static let maxChainLength = 5
    /// Number of disturbances that are selected before other events about the subject.
    static let maxDisturbances = 4

    private let failure: Failure
    private let parts: [ExpectationPart]
    private let events: [TraceEvent]
    private let entries: [TimelineEntry]
    /// Versions of the scenario that the failure names.
    private let versions: [String]
    /// Indices of requests without an answer. A wait for an answer leaves no other event.
    private let unanswered: [Int]

    /// - Parameters:
    ///   - events: visible events in order.
    ///   - entries: timeline entries, one for each event.
    ///   - versions: names of all versions of the scenario.
    init(_ found: FoundFailure, events: [TraceEvent], entries: [TimelineEntry], versions: [String]) {
        failure = found.failure
        parts = found.subject.parts
        self.versions = versions.filter(found.subject.versions.contains)
        let end = events.firstIndex { $0.at > found.failure.at } ?? events.count
        self.events = Array(events[..<end])
        self.entries = Array(entries[..<end])
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
        // A limit was reached: what happened again and again is at the end.
        if failure.kind == .bound { return Array(entries.suffix(Relevance.maxEvents)) }
        let repeated = repeatedIndices()
        let scores = events.indices.map { repeated.contains($0) ? 0 : score($0) }
        var chosen = chain(from: failure.wrongSinceEvent.flatMap(index(ofEvent:)))
        chosen += chain(from: scores.lastIndex { $0 >= Weight.subject }).filter { !chosen.contains($0) }
        func add(_ candidates: [Int], limit: Int) {
            let free = min(limit, Relevance.maxEvents - chosen.count)
            chosen += candidates.filter { !chosen.contains($0) }.prefix(max(0, free))
        }
        let disturbances = events.indices.filter { scores[$0] > 0 && isDisturbance($0) }
        add(disturbances.reversed(), limit: Relevance.maxDisturbances)
        let rest = events.indices.filter { scores[$0] > 0 }
        add(rest.sorted { (scores[$0], $0) > (scores[$1], $1) }, limit: Relevance.maxEvents)
        // No event is about the subject, so the last events are shown.
        if chosen.isEmpty { chosen = Array(events.indices.suffix(6)) }
        return chosen.sorted().map { entries[$0] }
    }

    /// Indices of events like an earlier and a later one: their texts differ in numbers alone.
    private func repeatedIndices() -> Set<Int> {
        var previous: [String: Int] = [:]
        var seen: Set<String> = []
        var repeated: Set<Int> = []
        for index in events.indices {
            let text = Relevance.withoutCounts(entries[index].text)
            let key = "\(entries[index].lane.rawValue) \(mentions(entries[index].text)) \(text)"
            if let last = previous[key], seen.contains(key) { repeated.insert(last) }
            if previous[key] != nil { seen.insert(key) }
            previous[key] = index
        }
        return repeated
    }

    /// The text without its numbers, except for those of three digits, such as the status of an answer.
    private static func withoutCounts(_ text: String) -> String {
        var kept = ""
        var digits = ""
        for character in text + " " {
            if character.isNumber {
                digits.append(character)
                continue
            }
            if digits.count == 3, kept.last != "#" { kept += digits }
            digits = ""
            kept.append(character)
        }
        return kept
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
        if score == 0, isDisturbance(index) { score = Weight.disturbance }
        if score == 0, !kind.isUpdaterReport { return 0 }
        if mentions(entries[index].text) { score += Weight.mention }
        return score
    }

    private func isDisturbance(_ index: Int) -> Bool {
        events[index].kind.isDisturbance || unanswered.contains(index)
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
        case .expectation: parts.contains { $0.concerns(kind) }
        case .invariant: Relevance.concerns(kind, rule: failure.rule ?? "")
        case .liveness: ExpectationPart.running.concerns(kind) || ExpectationPart.pending.concerns(kind)
        case .trigger where !parts.isEmpty: parts.contains { $0.concerns(kind) }
        case .trigger, .unexpectedPass, .bound, .boundedStep, .determinism, .metamorphic, .workerDied,
            .wallLimit:
            kind.isDisturbance
        }
    }

    private static func concerns(_ kind: TraceEvent.Kind, rule: String) -> Bool {
        if rule == "T4" { return kind.isScreen || kind.isPage }
        if rule == "T2", case .messageDelivered = kind { return true }
        return switch Rule.Chapter(of: rule) {
        case .serving: if case .pageReceived = kind { true } else { kind.isPage }
        case .updating: kind.isRequest(.all) || kind.isOffer || kind.isUpdaterReport
        case .recovery, .native, .telling, .any, nil: kind.isUpdaterReport || kind.isProcess
        }
    }
}
