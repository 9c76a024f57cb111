import Core
import ScenarioLanguage

/// Evaluates `expect` steps: once, repeatedly until they hold (`within`), or all the time (`throughout`).
extension ScenarioRun {
    package mutating func expect(_ spec: ExpectStep, _ numbered: NumberedStep) {
        let start = backend.now
        noteJudgement(spec, numbered.index, on: device(of: numbered.step))
        if judgement.lastUnjudged == numbered.index {
            // It gives the steps after it the time that they rely on.
            if let span = spec.throughout?.value ?? spec.within?.value { pass(until: start + span) }
        } else if let span = spec.throughout?.value {
            expectThroughout(spec, numbered, from: start, to: start + span)
        } else if let span = spec.within?.value {
            expectWithin(spec, numbered, from: start, to: start + span)
        } else {
            let mismatches = mismatches(spec, on: device(of: numbered.step))
            if !mismatches.isEmpty { fail(mismatches, spec, numbered, wrongSince: nil, from: nil) }
        }
    }

    private mutating func expectWithin(
        _ spec: ExpectStep, _ numbered: NumberedStep, from start: Instant, to end: Instant
    ) {
        let device = device(of: numbered.step)
        var mismatches = mismatches(spec, on: device)
        if mismatches.isEmpty { return }
        var wrongSince = start
        var previous = mismatches
        var (evaluated, evaluatedMajor) = changes(on: device)
        var running = backend.running(on: device)
        let ignoresTraffic = !spec.expectation.countsTraffic
        let holds = pass(until: end) { run in
            let (changes, majorChanges) = run.changes(on: device)
            if changes == evaluated { return false }
            evaluated = changes
            if ignoresTraffic, majorChanges == evaluatedMajor {
                let now = run.backend.running(on: device)
                if now == running { return false }
                running = now
            }
            evaluatedMajor = majorChanges
            mismatches = run.mismatches(spec, on: device)
            if mismatches.map(\.part) != previous.map(\.part) { wrongSince = run.backend.now }
            previous = mismatches
            return mismatches.isEmpty
        }
        // A run that was ended by a limit says nothing about what would have happened next.
        if holds || crash.hasHappened || isOver { return }
        // Parts that depend on time alone are evaluated once more at the end, because no event triggers them.
        mismatches = self.mismatches(spec, on: device)
        if mismatches.isEmpty { return }
        fail(mismatches, spec, numbered, wrongSince: wrongSince, from: start)
    }

    private mutating func expectThroughout(
        _ spec: ExpectStep, _ numbered: NumberedStep, from start: Instant, to end: Instant
    ) {
        let device = device(of: numbered.step)
        if expectationsOnlyWait { return pass(until: end) }
        func currentMismatches(_ run: inout ScenarioRun) -> [Mismatch] {
            guard run.isTrue(spec.during?.value, on: device) else { return [] }
            return run.mismatches(spec, on: device)
        }
        var mismatches = currentMismatches(&self)
        if mismatches.isEmpty {
            _ = pass(until: end) { run in
                mismatches = currentMismatches(&run)
                return !mismatches.isEmpty
            }
        }
        if mismatches.isEmpty, !isOver { mismatches = currentMismatches(&self) }
        if mismatches.isEmpty { return }
        fail(mismatches, spec, numbered, wrongSince: backend.now, from: start)
    }

    private mutating func mismatches(_ spec: ExpectStep, on device: Int) -> [Mismatch] {
        mismatches(
            spec.expectation, since: position(of: spec.since?.value), hasSince: spec.since != nil, on: device)
    }

    private func position(of since: Since?) -> TracePosition {
        switch since {
        case nil: sinceAction
        case .start: TracePosition()
        case .verb(let verb): sinceVerb.first { $0.verb == verb }?.position ?? TracePosition()
        case .mark(let name): sinceMark.first { $0.name == name }?.position ?? TracePosition()
        case .step(let name): sinceStep.first { $0.name == name }?.position ?? TracePosition()
        }
    }

    private mutating func fail(
        _ mismatches: [Mismatch], _ spec: ExpectStep, _ numbered: NumberedStep, wrongSince: Instant?,
        from start: Instant?
    ) {
        if expectationsOnlyWait { return }
        let subject = FailureSubject(mismatches)
        var failure = Failure(
            kind: .expectation, headline: mismatches.map(\.headline).joined(separator: "; "), at: backend.now)
        failure.step = numbered.index
        failure.location = mismatches.first.map { FileLocation($0.span, in: plan.scenario.source) }
        failure.differences = mismatches.map { Difference($0) }
        failure.because = numbered.step.because?.value
        failure.wrongSince = wrongSince
        failure.waitedFrom = start
        failure.waitedTo = start == nil ? nil : backend.now
        failure.help = help(mismatches, spec)
        let time = [
            spec.within.map { "within \($0.value.shown)" },
            spec.throughout.map { "throughout \($0.value.shown)" },
        ].compactMap(\.self)
        failure.identity.pattern = (["expect"] + time + mismatches.map(\.pattern)).joined(separator: "; ")
        setWrongSince(of: &failure)
        // What is still to come explains no moment where something else is there that should not be.
        let excess = mismatches.filter { !$0.isIncomplete }
        let decisive = spec.since == nil && !excess.isEmpty ? excess : mismatches
        failedExpectation = FailedExpectation(
            step: numbered.index, spec: spec, device: device(of: numbered.step),
            since: position(of: spec.since?.value), parts: decisive.map(\.part))
        add(failure, about: subject)
        isOver = true
    }

    /// A fix for the most common mistakes: an expectation without time, an exact list that was meant as a
    /// part.
    private func help(_ mismatches: [Mismatch], _ spec: ExpectStep) -> String? {
        let isImmediate = spec.within == nil && spec.throughout == nil
        if isImmediate, sinceAction.at == backend.now {
            return "this looks at the very instant of the step before; give it time: within: \"10s\""
        }
        guard mismatches.contains(where: \.hasOnlyExcessEntries) else { return nil }
        return "a list is exact; { has: [...] } asks for some of it, { hasNot: [...] } for what is not in it"
    }
}
