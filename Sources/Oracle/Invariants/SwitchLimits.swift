import Backend
import Core
import Updater

/// The part of U5 about switches between versions, as the first web view shows them.
struct SwitchLimits {
    /// Version of the last page load.
    private var shown: VersionKey?
    /// Whether its page has reloaded itself since: the page load that this switches may come after another
    /// navigation.
    private var hasReloaded = false
    private var hasCalled = false
    private var isRescued = false
    private var isByUser = false
    /// Switches that a page's change of the environment may still make (F9): it loads the page again at once,
    /// and then the first version that is offered there.
    private var byEnvironment = 0
    /// Number of switches in this process that no page requested.
    private var unrequested = 0
    /// The switch that the log has named since the last page load: its page may be loaded days later.
    private var logged: (id: String?, at: Instant)?
    /// Switches that pages requested.
    private(set) var requested: [(key: VersionKey, at: Instant)] = []
    private var rescuedFrom: [VersionKey] = []
    var decided = (unrequested: 0, requested: 0, rescues: 0)

    mutating func observe(_ event: TraceEvent, in observed: ObservedState) -> Violation? {
        switch event.kind {
        case .launched:
            let before = decided
            self = SwitchLimits(requested: requested)
            decided = before
        case .navigation(let view, .reload, _): if view == .first { hasReloaded = true }
        case .called(_, .switchToPendingVersion, _): hasCalled = true
        case .log(let entry) where entry.cause == .rescued: isRescued = true
        case .log(let entry) where entry.cause == .switched: logged = (entry.version, event.at)
        // What is pending from now on is not what a page has asked for before.
        case .log(let entry) where entry.cause == .becamePending: hasCalled = false
        // What is damaged is out of use, so that the next page load is from R9's chain.
        case .log(let entry) where entry.cause == .contentDamaged:
            if let shown, entry.version == shown.id { isRescued = true }
        case .settingsChanged(_, byPage: true): byEnvironment = 2
        // On R9's screen the user requests the switch.
        case .userDid(.presses): isByUser = true
        case .pageLoad(let view, _, let key):
            guard view == .first else { return nil }
            defer {
                shown = key
                logged = nil
                hasReloaded = false
                hasCalled = false
                isRescued = false
                isByUser = false
            }
            guard let previous = shown, previous != key, !isByUser else { return nil }
            return switched(from: previous, to: key, observed)
        default: break
        }
        return nil
    }

    init(requested: [(key: VersionKey, at: Instant)] = []) { self.requested = requested }

    private mutating func switched(from previous: VersionKey, to key: VersionKey, _ observed: ObservedState)
        -> Violation?
    {
        if isRescued {
            decided.rescues += 1
            if rescuedFrom.contains(previous) {
                return Violation(
                    "\(version: observed.name(previous)) was rescued from twice in one process",
                    expected: "once",
                    actual: "a second time, to \(version: observed.name(key))")
            }
            rescuedFrom.append(previous)
            return nil
        }
        if hasCalled || hasReloaded {
            decided.requested += 1
            let switchedAt = logged.flatMap { $0.id == key.id ? $0.at : nil } ?? observed.now
            requested.append((key, switchedAt))
            let count = requested.count { $0.key == key && observed.now - $0.at < .hours(24) }
            guard count > 3 else { return nil }
            return Violation(
                "Pages were switched to \(version: observed.name(key)) too often",
                expected: "3 times in 24 h",
                actual: "\(count) times")
        }
        if byEnvironment > 0 {
            byEnvironment -= 1
            return nil
        }
        // What can't be read is left at the next page load, whatever the page is loaded for (R10).
        if observed.logged([.readFailed], version: previous.id, since: observed.processBegan) != nil {
            return nil
        }
        decided.unrequested += 1
        unrequested += 1
        guard unrequested > 1 else { return nil }
        return Violation(
            "A second switch in one process that nobody asked for", expected: "1 at most",
            actual: "\(unrequested), the last to \(version: observed.name(key))")
    }
}
