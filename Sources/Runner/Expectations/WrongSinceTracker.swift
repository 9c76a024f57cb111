import Backend
import Core
import ScenarioLanguage

/// The `expect` step at which a run failed, with all that is needed to evaluate it again in a second run.
package struct FailedExpectation: Sendable {
    /// Index of the step in the scenario.
    package let step: Int
    package let spec: ExpectStep
    package let device: Int
    /// Position in the trace from which the step counted.
    package let since: TracePosition
    /// The parts that were wrong.
    package let parts: [ExpectationPart]

    package init(step: Int, spec: ExpectStep, device: Int, since: TracePosition, parts: [ExpectationPart]) {
        self.step = step
        self.spec = spec
        self.device = device
        self.since = since
        self.parts = parts
    }
}

/// Evaluates a failed expectation after every event of a second run, to find since when it was wrong and
/// which event made it wrong.
///
/// `within` evaluates only while it waits, and an expectation without it evaluates once. The second run has
/// the same events, so the result holds for the first run too. In the first run `expectWithin` gives a
/// provisional value, which this one replaces.
package struct WrongSinceTracker: Sendable {
    package let expectation: FailedExpectation
    /// Number of trace events before which the expectation is not evaluated: a part that counts events has no
    /// meaning before the position from which it counts.
    package var firstEventCount: Int {
        let counts = expectation.parts.contains { part in
            part.countsFromLastAction || (expectation.spec.since != nil && part.countsEvents)
        }
        return counts ? expectation.since.index : 0
    }

    /// Instant since when the expectation has been wrong without interruption; nil while it holds.
    package private(set) var wrongSince: Instant?
    /// Number of the trace event that made it wrong; nil if the trace was empty then.
    package private(set) var event: Int?
    package private(set) var wasEverRight = false
    /// Whether a step of the scenario made it wrong and the value has since been one that a start passes
    /// through. A relaunch explains that nothing runs, and not what runs afterwards.
    private var isPassing = false
    /// Whether it lacks something since its count began. No event has made it wrong then; the first one that
    /// came instead does, or one that brings what should not be.
    private var isIncomplete = false
    private var actuals: [String] = []
    /// Value of ``RunObserver/changes`` at the last evaluation.
    fileprivate var evaluatedChanges = -1
    /// Length of the trace at the last evaluation.
    private var evaluatedEvents = 0

    package init(_ expectation: FailedExpectation) { self.expectation = expectation }

    /// Takes in one evaluation.
    /// - Parameters:
    ///   - mismatches: of the whole expectation; only the parts that failed in the first run count.
    ///   - now: the current instant.
    ///   - trace: all events so far.
    ///   - isByStep: whether a step of the scenario is being performed.
    fileprivate mutating func update(
        _ mismatches: [Mismatch], at now: Instant, trace: [TraceEvent], isByStep: Bool
    ) {
        let wrong = mismatches.filter { expectation.parts.contains($0.part) }
        if wrong.isEmpty {
            wasEverRight = true
            wrongSince = nil
            isIncomplete = false
        } else if wrongSince == nil, !wasEverRight, firstEventCount > 0, wrong.allSatisfy(\.isIncomplete) {
            isIncomplete = true
            (wrongSince, event) = (now, nil)
            takeInstead(wrong, trace, from: firstEventCount)
        } else if isIncomplete {
            if wrong.allSatisfy(\.isIncomplete) {
                takeInstead(wrong, trace, from: evaluatedEvents)
            } else if let decisive = DecisiveEvent(wrong.filter { !$0.isIncomplete })
                .choose(from: trace, since: evaluatedEvents)
            {
                isIncomplete = false
                (wrongSince, event) = (decisive.at, decisive.ordinal)
            }
        } else if wrongSince == nil || (isPassing && wrong.map(\.actual) != actuals) {
            isPassing = (isPassing || isByStep) && wrong.allSatisfy(\.isTransient)
            let decisive = DecisiveEvent(wrong).choose(from: trace, since: evaluatedEvents)
            event = decisive?.ordinal
            wrongSince = wasEverRight ? decisive?.at ?? now : now
        }
        actuals = wrong.map(\.actual)
        evaluatedEvents = trace.count
    }

    private mutating func takeInstead(_ wrong: [Mismatch], _ trace: [TraceEvent], from start: Int) {
        let isOther: (TraceEvent) -> Bool = { [device = expectation.device] in $0.device == device }
        let start = min(start, trace.count)
        guard
            let decisive = DecisiveEvent(wrong).instead(
                in: trace[start...].filter(isOther), since: 0)
        else { return }
        isIncomplete = false
        (wrongSince, event) = (decisive.at, decisive.ordinal)
    }
}

extension ScenarioRun {
    /// Evaluates the tracked expectation; called after every action and event.
    package mutating func updateWrongSince() {
        guard var tracker = wrongSinceTracker, !crash.hasHappened,
            backend.trace.count >= tracker.firstEventCount
        else { return }
        let expectation = tracker.expectation
        let changes = changes(on: expectation.device).all
        if changes == tracker.evaluatedChanges { return }
        tracker.evaluatedChanges = changes
        let mismatches = mismatches(
            expectation.spec.expectation, since: expectation.since,
            hasSince: expectation.spec.since != nil, on: expectation.device)
        tracker.update(mismatches, at: backend.now, trace: backend.trace, isByStep: isActing)
        wrongSinceTracker = tracker
    }

    /// Writes what the tracker found into the failure of the step that it tracks.
    package func setWrongSince(of failure: inout Failure) {
        guard let tracker = wrongSinceTracker, tracker.expectation.step == failure.step,
            let since = tracker.wrongSince
        else { return }
        failure.wrongSince = since
        failure.wasNeverRight = !tracker.wasEverRight && tracker.firstEventCount == 0
        failure.wrongSinceEvent = failure.wasNeverRight ? nil : tracker.event
    }
}
