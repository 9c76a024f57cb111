import Backend
import Core
import Updater

/// R3: a parked version stays stored and is neither started nor pending, whatever is offered.
///
/// At most one version is parked, and never the embedded one. Parking ends when a day of origin time has
/// passed and the origin has offered something since, when the user looks for an update, when another
/// version is parked or this one recalled, and with a new native build (N1).
///
/// Silent about: a parking before the app has reported it, because only what it reports is durable; what
/// follows after the scenario has damaged the record; what a process reports that could not read it.
struct ParkingHolds: RuleChecker {
    let rule = "R3"
    var decided = 0

    private struct Parking {
        var key: VersionKey
        var since: Instant
        /// Whether the user has pressed a button of a native screen since.
        var userAsked = false
    }

    private var parking: Parking?
    /// Whether the user has pressed a button in this process: the app may have parked the version before, and
    /// reported it later.
    private var hasPressed = false
    private var builds = BuildChanges()

    /// The day counts in origin time, whose dates are whole seconds, rounded down.
    private static let shortestDay = TimeSpan.days(1) - .seconds(1)

    func hashMemory(into hasher: inout Hasher) {
        hasher.combine(parking?.key)
        hasher.combine(seconds: parking?.since)
        hasher.combine(parking?.userAsked)
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .launched:
            hasPressed = false
            if builds.hasChanged(observed) { parking = nil }
        case .damaged: parking = nil
        case .userDid(.presses):
            hasPressed = true
            parking?.userAsked = true
        case .status(let status): return evaluate(status, observed, store)
        case .pageLoad(_, _, let key):
            guard let parking, !parking.userAsked else { return nil }
            decided += 1
            guard key == parking.key, !observed.staysBecausePageIsInUse(key) else { return nil }
            return violation(key, "was started", observed)
        default: break
        }
        return nil
    }

    private mutating func evaluate(_ status: UpdaterStatus, _ observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        if parking != nil || !status.parked.isEmpty { decided += 1 }
        if let pending = status.pending, status.parked.contains(pending) {
            return violation(pending, "is pending", observed)
        }
        guard status.parked.count <= 1 else {
            return Violation(
                "Several versions are parked", expected: "at most one", actual: "\(status.parked.count)")
        }
        let reported = status.parked.first
        if let reported, observed.isEmbedded(reported) {
            return Violation(
                "\(version: observed.name(reported)) was parked, which is embedded",
                expected: "never the embedded version", actual: "it is parked")
        }
        if reported == parking?.key || observed.isWithoutRecord { return nil }
        defer { parking = reported.map { Parking(key: $0, since: observed.now, userAsked: hasPressed) } }
        guard let parking, reported == nil, !mayEnd(parking, observed, store) else { return nil }
        return Violation(
            "A parking was lost",
            expected: "\(version: observed.name(parking.key)) stays parked for a day of origin time",
            actual: "it is not parked any more")
    }

    private func mayEnd(_ parking: Parking, _ observed: ObservedState, _ store: StoreView) -> Bool {
        if parking.userAsked || store.isDamaged || observed.isRecalled(parking.key) { return true }
        guard let answered = observed.lastGoodAnswer, answered > parking.since else { return false }
        return observed.now - parking.since >= ParkingHolds.shortestDay
    }

    private func violation(_ key: VersionKey, _ what: String, _ observed: ObservedState) -> Violation {
        Violation(
            "\(version: observed.name(key)) is parked and \(what)",
            expected: "neither started nor pending until a day has passed or the user asks",
            actual: "it \(what)")
    }
}
