import Core
import Oracle
import ScenarioLanguage

/// Adds to failures what explains them. A run that passes costs nothing here.
extension ScenarioRunner {
    /// The failures, each with its relevant events and the lines of the file above the one that it points
    /// at.
    package func explained<RunBackend>(
        _ found: [FoundFailure], _ run: ScenarioRun<RunBackend>, _ all: [TimelineEntry]
    ) -> [Failure] {
        guard !found.isEmpty else { return [] }
        let known = all.map(\.ordinal)
        var index = 0
        let events = run.backend.trace.filter { event in
            while index < known.count, known[index] < event.ordinal { index += 1 }
            return index < known.count && known[index] == event.ordinal
        }
        guard events.count == all.count else { return found.map(\.failure) }
        let versions = run.plan.scenario.versions.map(\.name.value)
        return found.map { found in
            var found = found
            if found.failure.kind == .liveness { pointAtDeploy(&found, run) }
            let relevance = Relevance(found, events: events, entries: all, versions: versions)
            found.failure.lastEvents = relevance.selectedEntries()
            found.failure.wrongSinceEvent = relevance.wrongSinceEvent
            found.failure.eventsSoFar = relevance.count
            found.failure.context = context(of: found.failure, run)
            return found.failure
        }
    }

    /// A failure of liveness points at the step that deployed the version that was not reached.
    private func pointAtDeploy<RunBackend>(_ found: inout FoundFailure, _ run: ScenarioRun<RunBackend>) {
        // The first version is the one that the device should run.
        guard found.failure.step == nil, let expected = found.subject.versions.first else { return }
        let events = run.backend.trace
        let index = events.lastIndex { event in
            switch event.kind {
            case .deployed(let version, _, _, _, _, _): version == expected
            case .deployedFor(_, let version, _, _): version == expected
            default: false
            }
        }
        guard let index else { return }
        found.failure.wrongSince = events[index].at
        found.failure.wrongSinceEvent = events[index].ordinal
        found.failure.step = run.step(atEventIndex: index)
        let steps = NumberedStep.all(of: run.plan.scenario)
        if let step = steps.first(where: { $0.index == found.failure.step })?.step {
            found.failure.location = FileLocation(step.span, in: run.plan.scenario.source)
        }
    }

    /// First lines of the last acting step before the failed one, and of the failed one.
    private func context<RunBackend>(of failure: Failure, _ run: ScenarioRun<RunBackend>) -> [SourceLine] {
        guard let number = failure.step, let location = failure.location else { return [] }
        let source = run.plan.scenario.source
        let steps = NumberedStep.all(of: run.plan.scenario)
        var lines: [Int] = []
        let acting = steps.last { step in
            step.index < number && step.step.verb.acts && run.stepResults[step.index].startedAt != nil
        }
        if let acting { lines.append(source.position(of: acting.step.span.start).line) }
        if let failed = steps.first(where: { $0.index == number }) {
            lines.append(source.position(of: failed.step.span.start).line)
        }
        var shown: [SourceLine] = []
        for line in lines.sorted() where line < location.line && shown.last?.line != line {
            shown.append(SourceLine(line: line, text: source.text(ofLine: line)))
        }
        return shown
    }

    /// Performs the run once more, with device states recorded and the failed expectation evaluated after
    /// every event. The second run is used only if its digest is equal, because otherwise it would explain
    /// another run.
    package func rerunForExplanation(
        _ result: inout ScenarioResult, _ failedExpectation: FailedExpectation?, _ plan: RunPlan,
        _ prepared: Prepared?,
        recordsMoments: Bool
    ) {
        guard failedExpectation != nil || recordsMoments, result.events <= ScenarioRunner.maxEventsForRerun
        else { return }
        var runner = self
        runner.recordsMoments = recordsMoments
        runner.trackedExpectation = failedExpectation
        let again = runner.run(plan, prepared)
        guard again.digest == result.digest else { return }
        result.moments = again.moments
        // What takes two runs to see is in neither of them.
        let ofTwoRuns = result.failures.filter { [.determinism, .metamorphic].contains($0.kind) }
        result.failures = again.failures + ofTwoRuns
    }

    /// Events above which a run is not performed a second time.
    package static var maxEventsForRerun: Int { 500_000 }
}

extension Verb {
    /// Whether the step changes the origin, the network or the device; the others only wait, check or mark.
    var acts: Bool {
        switch self {
        case .wait, .settle, .expect, .always, .never, .mark, .repeat, .gap: false
        default: true
        }
    }
}

extension ScenarioRun {
    package mutating func startDeviceTimelines() {
        observer.timeline = DeviceTimeline()
        for index in otherObservers.indices { otherObservers[index].timeline = DeviceTimeline() }
        guard deviceCount > 1 else { return }
        let names = plan.scenario.devices.map(\.name.value)
        observer.timeline?.prefix = names[0] + ": "
        for index in otherObservers.indices {
            otherObservers[index].timeline?.prefix = names[index + 1] + ": "
        }
    }

    /// Recorded moments of all devices, in order.
    package var moments: [DeviceMoment] {
        let first = observer.timeline?.moments ?? []
        if otherObservers.isEmpty { return first }
        let all = first + otherObservers.flatMap { $0.timeline?.moments ?? [] }
        return all.enumerated()
            .sorted { ($0.element.lastEvent, $0.offset) < ($1.element.lastEvent, $1.offset) }
            .map(\.element)
    }
}
