import AppHost
import Core
import Updater

/// What the user of a device sees: cover, native screen or page; and the status that the app reported last.
///
/// Invariants: it outlives processes; white time is counted once, however often the device is inspected. A
/// launch shows the platform's cover until the app shows another screen.
struct Display: Sendable {
    private(set) var screen = AppHost.Screen.page
    /// Whether neither cover nor native screen is in front.
    private(set) var isPageInFront = true
    /// The status that the updater reported last.
    var status: UpdaterStatus?
    /// Download progress as shown last, in percent; nil: none was shown, or sizes are unknown.
    private(set) var progress: Int?
    var white = WhiteTime()

    mutating func show(_ screen: AppHost.Screen) {
        self.screen = screen
        isPageInFront = screen == .page
    }

    mutating func show(progress percent: Int) { progress = percent }
}
