import Core
import ScenarioLanguage

/// What stands from its step on: looked at after every action and event, also in the rounds of liveness. Not
/// in the recovery after a `crash` step, which tells nothing of the story any more.
package struct Standing {
    package let numbered: NumberedStep
    package let spec: InvariantStep
    package let isNever: Bool
    package let device: Int
    package let since: Moment
    /// Of ``RunObserver/changes``, when it was looked at last.
    package var seen = -1
}

extension ScenarioRun {
    package mutating func stand(_ spec: InvariantStep, isNever: Bool, _ numbered: NumberedStep) {
        standing.append(
            Standing(
                numbered: numbered, spec: spec, isNever: isNever, device: device(of: numbered.step),
                since: moment))
        checkStanding()
    }

    package mutating func checkStanding() {
        for place in standing.indices {
            if isOver || crash.hasStruck { return }
            let row = standing[place]
            let changes = changes(on: row.device).all
            if changes == row.seen, !row.spec.expectation.dependsOnTime { continue }
            standing[place].seen = changes
            guard isTrue(row.spec.during?.value, on: row.device) else { continue }
            let misses = mismatches(
                row.spec.expectation, since: row.since, isSinceSaid: true, on: row.device)
            if row.isNever == misses.isEmpty { fail(row, misses) }
        }
    }

    private mutating func fail(_ row: Standing, _ misses: [Mismatch]) {
        // Looked at when it was set up, and wrong by then.
        let isOfBefore = stepBegins.last?.step == row.numbered.number
        let file = plan.scenario.source
        let span = row.spec.expectation.span
        let said = plan.scenario.words(of: row.spec.expectation)
        let parts = misses.map { "\($0.part): expected \($0.expected), found \($0.actual)" }
        let headline =
            row.isNever
            ? "What must never hold \(isOfBefore ? "was" : "came") true: \(said)"
            : parts.joined(separator: "; ")
        var failure = Failure(kind: .expectation, headline: headline, at: backend.now)
        failure.step = row.numbered.number
        failure.place = SourcePlace(misses.first?.span ?? span, in: file)
        failure.expected = row.isNever ? ["never \(said)"] : misses.map { "always \($0.part) \($0.expected)" }
        let during = stepBegins.last?.step.map { "in step \($0 + 1), \(rows[$0].text)" }
        let moment =
            isOfBefore ? "when the step began" : during ?? "in the rounds after the story"
        failure.actual =
            row.isNever
            ? [isOfBefore ? "it was true already \(moment)" : "it came true \(moment)"]
            : misses.map { "\($0.part) \($0.actual)" } + [moment]
        if !row.isNever { failure.parts = misses.map(\.part) }
        failure.because = row.numbered.step.because?.value
        if !isOfBefore {
            failure.wrongSince = backend.now
            failure.waitedFrom = row.since.at
            failure.waitedTo = backend.now
        }
        add(failure)
        rows[row.numbered.number].outcome = .failed
        isOver = true
    }
}
