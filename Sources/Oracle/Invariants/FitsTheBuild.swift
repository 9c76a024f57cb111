import Backend
import Core
import Updater

/// U10, N1: nothing of a version that was not made for the installed native build is requested, becomes
/// pending or is shown.
///
/// Own dialect: the native range of its manifest has the installed build in it. Meteor's dialect: its
/// compatibility version is that of the build, or of the version in the package.
///
/// Silent about: the version in the package; versions that no intact answer has offered, because it is not
/// known what their manifest states; the frontend dialect, which states no range; Meteor's dialect where
/// neither the build nor its package states a compatibility version.
struct FitsTheBuild: Checker {
    let rule = "U10"
    private var decided = (ranges: 0, compatibilities: 0)

    var decisions: [DecisionCount] {
        [
            DecisionCount("U10.native", decided.ranges),
            DecisionCount("U10.compatibility", decided.compatibilities),
        ]
    }

    mutating func forgetDecisions() { decided = (0, 0) }

    /// Adds nothing: it remembers nothing.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .requestSent(let request): evaluate(request.version, "is downloaded", observed)
        case .status(let status) where status.pending != observed.previousStatus?.pending:
            evaluate(status.pending, "is pending", observed)
        case .pageLoad(_, _, let key): evaluate(key, "is shown", observed)
        default: nil
        }
    }

    private mutating func evaluate(_ key: VersionKey?, _ what: ViolationText, _ observed: ObservedState)
        -> Violation?
    {
        guard let key, !observed.isEmbedded(key), let index = observed.index(of: key),
            let isMadeForIt = observed.isMadeForBuild(observed.versions[index]),
            observed.transfers.contains(where: { $0.offered == key.id })
        else { return nil }
        let isMeteor = observed.app.dialect == .meteor
        if isMeteor { decided.compatibilities += 1 } else { decided.ranges += 1 }
        if isMadeForIt { return nil }
        return Violation(
            "\(version: observed.name(key)) \(what), and was not made for the installed build",
            expected: "nothing of it on build \(observed.build)", actual: "it \(what)",
            clause: isMeteor ? "U10.compatibility" : "U10.native")
    }
}
