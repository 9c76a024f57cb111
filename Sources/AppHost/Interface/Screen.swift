import Updater

extension AppHost {
    /// The native screen. `cover` looks like the app's first page and stays until first content (T4, F4).
    public enum Screen: Hashable, Sendable {
        /// The web view with its page.
        case page
        case cover
        /// No version can be shown yet; nil: nothing has been downloaded.
        case loading(DownloadProgress?)
        case offline
        /// No version can be shown yet, because the device has no room for one (U7, U11).
        case noSpace
        case recovery
        /// Another process listens on the app's port (S4).
        case portTaken
        /// The system does not open the app's port; it is tried again.
        case portFailed(PortFault)
    }

    /// Buttons of native screens.
    public enum UserIntent: String, Hashable, Sendable, CaseIterable {
        /// Offline screen, or the one for missing room: check again.
        case retry
        /// Recovery screen: start the version that failed once more.
        case tryAgain
        case lookForUpdate
        case sendReport
    }
}
