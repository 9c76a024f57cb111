import Core
import ScenarioLanguage

/// An expectation that failed, asked again after every event of a second run: since when was it wrong, and
/// what made it so?
///
/// A `within` knows only what it saw while it waited; an expectation without one saw a single moment. The
/// story runs the same way again, so the answer holds for the first run too.
package struct Probe: Sendable {
    package let step: Int
    package let spec: ExpectStep
    package let device: Int
    /// What the failed step counted from.
    package let since: Moment
    /// The parts that were wrong.
    package let parts: [String]
    /// A part that counts what happens has no meaning before that.
    package var begins: Int { spec.expectation.countsTraffic ? since.place : 0 }

    /// Since then without a break; nil: it is right.
    package var wrongSince: Instant?
    /// Of the last fact then; nil: nothing had happened.
    package var event: Int?
    package var wasEverRight = false
    /// Of ``RunObserver/changes``, when it was looked at last.
    package var seen = -1
    /// Facts that there were then.
    package var facts = 0

    package init(step: Int, spec: ExpectStep, device: Int, since: Moment, parts: [String]) {
        self.step = step
        self.spec = spec
        self.device = device
        self.since = since
        self.parts = parts
    }
}

extension ScenarioRun {
    /// After an action or an event.
    package mutating func ask() {
        guard var probe, !crash.hasStruck, backend.trace.count >= probe.begins else { return }
        let changes = changes(on: probe.device).all
        if changes == probe.seen { return }
        probe.seen = changes
        let misses = mismatches(
            probe.spec.expectation, since: probe.since, isSinceSaid: probe.spec.since != nil,
            on: probe.device)
        if !misses.contains(where: { probe.parts.contains($0.part) }) {
            probe.wasEverRight = true
            probe.wrongSince = nil
        } else if probe.wrongSince == nil {
            probe.wrongSince = backend.now
            // Of what came with this event: what the updater says of it, else what it is about.
            let new = backend.trace[min(probe.facts, backend.trace.count)...].filter { fact in
                probe.parts.contains { Relevance.concerns(fact.kind, $0) }
            }
            let log = new.first { if case .log = $0.kind { true } else { false } }
            probe.event = (log ?? new.first ?? backend.trace.last)?.number
        }
        probe.facts = backend.trace.count
        self.probe = probe
    }

    /// What the probe has found out about the failure that it was made for.
    package func answer(_ failure: inout Failure) {
        guard let probe, probe.step == failure.step, let since = probe.wrongSince else { return }
        failure.wrongSince = since
        failure.wasNeverRight = !probe.wasEverRight && probe.begins == 0
        failure.wrongSinceEvent = failure.wasNeverRight ? nil : probe.event
    }
}
