import Core
import LocalServer
import Updater

/// Links: which ones native code takes over (H4), and where a load that the host requests leads to.
///
/// Path and query are kept where the version changes behind a page that works: a push in background, a long
/// absence, an order. A rescue and the restart of a dead web process lead to the start page, because the page
/// may be what failed. The link that opened the app is kept until content is shown, over a loading screen and
/// over a rescue.
extension AppHost {
    func isNative(_ url: String) -> Bool {
        guard let target = LinkText.target(of: url) else { return false }
        let path = target.prefix { $0 != "?" }
        return launch?.nativeLinks.contains { pattern in
            pattern.hasSuffix("*") ? path.hasPrefix(pattern.dropLast()) : path == pattern
        } ?? false
    }

    mutating func openLink(_ text: String) {
        guard let target = checked(text) else {
            return append(LogEntry(.requestRefused, detail: "a link that is no path of the app"))
        }
        pendingLink = target
        // Behind a native screen the link waits until that screen goes.
        if loads.hasLoadedFirstView, screen.native == nil { load(.first, .navigation, target) }
    }

    /// The text, if it is path and query of a page of the app; else nil.
    func checked(_ text: String) -> String? {
        do {
            let target = try RequestTarget(Array(text.utf8))
            return target.route == nil ? nil : text
        } catch {
            return nil
        }
    }

    /// Path and query for a reload; nil: the start page.
    func target(for reason: Updater.ReloadReason) -> String? {
        switch reason {
        case .rescue, .webProcessDied, .firstVersion: pendingLink
        case .push, .longAbsence, .recall, .forced: pendingLink ?? currentTarget
        }
    }

    /// Path and query of the page in front, if the index of any version answers it: a file may be missing in
    /// the next one.
    private var currentTarget: String? {
        guard let target = webViews.first.target else { return nil }
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        let name = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? path
        return name.contains(UInt8(ascii: ".")) ? nil : target
    }
}
