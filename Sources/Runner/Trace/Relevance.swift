import Backend
import Core
import Updater

/// Which of all events a person needs to see why something is wrong.
///
/// In this order: what made it wrong, with what led to that; the last event of the things that the failure
/// names, with what led to it; then what else concerns them, names a version that the failure names, strikes
/// the device from outside (faults, power cuts, ends of processes), or was asked and never answered, the last
/// ones first. Never simply the last ones: those are mostly a page fetching its pictures.
struct Relevance {
    /// So many are shown.
    static let most = 12
    /// So far back a chain of causes is followed.
    static let depth = 5

    private let failure: Failure
    private let facts: [TraceEvent]
    private let entries: [TimelineEntry]
    private let versions: [String]
    /// What the failure is about; where it does not say, every word of it may be a name of something.
    private let parts: [String]
    /// Places of requests that have had no answer by then: what waits for one leaves no other trace.
    private let unanswered: [Int]

    /// - Parameters:
    ///   - facts: in order, those that a person sees.
    ///   - entries: one for each of them.
    init(_ failure: Failure, facts: [TraceEvent], entries: [TimelineEntry], versions: [String]) {
        self.failure = failure
        let end = facts.firstIndex { $0.at > failure.at } ?? facts.count
        self.facts = Array(facts[..<end])
        self.entries = Array(entries[..<end])
        let headline = failure.headline.split { !$0.isLetter }.map(String.init)
        parts = failure.parts.isEmpty ? headline.filter(Relevance.subjects.contains) : failure.parts
        let words = ([failure.headline] + failure.expected + failure.actual)
            .flatMap { $0.split { !($0.isLetter || $0.isNumber || "._-+".contains($0)) } }
        self.versions = versions.filter { version in words.contains { $0 == version } }
        unanswered = Relevance.unanswered(self.facts)
    }

    private static func unanswered(_ facts: [TraceEvent]) -> [Int] {
        var open: [(place: Int, device: Int, transfer: TransferID)] = []
        for (place, fact) in facts.enumerated() {
            switch fact.kind {
            case .requestSent(let request): open.append((place, fact.device, request.transfer))
            case .transferEnded(let id, _, _), .transferFailed(let id, _, _), .transferCancelled(let id, _):
                open.removeAll { $0.transfer == id && $0.device == fact.device }
            // The process that asked is gone.
            case .processEnded, .powerCut: open.removeAll { $0.device == fact.device }
            default: break
            }
        }
        return open.map(\.place)
    }

    /// Oldest first.
    func events() -> [TimelineEntry] {
        if failure.kind == .unexpectedPass { return [] }
        let scores = facts.indices.map(score)
        var chosen = chain(from: failure.wrongSinceEvent.flatMap(place))
        chosen += chain(from: scores.lastIndex { $0 >= Weight.subject }).filter { !chosen.contains($0) }
        let rest = facts.indices.filter { scores[$0] > 0 && !chosen.contains($0) }
            .sorted { (scores[$0], $0) > (scores[$1], $1) }
        chosen += rest.prefix(max(0, Relevance.most - chosen.count))
        // Nothing speaks of it: the end of the story is all there is to show.
        if chosen.isEmpty { chosen = Array(facts.indices.suffix(6)) }
        return chosen.sorted().map { entries[$0] }
    }

    var count: Int { entries.count }

    /// What made it wrong, as far as a person sees it.
    var turn: Int? { failure.wrongSinceEvent.flatMap(place).map { entries[$0].number } }

    private func place(_ number: Int) -> Int? { facts.lastIndex { $0.number <= number } }

    /// It and what led to it; what a person does not see is passed over.
    private func chain(from place: Int?) -> [Int] {
        guard var place else { return [] }
        var chain = [place]
        while chain.count < Relevance.depth, let cause = entries[place].cause,
            let next = facts.firstIndex(where: { $0.number == cause }), next < place
        {
            chain.append(next)
            place = next
        }
        return chain
    }

    // MARK: - Weights

    private enum Weight {
        static let mention = 1
        static let blow = 2
        static let subject = 3
        /// What the updater logged says why; its status only what.
        static let reason = 4
    }

    private func score(_ place: Int) -> Int {
        let kind = facts[place].kind
        if isRepeated(place) { return 0 }
        var score = isSubject(kind) ? Weight.subject : 0
        if score > 0, case .log = kind { score = Weight.reason }
        if score == 0, kind.isBlow || unanswered.contains(place) { score = Weight.blow }
        if score == 0, !kind.isOwnTelling { return 0 }
        if mentions(entries[place].text) { score += Weight.mention }
        return score
    }

    /// A status that says what the one before it said.
    private func isRepeated(_ place: Int) -> Bool {
        guard case .status = facts[place].kind else { return false }
        let former = facts[..<place].lastIndex { if case .status = $0.kind { true } else { false } }
        return former.map { entries[$0].text == entries[place].text } ?? false
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
            kind.isBlow
        }
    }

    private static let subjects = [
        "pending", "blacklist", "blame", "parked", "stored", "log", "requests", "answers", "fetched", "bytes",
        "outcomes", "screen", "progress", "process", "port", "messages", "replies", "cookies", "storage",
        "running",
        "page", "started", "starts", "confirmed", "reloads", "switches",
    ]

    /// - Parameter part: of an expectation, as ``Failure/parts`` has it.
    static func concerns(_ kind: TraceEvent.Kind, _ part: String) -> Bool {
        switch String(part.prefix { $0 != " " }) {
        case "pending", "last", "blacklist", "blame", "parked", "stored", "log": return kind.isOwnTelling
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
        case "U": return kind.isRequest(about: "") || kind.isOwnTelling
        case "T" where rule == "T4": return kind.isScreen || kind.isPage
        default: return kind.isOwnTelling || kind.isProcess
        }
    }
}

extension TraceEvent.Kind {
    /// From outside, or the end of something.
    fileprivate var isBlow: Bool {
        switch self {
        case .faultApplied, .powerCut, .damaged, .processEnded, .webProcessDied, .boundExceeded, .deployed,
            .deployedFor, .recalled, .pageFailed, .callsOnStoppedDisk, .raceGivenUp, .actionDidNothing:
            true
        default: false
        }
    }

    /// What the updater says of itself.
    fileprivate var isOwnTelling: Bool {
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
