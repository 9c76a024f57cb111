import Core
import ScenarioLanguage
import Updater

/// Whether later starts of a version on this device will be confirmed, as far as the scenario determines it.
package enum StartPrediction: Hashable, Sendable {
    case succeeds
    case fails
    /// Depends on how the device is used, or on clocks that a start in background stops.
    case uncertain
}

extension StartupSpec {
    /// - Parameters:
    ///   - starts: starts of this version on the device so far.
    ///   - native: native interface of the installed build.
    package func prediction(afterStarts starts: Int, native: String?, _ settings: UpdaterSettings)
        -> StartPrediction
    {
        // Starts that `first` describes are followed by normal ones, unless the version was given up before.
        let later = behaviour(ofStart: max(starts, first?.count.value ?? 0) + 1, native: native)
        // Whether it is there at the next start depends on network, API or pages.
        if needs != nil { return .uncertain }
        switch settings.confirmation {
        case .called: return later.predictionIfPageConfirms(settings.startupTimeout)
        case .loaded: return later.predictionIfServerConfirms
        }
    }
}

extension StartupSpec {
    /// Whether starts go as with another start-up, wherever in the file they are described.
    func isLike(_ other: StartupSpec) -> Bool {
        behaviour == other.behaviour && first?.count.value == other.first?.count.value
            && first?.behaviour == other.first?.behaviour
            && onNative.map(\.native.value) == other.onNative.map(\.native.value)
            && onNative.map(\.startup) == other.onNative.map(\.startup)
            && needs?.value == other.needs?.value
    }

    /// The longest time after which a page of the version confirms its start.
    package var latestConfirmation: TimeSpan {
        ([behaviour, first?.behaviour] + onNative.map(\.startup)).reduce(.zero) { latest, behaviour in
            if case .staged(_, let confirms?)? = behaviour { max(latest, confirms) } else { latest }
        }
    }

    /// Whether a start may end its process.
    var mayEndProcess: Bool {
        ([behaviour, first?.behaviour] + onNative.map(\.startup)).contains { behaviour in
            if case .dies(.process, _)? = behaviour { true } else { false }
        }
    }
}

extension StartupBehaviour {
    /// R3: the second chance has three times the startup timeout, and at least this.
    private static let leastSecondChance = TimeSpan.seconds(60)
    /// R6: a page that the server confirms must live for this time after it is loaded.
    private static let timeAlive = TimeSpan.seconds(5)
    /// Loading takes some time, so a moment that is as near as this to a limit may fall on either side.
    private static let margin = TimeSpan.seconds(1)

    fileprivate func predictionIfPageConfirms(_ timeout: TimeSpan) -> StartPrediction {
        switch self {
        case .normal: return .succeeds
        case .hangs, .throwsError, .dies, .staged(_, nil): return .fails
        case .staged(_, let confirms?):
            let secondChance = max(timeout * 3, StartupBehaviour.leastSecondChance)
            return confirms + StartupBehaviour.margin < secondChance ? .succeeds : .uncertain
        }
    }

    /// The server confirms each page whose files have arrived, unless it fails or dies in the next seconds.
    /// A page that has no error handler yet reports nothing.
    fileprivate var predictionIfServerConfirms: StartPrediction {
        switch self {
        case .normal, .hangs, .staged, .throwsError(nil): return .succeeds
        case .throwsError(let after?), .dies(_, let after):
            if after + StartupBehaviour.margin < StartupBehaviour.timeAlive { return .fails }
            return after > StartupBehaviour.timeAlive + StartupBehaviour.margin ? .succeeds : .uncertain
        }
    }
}
