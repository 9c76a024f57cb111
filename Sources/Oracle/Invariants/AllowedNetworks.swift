import Backend
import Core
import Updater

/// U15: on a network that the settings don't allow, no file of a version is requested, and what is under way
/// is cancelled.
///
/// Silent about: the manifest, which may always be requested; settings with a size up to which a metered
/// network is allowed; the first second after the network or the settings have changed, or the process began
/// or went on.
struct AllowedNetworks: RuleChecker {
    let rule = "U15"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("U15.network", decided)] }

    private var isMetered = false
    /// When what the app may do changed last.
    private var changedAt = Instant.zero

    private static let timeToHandle = TimeSpan.seconds(1)

    func hashMemory(into hasher: inout Hasher) { hasher.combine(isMetered) }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .networkChanged(let state):
            isMetered = state == .metered
            changedAt = event.at
        case .settingsChanged, .launched, .resumed: changedAt = event.at
        case .requestSent(let request):
            if case .file = request.kind { return evaluate(observed) }
        default: break
        }
        return nil
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        evaluate(observed)
    }

    private mutating func evaluate(_ observed: ObservedState) -> Violation? {
        guard isMetered, !observed.settings.usesMeteredNetwork, observed.settings.meteredBytes == nil,
            observed.isAlive, !observed.isSuspended,
            observed.now > changedAt + AllowedNetworks.timeToHandle + observed.diskDelay
        else { return nil }
        decided += 1
        guard let file = observed.openTransfers.first(where: { $0.route != nil }) else { return nil }
        return Violation(
            "A file is downloaded over a network that the app does not allow",
            expected: "downloads wait for another network",
            actual: "\(file.route ?? "") is being received", clause: "U15.network")
    }
}
