import Core
import ScenarioLanguage

/// An `always` or `never` step that the run has reached. It is evaluated after every action and event until
/// the run ends, also in the usage rounds after the last step. It is not evaluated during the recovery after
/// a `crash` step, because that recovery is not part of the scenario.
package struct ActiveInvariant {
    package let numbered: NumberedStep
    package let spec: InvariantStep
    package let isNever: Bool
    package let device: Int
    /// Position in the trace at which the step began.
    package let since: TracePosition
    /// Value of ``RunObserver/changes`` at the last evaluation.
    package var evaluatedChanges = -1
    /// Length of the trace when it held last.
    package var heldEvents = 0
}

extension ScenarioRun {
    package mutating func activate(_ spec: InvariantStep, isNever: Bool, _ numbered: NumberedStep) {
        if expectationsOnlyWait { return }
        activeInvariants.append(
            ActiveInvariant(
                numbered: numbered, spec: spec, isNever: isNever, device: device(of: numbered.step),
                since: currentPosition))
        checkActiveInvariants()
    }

    package mutating func checkActiveInvariants() {
        for index in activeInvariants.indices {
            if isOver || crash.hasHappened { return }
            let invariant = activeInvariants[index]
            let changes = changes(on: invariant.device).all
            if changes == invariant.evaluatedChanges, !invariant.spec.expectation.dependsOnTime { continue }
            activeInvariants[index].evaluatedChanges = changes
            guard isTrue(invariant.spec.during?.value, on: invariant.device) else { continue }
            let mismatches = mismatches(
                invariant.spec.expectation, since: invariant.since, hasSince: true, on: invariant.device,
                acceptsDoubt: !invariant.isNever)
            if invariant.isNever == mismatches.isEmpty {
                fail(invariant, mismatches)
            } else {
                activeInvariants[index].heldEvents = backend.trace.count
            }
        }
    }

    private mutating func fail(_ invariant: ActiveInvariant, _ mismatches: [Mismatch]) {
        // Violated already when the step began.
        let isFromBefore = stepStarts.last?.step == invariant.numbered.index
        let file = plan.scenario.source
        let span = invariant.spec.expectation.span
        let text = plan.scenario.text(of: invariant.spec.expectation)
        let headline =
            invariant.isNever
            ? "What must never hold \(isFromBefore ? "was" : "came") true: \(text)"
            : mismatches.map(\.headline).joined(separator: "; ")
        var failure = Failure(kind: .expectation, headline: headline, at: backend.now)
        failure.step = invariant.numbered.index
        failure.location = FileLocation(mismatches.first?.span ?? span, in: file)
        let during = stepStarts.last?.step.map { "in step \($0 + 1), \(stepResults[$0].text)" }
        let moment =
            isFromBefore ? "when the step began" : during ?? "in the rounds after the last step"
        failure.identity.pattern =
            invariant.isNever
            ? "never; \(text)" : (["always"] + mismatches.map(\.pattern)).joined(separator: "; ")
        if invariant.isNever {
            let found = isFromBefore ? "it was true already \(moment)" : "it came true \(moment)"
            failure.differences = [Difference(.never, expected: text, actual: found)]
        } else {
            failure.differences = mismatches.map { Difference($0, .always) }
            failure.findings = [moment]
        }
        failure.because = invariant.numbered.step.because?.value
        if !isFromBefore {
            failure.waitedFrom = invariant.since.at
            failure.waitedTo = backend.now
        }
        let parts = invariant.isNever ? parts(of: invariant) : mismatches
        let decisive = DecisiveEvent(parts).choose(from: backend.trace, since: invariant.heldEvents)
        if !isFromBefore { failure.wrongSince = decisive?.at }
        add(failure, about: FailureSubject(parts), causedBy: isFromBefore ? nil : decisive?.ordinal)
        stepResults[invariant.numbered.index].outcome = .failed
        isOver = true
    }

    /// All parts of a broken `never`, which hold.
    private mutating func parts(of invariant: ActiveInvariant) -> [Mismatch] {
        mismatches(
            invariant.spec.expectation, since: invariant.since, hasSince: true, on: invariant.device,
            listsAll: true)
    }
}
