import Backend
import Core
import Updater

/// U6.forced-launch: a launch that finds a forced version which is not whole waits for it.
///
/// A process that is started in front shows no page of another version before a check has ended or failed, or
/// ten seconds have passed.
///
/// Silent about: a launch after which the network, the settings or the store changed, or the app left the
/// front; one on a metered network; a forced version that was started before, because it may wait for its
/// second chance; a process whose store failed it, and an origin that wants to be left alone.
struct ForcedLaunchWaits: RuleChecker {
    let rule = "U6"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("U6.forced-launch", decided)] }

    /// When the process was started in front, until its first page load or something that excuses it.
    private var launchedAt: Instant?
    private var network = NetworkState.online

    private static let silence = TimeSpan.seconds(10)
    private static let hindrances: [LogCause] = [
        .storeUnavailable, .storeInUse, .recordNotWritten, .diskFailed, .noSpace, .readFailed,
    ]

    /// Leaves out the launch, which counts in its process alone.
    func hashMemory(into hasher: inout Hasher) { hasher.combine(network) }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .launched(let isInFront, _): launchedAt = isInFront ? event.at : nil
        case .networkChanged(let state): (network, launchedAt) = (state, nil)
        case .backgrounded, .suspended, .resumed, .damaged, .processEnded, .powerCut, .settingsChanged:
            launchedAt = nil
        case .pageLoad(.first, _, let key):
            defer { launchedAt = nil }
            return launchedAt.flatMap { evaluate(key, $0, observed, store) }
        default: break
        }
        return nil
    }

    private mutating func evaluate(
        _ shown: VersionKey, _ launchedAt: Instant, _ observed: ObservedState, _ store: StoreView
    ) -> Violation? {
        guard let record = store.durable.record, let forced = record.forced,
            network == .online, observed.settings.updates == .automatic, observed.retryAfterLeft == .zero,
            !observed.isEmbedded(forced), record.parked != forced, !record.recalled.contains(forced.id),
            !record.blacklistInForce.contains(forced),
            !observed.starts.contains(where: { $0.key == forced }),
            !ForcedLaunchWaits.hindrances.contains(where: observed.hasLoggedInProcess)
        else { return nil }
        if forced == shown || isWhole(forced, record, store) { return nil }
        decided += 1
        let answers = observed.transfersOfProcess { $0.isManifest && $0.state != .open }
        guard answers.isEmpty, observed.now - launchedAt < ForcedLaunchWaits.silence,
            !observed.hasLoggedInProcess(.checkFailed)
        else { return nil }
        return Violation(
            "A launch did not wait for a forced version",
            expected: "\(version: observed.name(forced)), or a check that has ended",
            actual: "\(version: observed.name(shown)) is shown at once", clause: "U6.forced-launch")
    }

    private func isWhole(_ key: VersionKey, _ record: RecordImage, _ store: StoreView) -> Bool {
        guard let table = store.durable.table(key) else { return false }
        return !table.blobs.contains(where: record.damaged.contains)
            && record.versions.contains { $0.key == key }
    }
}
