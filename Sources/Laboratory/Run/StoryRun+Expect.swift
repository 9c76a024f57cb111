import Core
import ScenarioLanguage
import World

extension StoryRun {
    mutating func expect(_ spec: ExpectStep, _ numbered: NumberedStep) {
        let begun = world.now
        if let span = spec.throughout?.value {
            expectThroughout(spec, numbered, from: begun, to: begun + span)
        } else if let span = spec.within?.value {
            expectWithin(spec, numbered, from: begun, to: begun + span)
        } else {
            let misses = mismatches(spec)
            if !misses.isEmpty { fail(misses, spec, numbered, wrongSince: nil, from: nil) }
        }
    }

    private mutating func expectWithin(
        _ spec: ExpectStep, _ numbered: NumberedStep, from begun: Instant, to end: Instant
    ) {
        var misses = mismatches(spec)
        if misses.isEmpty { return }
        var wrongSince = begun
        var former = misses
        var seen = watch.changes
        var seenMajor = watch.majorChanges
        var running = world.running(on: 0)
        let isNarrow = !spec.expectation.countsTraffic
        let holds = pass(until: end) { run in
            if run.watch.changes == seen { return false }
            seen = run.watch.changes
            if isNarrow, run.watch.majorChanges == seenMajor {
                let now = run.world.running(on: 0)
                if now == running { return false }
                running = now
            }
            seenMajor = run.watch.majorChanges
            misses = run.mismatches(spec)
            if misses.map(\.part) != former.map(\.part) { wrongSince = run.world.now }
            former = misses
            return misses.isEmpty
        }
        // Given up at a bound: nothing is known of what would have come.
        if holds || crash.hasStruck || exhausted != nil { return }
        // What only passing time decides is looked at once more when the time is over.
        misses = mismatches(spec)
        if misses.isEmpty { return }
        fail(misses, spec, numbered, wrongSince: wrongSince, from: begun)
    }

    private mutating func expectThroughout(
        _ spec: ExpectStep, _ numbered: NumberedStep, from begun: Instant, to end: Instant
    ) {
        func wrong(_ run: StoryRun) -> [Mismatch] {
            guard run.isTrue(spec.during?.value) else { return [] }
            return run.mismatches(spec)
        }
        var misses = wrong(self)
        if misses.isEmpty {
            _ = pass(until: end) { run in
                misses = wrong(run)
                return !misses.isEmpty
            }
        }
        if misses.isEmpty, !isOver { misses = wrong(self) }
        if misses.isEmpty { return }
        fail(misses, spec, numbered, wrongSince: world.now, from: begun)
    }

    private func isTrue(_ condition: DuringCondition?) -> Bool {
        guard let condition else { return true }
        let view = world.view(of: 0)
        switch condition {
        case .pageInUse: return view.isInUse
        case .appInFront: return view.process != nil && view.isInForeground
        case .offline: return view.network == .offline
        }
    }

    func mismatches(_ spec: ExpectStep) -> [Mismatch] {
        ExpectationJudge.judge(
            spec.expectation,
            Observation(
                view: world.view(of: 0), scene: watch.scene, store: watch.view, facts: world.facts,
                counted: place(since: spec.since?.value), isSinceSaid: spec.since != nil))
    }

    private func place(since: Since?) -> Int {
        switch since {
        case nil: sinceAction
        case .start: 0
        case .verb(let verb): sinceVerb.first { $0.verb == verb }?.place ?? 0
        case .mark(let name): sinceMark.first { $0.name == name }?.place ?? 0
        case .step(let name): sinceStep.first { $0.name == name }?.place ?? 0
        }
    }

    // MARK: - Failures

    private mutating func fail(
        _ misses: [Mismatch], _ spec: ExpectStep, _ numbered: NumberedStep, wrongSince: Instant?,
        from begun: Instant?
    ) {
        let parts = misses.map { "\($0.part): expected \($0.expected), found \($0.actual)" }
        var failure = Failure(
            kind: .expectation, headline: parts.joined(separator: "; "), at: world.now)
        failure.step = numbered.number
        failure.place = misses.first.map { SourcePlace($0.span, in: plan.scenario.source) }
        failure.parts = misses.map(\.part)
        failure.expected = misses.map { "\($0.part) \($0.expected)" }
        failure.actual = misses.map { "\($0.part) \($0.actual)" }
        failure.because = numbered.step.because?.value
        failure.wrongSince = wrongSince
        failure.waitedFrom = begun
        failure.waitedTo = begun == nil ? nil : world.now
        add(failure)
        isOver = true
    }

    mutating func fail(_ finding: CheckerList.Finding) {
        var failure = Failure(kind: .invariant, headline: finding.violation.headline, at: finding.at)
        failure.rule = finding.rule
        failure.expected = [finding.violation.expected]
        failure.actual = [finding.violation.actual]
        if let step = step(at: finding) {
            failure.step = step
            let numbered = NumberedStep.all(of: plan.scenario).first { $0.number == step }
            failure.place = numbered.map { SourcePlace($0.step.verbSpan, in: plan.scenario.source) }
        }
        add(failure, upTo: finding.fact)
    }

    private func step(at finding: CheckerList.Finding) -> Int? {
        let facts = world.facts
        let place = facts.firstIndex { $0.number >= (finding.fact ?? .max) || $0.at > finding.at }
        return step(ofPlace: place ?? facts.count)
    }

    func step(ofPlace place: Int) -> Int? { stepBegins.last { $0.place <= place }.flatMap(\.step) }

    mutating func add(_ failure: Failure, upTo fact: Int? = nil) {
        var failure = failure
        if let fact { failure.wrongSinceEvent = fact }
        failure.reproduction = Reproduction.command(plan)
        failures.append(failure)
    }
}

extension Expectation {
    /// Part of it looks at single requests and answers, or at what time alone decides.
    fileprivate var countsTraffic: Bool {
        fetched != nil || requests != nil || answers != nil || bytes != nil || reloads != nil
            || switches != nil || outcomes != nil || log != nil || whiteTime != nil || progress != nil
    }
}
