import Core
import Oracle
import ScenarioLanguage

extension ScenarioRun {
    package mutating func expect(_ spec: ExpectStep, _ numbered: NumberedStep) {
        let begun = backend.now
        if let span = spec.throughout?.value {
            expectThroughout(spec, numbered, from: begun, to: begun + span)
        } else if let span = spec.within?.value {
            expectWithin(spec, numbered, from: begun, to: begun + span)
        } else {
            let misses = mismatches(spec, on: device(of: numbered.step))
            if !misses.isEmpty { fail(misses, spec, numbered, wrongSince: nil, from: nil) }
        }
    }

    private mutating func expectWithin(
        _ spec: ExpectStep, _ numbered: NumberedStep, from begun: Instant, to end: Instant
    ) {
        let device = device(of: numbered.step)
        var misses = mismatches(spec, on: device)
        if misses.isEmpty { return }
        var wrongSince = begun
        var former = misses
        var (seen, seenMajor) = changes(on: device)
        var running = backend.running(on: device)
        let isNarrow = !spec.expectation.countsTraffic
        let holds = pass(until: end) { run in
            let (changes, majorChanges) = run.changes(on: device)
            if changes == seen { return false }
            seen = changes
            if isNarrow, majorChanges == seenMajor {
                let now = run.backend.running(on: device)
                if now == running { return false }
                running = now
            }
            seenMajor = majorChanges
            misses = run.mismatches(spec, on: device)
            if misses.map(\.part) != former.map(\.part) { wrongSince = run.backend.now }
            former = misses
            return misses.isEmpty
        }
        // Given up at a bound: nothing is known of what would have come.
        if holds || crash.hasStruck || isOver { return }
        // What only passing time decides is looked at once more when the time is over.
        misses = mismatches(spec, on: device)
        if misses.isEmpty { return }
        fail(misses, spec, numbered, wrongSince: wrongSince, from: begun)
    }

    private mutating func expectThroughout(
        _ spec: ExpectStep, _ numbered: NumberedStep, from begun: Instant, to end: Instant
    ) {
        let device = device(of: numbered.step)
        func wrong(_ run: inout ScenarioRun) -> [Mismatch] {
            guard run.isTrue(spec.during?.value, on: device) else { return [] }
            return run.mismatches(spec, on: device)
        }
        var misses = wrong(&self)
        if misses.isEmpty {
            _ = pass(until: end) { run in
                misses = wrong(&run)
                return !misses.isEmpty
            }
        }
        if misses.isEmpty, !isOver { misses = wrong(&self) }
        if misses.isEmpty { return }
        fail(misses, spec, numbered, wrongSince: backend.now, from: begun)
    }

    /// Counts of what happened on a device, as ``RunObserver`` keeps them.
    package func changes(on device: Int) -> (all: Int, major: Int) {
        device == 0
            ? (watch.changes, watch.majorChanges)
            : (others[device - 1].changes, others[device - 1].majorChanges)
    }

    package func isTrue(_ condition: DuringCondition?, on device: Int) -> Bool {
        guard let condition else { return true }
        let view = backend.view(of: device)
        switch condition {
        case .pageInUse: return view.isInUse
        case .appInFront: return view.process != nil && view.isInForeground
        case .offline: return view.network == .offline
        }
    }

    private mutating func mismatches(_ spec: ExpectStep, on device: Int) -> [Mismatch] {
        mismatches(
            spec.expectation, since: moment(of: spec.since?.value), isSinceSaid: spec.since != nil, on: device
        )
    }

    package mutating func mismatches(
        _ expectation: Expectation, since: Moment, isSinceSaid: Bool, on device: Int
    ) -> [Mismatch] {
        var facts = backend.trace
        // Whoever asks what was right before that moment has fewer facts than it.
        var counted = min(since.place, facts.count)
        if deviceCount > 1 {
            counted = facts[..<counted].count { $0.device == device || $0.device < 0 }
            facts.removeAll { $0.device != device && $0.device >= 0 }
        }
        let (observed, store) =
            device == 0
            ? (watch.observed, watch.view) : (others[device - 1].observed, others[device - 1].view)
        var observation = Observation(
            view: backend.view(of: device), observed: observed, store: store, facts: facts,
            counted: counted, isSinceSaid: isSinceSaid, passed: backend.now - since.at)
        if expectation.cookies != nil || expectation.storage != nil {
            (observation.cookies, observation.storage) = backend.webStorage(of: device)
        }
        if expectation.storedFiles != nil {
            if contents == nil { contents = storedNames }
            observation.contents = contents
        }
        return ExpectationEvaluator.judge(expectation, observation)
    }

