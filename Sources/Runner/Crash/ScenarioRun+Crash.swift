import Core
import ScenarioLanguage
import World

/// The crashes that a scenario's `crash` steps request. The first is armed when its step begins. When the
/// device crashes, the remaining steps are skipped and the device recovers, as in a search over crash points.
package struct CrashArming: Sendable {
    /// Crash sites that are not reached yet; the second and later ones are in the recovery.
    package private(set) var sites: [CrashSite] = []
    /// Device that crashes; all sites of a scenario are on the device of the first.
    package private(set) var device = 0
    /// Number of steps with the verb of the first site since it was added.
    private var begun = 0
    /// Whether a crash is armed that has not happened.
    package var isWaiting: Bool { !sites.isEmpty }
    /// Whether the crash has happened; expectations are not evaluated any more.
    package private(set) var hasHappened = false

    package mutating func add(_ spec: CrashSpec, on device: Int) {
        if sites.isEmpty { self.device = device }
        sites.append(CrashSite(spec))
    }

    /// - Returns: the first site if this is its step.
    package mutating func siteBeginning(at step: Step) -> CrashSite? {
        guard let first = sites.first, case .step(let verb, let nth) = first.of, step.verb == verb,
            step.trigger == nil
        else { return nil }
        begun += 1
        return begun == nth ? first : nil
    }

    package mutating func takeAll() -> [CrashSite] {
        hasHappened = true
        defer { sites = [] }
        return sites
    }
}

extension CrashSite {
    package init(_ spec: CrashSpec) {
        let origin: Origin
        switch spec.of.value {
        case .verb(let verb): origin = .step(verb, nth: spec.nth)
        case .recovery: origin = .recovery
        }
        self.init(
            of: origin, operation: spec.operation.value, writes: spec.writes?.value,
            outcome: spec.outcome.value)
    }

    /// The site as the spec of a `crash` step.
    package func spec(at span: SourceSpan) -> CrashSpec {
        let origin: CrashOrigin
        var count = 1
        switch of {
        case .recovery: origin = .recovery
        case .step(let verb, let nth):
            origin = .verb(verb)
            count = nth
        }
        return CrashSpec(
            operation: Spanned(operation, span), of: Spanned(origin, span), nth: count,
            writes: writes.map { Spanned($0, span) }, outcome: Spanned(outcome, span))
    }
}

extension ScenarioRun where RunBackend == World {
    /// Enables `crash` steps. They need a simulated world, because only its disk can be stopped at a call and
    /// brought to the state that a crash leaves.
    package mutating func enableCrashSteps() {
        readRecordsAtProcessEnd()
        willBegin = { step, run in run.arm(step) }
        didStop = { $0.crashIfStopped() }
    }

    /// Called before each step.
    private mutating func arm(_ step: Step) {
        if case .crash(let spec) = step.action { crash.add(spec, on: device(of: step)) }
        guard let site = crash.siteBeginning(at: step) else { return }
        backend.stopDisk(of: crash.device, atCall: site.operation, writing: site.writes)
    }

    /// Called after each action and event; performs the crash and the recovery if the disk has stopped.
    private mutating func crashIfStopped() {
        guard crash.isWaiting, !isOver, backend.isDiskStopped(of: crash.device) else { return }
        updateObservers(ofAll: true)
        noteArmed()
        var device = ObservedWorld(
            world: backend, observer: observer(of: crash.device), events: backend.trace)
        let recovery = Recovery(of: plan)
        var exhausted: String?
        let sites = crash.takeAll()
        for (number, site) in sites.enumerated() {
            if number > 0, !device.isDiskStopped { break }
            device.crash(site.outcome)
            recovery.begin(&device)
            if number + 1 < sites.count {
                let next = sites[number + 1]
                device.stopDisk(atCall: next.operation, writing: next.writes)
            }
            let end = device.world.now + Recovery.limit
            exhausted = device.pass(until: end) { recovery.isOver($0) }
        }
        var finding = recovery.evaluateLaunch(device, exhausted: exhausted)
        if finding == nil {
            recovery.end(&device)
            finding = recovery.evaluateAfterRecovery(&device)
        }
        backend = device.world
        replaceObserver(with: device.observer)
        isOver = true
        // Findings of checkers are reported with those of the run.
        guard let finding, !device.findings.contains(where: { $0.rule == finding.rule }) else {
            return
        }
        fail(finding)
    }

    private mutating func fail(_ finding: Recovery.Finding) {
        let isLiveness = finding.rule == "liveness"
        var failure = Failure(
            kind: isLiveness ? .liveness : .invariant, headline: finding.headline, at: backend.now)
        if !isLiveness { failure.rule = finding.rule }
        failure.identity.pattern = finding.headline
        failure.location = FileLocation(plan.scenario.title.span, in: plan.scenario.source)
        failure.differences = [Difference(expected: finding.expected, actual: finding.actual)]
        add(failure, about: FailureSubject(versions: finding.versions))
    }
}
