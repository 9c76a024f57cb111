import Backend
import Core
import ScenarioLanguage

/// A limit of a run that a flag of `otalab run` has set.
struct RunLimit {
    /// The flag with its value: `--max-events 1000`.
    let flag: String

    /// Nil if the limit is that of the file or the default one.
    init?(_ exhausted: Exhaustion, in scenario: Scenario) {
        // A limit of a flag has the span of the title (``ScenarioSuite/bounded(_:_:)``).
        let title = scenario.title.span
        switch exhausted {
        case .events(let count):
            guard scenario.limits.events?.span == title else { return nil }
            flag = "--max-events \(count)"
        case .virtualTime:
            guard let limit = scenario.limits.virtualTime, limit.span == title else { return nil }
            flag = "--max-virtual-time \(RunLimit.text(limit.value))"
        case .steps, .noProgress, .unsettled, .other: return nil
        }
    }

    /// The time in the largest unit of the flag that says it exactly.
    private static func text(_ span: TimeSpan) -> String {
        let units: [(name: String, length: Int64)] = [
            ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000),
        ]
        let unit = units.first { span.microseconds % $0.length == 0 }
        return unit.map { "\(span.microseconds / $0.length)\($0.name)" } ?? "\(span.microseconds / 1_000)ms"
    }
}

extension Exhaustion {
    /// Whether the app never comes to rest, and does nothing.
    var isBusyLoop: Bool { if case .noProgress = self { true } else { false } }

    /// What to do about it; nil if that is not known.
    /// - Parameter flag: the flag that has set the limit.
    func help(flag: String?) -> String? {
        switch self {
        case .events, .virtualTime:
            flag.map { "it is the limit of the flag \($0): raise it, or leave the flag out" }
                ?? "raise it in the file: limits: { events: 5000000, virtualTime: \"72h\" }"
        case .steps: "repeat less, or make several scenarios of it"
        case .noProgress:
            "the app answers each event with another one at the same instant: look at the last events; if"
                + " nothing in the scenario asks for that, it is a defect of the app"
        case .unsettled:
            "something goes on for ever: a retry, a user who types, a page that keeps asking. End it before"
                + " settle, or write { wait: \"10m\" } in its place"
        case .other: nil
        }
    }
}
