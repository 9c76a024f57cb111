import Core
import Oracle
import ScenarioLanguage

/// What makes a failure understandable, worked out when there is one: a run that passes pays nothing.
extension ScenarioRunner {
    /// The events that bear on each failure, and the lines of the file above the one that it points at.
    package func explain<RunBackend>(
        _ failures: inout [Failure], _ run: ScenarioRun<RunBackend>, _ all: [TimelineEntry]
    ) {
        guard !failures.isEmpty else { return }
        let known = all.map(\.number)
        var place = 0
        let facts = run.backend.trace.filter { fact in
            while place < known.count, known[place] < fact.number { place += 1 }
            return place < known.count && known[place] == fact.number
        }
        guard facts.count == all.count else { return }
        let versions = run.plan.scenario.versions.map(\.name.value)
        for index in failures.indices {
            if failures[index].kind == .liveness { owe(&failures[index], run, versions) }
            let relevance = Relevance(failures[index], facts: facts, entries: all, versions: versions)
            failures[index].lastEvents = relevance.events()
            failures[index].wrongSinceEvent = relevance.turn
            failures[index].eventsSoFar = relevance.count
            failures[index].context = context(of: failures[index], run)
        }
    }

    /// A version is owed from when it was deployed: that step is what the failure points at.
    private func owe<RunBackend>(
        _ failure: inout Failure, _ run: ScenarioRun<RunBackend>, _ versions: [String]
    ) {
        let words = failure.expected.flatMap {
            $0.split { !($0.isLetter || $0.isNumber || "._-".contains($0)) }
        }
        let facts = run.backend.trace
        let place = facts.lastIndex { fact in
            switch fact.kind {
            case .deployed(let version?, _, _, _, _):
                versions.contains(version) && words.contains { $0 == version }
            case .deployedFor(_, let version, _, _): words.contains { $0 == version }
            default: false
            }
        }
        guard let place, failure.step == nil else { return }
        failure.wrongSince = facts[place].at
        failure.wrongSinceEvent = facts[place].number
        failure.step = run.step(ofPlace: place)
        let steps = NumberedStep.all(of: run.plan.scenario)
        if let step = steps.first(where: { $0.number == failure.step })?.step {
            failure.place = SourcePlace(step.span, in: run.plan.scenario.source)
        }
    }

    /// The step that acted last before the failed one, and where that one begins.
    private func context<RunBackend>(of failure: Failure, _ run: ScenarioRun<RunBackend>) -> [SourceLine] {
        guard let number = failure.step, let place = failure.place else { return [] }
        let source = run.plan.scenario.source
        let steps = NumberedStep.all(of: run.plan.scenario)
        var lines: [Int] = []
        let acting = steps.last { step in
            step.number < number && step.step.verb.acts && run.rows[step.number].startedAt != nil
        }
        if let acting { lines.append(source.position(of: acting.step.span.start).line) }
        if let failed = steps.first(where: { $0.number == number }) {
            lines.append(source.position(of: failed.step.span.start).line)
        }
        var shown: [SourceLine] = []
        for line in lines.sorted() where line < place.line && shown.last?.line != line {
            shown.append(SourceLine(line: line, text: source.text(ofLine: line)))
        }
        return shown
    }

    /// The run once more: with what was on the device written down moment by moment, and with the failed
    /// expectation asked after every event. The same plan runs the same way; if it does not, another run's
    /// story would be told, and none is.
    package func lookAgain(
        _ result: inout ScenarioResult, _ missed: Probe?, _ plan: RunPlan, _ prepared: Prepared?,
        tellsMoments: Bool
    ) {
        guard missed != nil || tellsMoments, result.events <= ScenarioRunner.mostEventsTwice else { return }
        var runner = self
        runner.tellsMoments = tellsMoments
        runner.probe = missed
        let again = runner.run(plan, prepared)
        guard again.digest == result.digest else { return }
        result.moments = again.moments
        result.failures = again.failures + result.failures.filter { $0.kind == .determinism }
    }

    /// A run of more events is not made a second time.
    package static var mostEventsTwice: Int { 500_000 }
}

extension Verb {
    /// It does something to the origin, the network, the device; the others look, wait or are marks.
    fileprivate var acts: Bool {
        switch self {
        case .wait, .settle, .expect, .always, .never, .mark, .repeat: false
        default: true
        }
    }
}

extension ScenarioRun {
    package mutating func beginChronicles() {
        watch.chronicle = DeviceTimeline()
        for place in others.indices { others[place].chronicle = DeviceTimeline() }
        guard deviceCount > 1 else { return }
        let names = plan.scenario.devices.map(\.name.value)
        watch.chronicle?.prefix = names[0] + ": "
        for place in others.indices { others[place].chronicle?.prefix = names[place + 1] + ": " }
    }

    /// Of all devices, in order.
    package var moments: [DeviceMoment] {
        let first = watch.chronicle?.moments ?? []
        if others.isEmpty { return first }
        let all = first + others.flatMap { $0.chronicle?.moments ?? [] }
        return all.enumerated()
            .sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }
            .map(\.element)
    }
}
