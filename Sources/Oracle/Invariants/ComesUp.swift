import AppHost
import Backend
import Core
import Updater

/// X1: the app comes up by itself and stays.
///
/// A launch in the foreground leads to a page's content, or to a native screen that offers the user a way on,
/// within ``patience``. The process does not end unless the scenario or the page's scripted start-up ended
/// it, and it serves its pages.
///
/// Silent about: a launch before which no version was complete on the device, because the app ships none and
/// nothing has been shown yet; a process that ends, goes to the background or is suspended before the time is
/// over; whether the page is the right one.
package struct ComesUp: RuleChecker {
    package let rule = "X1"
    package var decided = 0

    /// When the app in front must have shown something; nil: nothing is due.
    private var dueAt: Instant?
    /// Whether a version is complete on the device: the app ships one, or a page was shown.
    private var hasVersion = false
    /// Whether a page or such a screen is shown, which an app that comes back to the front still has.
    private var isUp = false

    /// Longest time from a launch to content: the longest start-up time-out, twice, and some time to load.
    package static let patience = TimeSpan.seconds(150)

    package init() {}

    package func hashMemory(into hasher: inout Hasher) {
        hasher.combine(hasVersion)
        hasher.combine(isUp)
    }

    package mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        switch event.kind {
        case .launched(let isInFront, _):
            hasVersion = hasVersion || observed.app.builds.first { $0.name == observed.build }?.embeds != nil
            dueAt = isInFront && hasVersion ? event.at + ComesUp.patience : nil
            isUp = false
        case .navigation, .webProcessDied: isUp = false
        case .foregrounded where hasVersion && !isUp: dueAt = event.at + ComesUp.patience
        case .contentShown:
            hasVersion = true
            cameUp()
        case .screen(.recovery), .screen(.offline), .screen(.noSpace): cameUp()
        case .backgrounded, .suspended: dueAt = nil
        case .processEnded, .powerCut: (dueAt, isUp) = (nil, false)
        case .processFailed(let why):
            dueAt = nil
            decided += 1
            return Violation(
                "The app's process failed", expected: "it runs until the scenario ends it", actual: "\(why)")
        default: break
        }
        return nil
    }

    /// What was due is decided.
    private mutating func cameUp() {
        isUp = true
        if dueAt != nil { decided += 1 }
        dueAt = nil
    }

    package mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard let due = dueAt, observed.now >= due else { return nil }
        dueAt = nil
        decided += 1
        return Violation(
            "The app did not come up",
            expected: "a page, or a screen that offers a way on, within \(ComesUp.patience.shown)",
            actual: "neither")
    }
}