    private var storedNames: StoredNames {
        StoredNames(
            watch.observed.versions.enumerated().map {
                ($0.element.name, backend.files(ofVersion: $0.offset))
            })
    }

    private func moment(of since: Since?) -> Moment {
        switch since {
        case nil: sinceAction
        case .start: Moment()
        case .verb(let verb): sinceVerb.first { $0.verb == verb }?.moment ?? Moment()
        case .mark(let name): sinceMark.first { $0.name == name }?.moment ?? Moment()
        case .step(let name): sinceStep.first { $0.name == name }?.moment ?? Moment()
        }
    }

    // MARK: - Failures

    private mutating func fail(
        _ misses: [Mismatch], _ spec: ExpectStep, _ numbered: NumberedStep, wrongSince: Instant?,
        from begun: Instant?
    ) {
        let parts = misses.map { "\($0.part): expected \($0.expected), found \($0.actual)" }
        var failure = Failure(
            kind: .expectation, headline: parts.joined(separator: "; "), at: backend.now)
        failure.step = numbered.number
        failure.place = misses.first.map { SourcePlace($0.span, in: plan.scenario.source) }
        failure.parts = misses.map(\.part)
        failure.expected = misses.map { "\($0.part) \($0.expected)" }
        failure.actual = misses.map { "\($0.part) \($0.actual)" }
        failure.because = numbered.step.because?.value
        failure.wrongSince = wrongSince
        failure.waitedFrom = begun
        failure.waitedTo = begun == nil ? nil : backend.now
        failure.help = help(misses, spec)
        answer(&failure)
        missed = Probe(
            step: numbered.number, spec: spec, device: device(of: numbered.step),
            since: moment(of: spec.since?.value), parts: failure.parts)
        add(failure)
        isOver = true
    }

    /// A way out of what is mistaken most often: time that was never given, a list that was meant in part.
    private func help(_ misses: [Mismatch], _ spec: ExpectStep) -> String? {
        let isAtOnce = spec.within == nil && spec.throughout == nil
        if isAtOnce, sinceAction.at == backend.now {
            return "this looks at the very instant of the step before; give it time: within: \"10s\""
        }
        guard misses.contains(where: \.isOfExactList) else { return nil }
        return "a list is exact; { has: [...] } asks for some of it, { hasNot: [...] } for what is not in it"
    }

    package mutating func fail(_ finding: CheckerList.Finding, on device: Int) {
        let name = deviceCount > 1 ? plan.scenario.devices[device].name.value + ": " : ""
        var failure = Failure(
            kind: .invariant, headline: name + finding.violation.headline, at: finding.at)
        failure.rule = finding.rule
        failure.expected = [finding.violation.expected]
        failure.actual = [finding.violation.actual]
        if let step = step(at: finding) {
            failure.step = step
            let numbered = NumberedStep.all(of: plan.scenario).first { $0.number == step }
            failure.place = numbered.map { SourcePlace($0.step.verbSpan, in: plan.scenario.source) }
        }
        add(failure, upTo: finding.eventNumber)
    }

    private func step(at finding: CheckerList.Finding) -> Int? {
        let facts = backend.trace
        let place = facts.firstIndex { $0.number >= (finding.eventNumber ?? .max) || $0.at > finding.at }
        return step(ofPlace: place ?? facts.count)
    }

    package func step(ofPlace place: Int) -> Int? { stepBegins.last { $0.place <= place }.flatMap(\.step) }

    package mutating func add(_ failure: Failure, upTo fact: Int? = nil) {
        var failure = failure
        if !rounds.isEmpty {
            failure.round = rounds.map { "\($0.number) of \($0.count)" }.joined(separator: ", ")
        }
        if let fact { failure.wrongSinceEvent = fact }
        if failure.wrongSince == backend.now, failure.wrongSinceEvent == nil {
            failure.wrongSinceEvent = backend.trace.last?.number
        }
        failure.reproduction = Reproduction.command(plan)
        failures.append(failure)
    }
}

extension Expectation {
    /// Passing time alone can make it true or false.
    var dependsOnTime: Bool { whiteTime != nil || time != nil }

    /// Part of it looks at single requests and answers, or at what time alone decides.
    var countsTraffic: Bool {
        fetched != nil || requests != nil || !answers.isEmpty || bytes != nil || reloads != nil
            || switches != nil || outcomes != nil || log != nil || !logOf.isEmpty || whiteTime != nil
            || progress != nil || time != nil || times != nil || cookies != nil || storage != nil
            || messages != nil || replies != nil
    }
}
