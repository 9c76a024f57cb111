import AppHost
import Core
import Updater

/// What is in front of the user on one device: cover, native screen or page, and what the app last reported.
///
/// Invariants: it outlives processes, as what a user saw does; white time is counted once however often the
/// device is inspected. A launch shows the platform's cover until the app says something else.
struct Display: Sendable {
    private(set) var screen = AppHost.Screen.page
    /// No cover and no native screen is in front.
    private(set) var isPageInFront = true
    /// The updater's last report of its state.
    var status: UpdaterStatus?
    /// The last progress shown, 0 to 100; nil: none was, or sizes are not known.
    private(set) var progress: Int?
    var white = WhiteTime()

    mutating func show(_ screen: AppHost.Screen) {
        self.screen = screen
        isPageInFront = screen == .page
    }

    mutating func show(progress percent: Int) { progress = percent }
}
