import Backend
import Core
import Updater

/// Finds the event that made an expectation wrong.
///
/// An expectation is evaluated after each event of the world, and one such event can leave several trace
/// events: a failed start leaves its end, an entry of the blacklist and a rescue. Of these the one is
/// chosen with which the value can change (``ExpectationPart/changes(with:)``).
struct DecisiveEvent {
    /// The parts that are wrong.
    let parts: [ExpectationPart]
    /// Values that are there and should not be.
    private let excess: [Substring]

    init(_ mismatches: [Mismatch]) {
        parts = mismatches.map(\.part)
        excess = mismatches.flatMap(\.excess)
    }

    /// Longest time between an event and the value that it changes: the bytes by which the version of a page
    /// is known, or the record in which an entry of the log is durable.
    private static let delay = TimeSpan.seconds(5)

    /// - Parameter start: index of the first event since the expectation was right or was evaluated last.
    /// - Returns: nil if the trace is empty.
    func choose(from trace: [TraceEvent], since start: Int) -> TraceEvent? {
        let new = trace[min(start, trace.count)...]
        if let named = new.first(where: isNamedLog) { return named }
        if let event = new.first(where: { event in parts.contains { $0.changes(with: event.kind) } }) {
            return event
        }
        if let earlier = delayed(before: new.last, in: trace) { return earlier }
        let concerned = new.filter { event in parts.contains { $0.concerns(event.kind) } }
        let log = concerned.first { if case .log = $0.kind { true } else { false } }
        return log ?? concerned.first ?? trace.last
    }

    /// What came instead of that which a count or a list still lacks: the first answer to the request that
    /// the expectation names, although with another status; the first request that was forwarded; the first
    /// entry of the log about a version. Nil if there is none, or if the parts only count.
    func instead(in trace: [TraceEvent], since start: Int) -> TraceEvent? {
        trace[min(start, trace.count)...].first { event in parts.contains { $0.isInstead(event.kind) } }
    }

    /// A log entry whose cause is one that the expectation is about.
    private func isNamedLog(_ event: TraceEvent) -> Bool {
        let isAboutLog = parts.contains { part in
            switch part {
            case .log, .logOf: true
            default: false
            }
        }
        guard isAboutLog, case .log(let entry) = event.kind else { return false }
        return excess.contains { $0 == entry.cause.rawValue }
    }

    /// The event that changed the value and was visible before the value was.
    private func delayed(before event: TraceEvent?, in trace: [TraceEvent]) -> TraceEvent? {
        guard let event else { return nil }
        for earlier in trace.reversed() where earlier.ordinal <= event.ordinal {
            guard event.at - earlier.at <= DecisiveEvent.delay else { return nil }
            let isSame = earlier.device == event.device
            if isSame, parts.contains(where: { $0.changesLater(than: earlier.kind) }) { return earlier }
            if earlier.kind.endsProcessOrPage { return nil }
        }
        return nil
    }
}

extension ExpectationPart {
    /// Whether such an event can stand where the part expects another one.
    fileprivate func isInstead(_ event: TraceEvent.Kind) -> Bool {
        switch self {
        case .answers, .clientAnswers, .forwarded: changes(with: event)
        case .log, .logOf: if case .log(let entry) = event { entry.version != nil } else { false }
        default: false
        }
    }
}

extension Mismatch {
    /// Whether it only lacks something that can still come: a number is too small, or a list has not all
    /// entries that it should have.
    var isIncomplete: Bool {
        guard part.countsEvents else { return false }
        if expected.hasPrefix("to have ") { return true }
        let least = expected.hasPrefix("at least ") ? String(expected.dropFirst(9)) : expected
        guard let least = Int(least), let actual = Int(actual) else { return false }
        return actual < least
    }

    /// Values of a list that are there and should not be.
    fileprivate var excess: [Substring] {
        func words(_ text: String) -> [Substring] { text.split { $0 == " " || $0 == "," } }
        let expected = words(self.expected)
        if self.expected.hasPrefix("not to have") { return Array(expected.suffix(1)) }
        return words(actual).filter { !expected.contains($0) }
    }

    /// Whether the value is one that a start passes through: nothing is shown or confirmed yet.
    var isTransient: Bool {
        switch part {
        case .running, .namedPage: actual == "none"
        case .page, .process: ["loading", "gone"].contains(actual)
        case .screen: actual == "cover"
        default: false
        }
    }
}
