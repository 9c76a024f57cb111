import Core
import Oracle
import ScenarioLanguage

/// Adds failures to the run: which step, round and command belong to each.
extension ScenarioRun {
    package mutating func fail(_ finding: CheckerList.Finding, on device: Int) {
        let name = deviceCount > 1 ? plan.scenario.devices[device].name.value + ": " : ""
        var failure = Failure(
            kind: .invariant, headline: name + finding.violation.headline, at: finding.at)
        failure.rule = finding.rule
        failure.identity.clause = finding.violation.clause
        failure.identity.pattern = finding.violation.pattern
        failure.help = "otalab help \(finding.violation.clause ?? finding.rule) says what must hold"
        failure.differences = [
            Difference(expected: finding.violation.expected, actual: finding.violation.actual)
        ]
        if let step = step(at: finding) {
            failure.step = step
            let numbered = NumberedStep.all(of: plan.scenario).first { $0.index == step }
            failure.location = numbered.map { FileLocation($0.step.verbSpan, in: plan.scenario.source) }
        }
        failure.wrongSince = finding.at
        // A change of the store or passed time showed it: the last event before.
        var event = backend.trace.last { $0.at <= finding.at }
        if let ordinal = finding.eventOrdinal { event = backend.trace.last { $0.ordinal == ordinal } }
        let versions = finding.violation.versions
        if let shown = event, shown.at == finding.at,
            let decided = Decision(about: versions, formatter.names).behind(shown, in: backend.trace)
        {
            event = decided
            failure.wrongSince = decided.at
        }
        add(
            failure, about: FailureSubject(versions: versions),
            causedBy: event?.ordinal ?? finding.eventOrdinal)
    }

    private func step(at finding: CheckerList.Finding) -> Int? {
        let events = backend.trace
        let index = events.firstIndex { $0.ordinal >= (finding.eventOrdinal ?? .max) || $0.at > finding.at }
        return step(atEventIndex: index ?? events.count)
    }

    /// The step during which the event with this index in the trace happened; nil after the last step.
    package func step(atEventIndex index: Int) -> Int? {
        stepStarts.last { $0.index <= index }.flatMap(\.step)
    }

    package var failures: [Failure] { found.map(\.failure) }

    /// - Parameter event: number of the trace event that made it wrong, if it is known.
    package mutating func add(
        _ failure: Failure, about subject: FailureSubject, causedBy event: Int? = nil
    ) {
        var failure = failure
        if !rounds.isEmpty {
            failure.round = rounds.map { "\($0.ordinal) of \($0.count)" }.joined(separator: ", ")
        }
        if let event { failure.wrongSinceEvent = event }
        if failure.wrongSince == backend.now, failure.wrongSinceEvent == nil {
            failure.wrongSinceEvent = backend.trace.last?.ordinal
        }
        failure.reproduction = Reproduction.command(plan)
        if failure.kind == .expectation || failure.kind == .trigger {
            failure.identity.course = FailureCourse.of(
                subject, in: backend.trace, until: failure.at, of: plan.scenario, formatter.names)
        }
        found.append(FoundFailure(failure, about: subject))
    }
}
