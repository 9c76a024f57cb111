import Backend
import Core
import Updater

/// U9.audience: each check says who asks, so that an origin can choose a version for the device.
///
/// It names the app, the device, the channel, the native build and what runs; the cohort and the user where
/// the app has them, and no others. The device's name stays the same within a process.
///
/// Silent about: the first second after a change of the settings, which the app may not have handled yet; the
/// native build while a store update is not settled, and that of a device whose record was damaged; what runs
/// in a process that could not write its record, where what is decided and what is durable differ.
struct AskerIsNamed: RuleChecker {
    let rule = "U9"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("U9.audience", decided)] }
    private var changedAt = Instant.zero - .seconds(2)
    /// Name of the device in this process.
    private var device: String?
    /// What the last check said that runs; a check that is sent elsewhere says it again.
    private var running: String?
    /// When the process received a whole answer to a check last.
    private var answeredAt: Instant?
    private static let timeToRedirect = TimeSpan.milliseconds(100)

    /// Leaves out the device's name, because it counts only in the process that has it, and the last answer,
    /// which counts for a tenth of a second.
    func hashMemory(into hasher: inout Hasher) { hasher.combine(seconds: changedAt) }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        // What came while the app stood still is handled when it resumes.
        case .settingsChanged, .resumed: changedAt = event.at
        case .launched: (device, running, answeredAt) = (nil, nil, nil)
        case .damaged: (device, running) = (nil, nil)
        case .transferEnded(let id, _, _):
            let ended = observed.transfer(id, ofProcess: event.process)
            if ended?.isManifest == true { answeredAt = event.at }
        case .requestSent(let request):
            guard request.kind == .manifest, let asker = request.asker else { return nil }
            return evaluate(asker, event.at, observed)
        default: break
        }
        return nil
    }

    private mutating func evaluate(_ asker: RequestEvent.Asker, _ now: Instant, _ observed: ObservedState)
        -> Violation?
    {
        decided += 1
        let before = running
        defer { (device, running) = (asker.device, asker.running) }
        let settings = observed.settings
        if asker.app != observed.app.id { return violation("app", observed.app.id, asker.app) }
        if asker.device?.isEmpty != false { return violation("device", "a name", asker.device) }
        if let device, asker.device != device { return violation("device", device, asker.device) }
        if now - changedAt > .seconds(1) {
            if asker.channel != settings.channel {
                return violation("channel", settings.channel, asker.channel)
            }
            if asker.user != settings.user { return violation("user", settings.user, asker.user) }
            if asker.cohort != settings.cohort { return violation("cohort", settings.cohort, asker.cohort) }
        }
        if observed.buildsSeen.count == 1, !observed.isRecordDamaged {
            let build = observed.app.builds.first { $0.name == observed.build }
            if let build, asker.native != build.number {
                return violation("native build", build.number, asker.native)
            }
        }
        // Another one may have been chosen that is not reported before the record says so.
        guard let current = observed.status?.current, !observed.hasLoggedInProcess(.recordNotWritten) else {
            return nil
        }
        let isSentElsewhere = answeredAt.map { now - $0 <= AskerIsNamed.timeToRedirect } ?? false
        if isSentElsewhere, asker.running == before { return nil }
        if asker.running != current.id, !observed.versions.contains(where: { $0.id == asker.running }) {
            return violation("version that runs", current.id, asker.running)
        }
        return nil
    }

    private func violation(_ what: String, _ expected: String?, _ actual: String?) -> Violation {
        return Violation(
            "A check does not say who asks: \(what)", expected: "\(expected ?? "none")",
            actual: "\(actual ?? "none")", clause: "U9.audience")
    }
}
