import Core
import LocalServer
import Updater

/// Links: which ones native code takes over (H4), and where a load that the host asks for leads to.
///
/// The place is kept where the version changes behind a page that works: a push in background, a long
/// absence, an order. A rescue and the restart of a dead web process lead to the start page, for the place
/// may be what failed. What the app was opened for is kept until content is shown, over a loading screen and
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
            return log(LogEntry(.requestRefused, detail: "a link that is no path of the app"))
        }
        link = target
        // Behind a native screen it waits for what that screen waits for.
        if hasLoaded, nativeScreen == nil { command(.first, .navigation, target) }
    }

    /// Path and query of a page of the app; nil for anything else.
    func checked(_ text: String) -> String? {
        do {
            let target = try RequestTarget(Array(text.utf8))
            return target.route == nil ? nil : text
        } catch {
            return nil
        }
    }

    func target(for reason: Updater.ReloadReason) -> String? {
        switch reason {
        case .rescue, .webProcessDied, .firstVersion: link
        case .push, .longAbsence, .recall, .forced: link ?? place
        }
    }

    /// Only what the index of any version answers: a file may be missing in the next one.
    private var place: String? {
        guard let place = views.first?.place else { return nil }
        let path = place.utf8.prefix { $0 != UInt8(ascii: "?") }
        let name = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? path
        return name.contains(UInt8(ascii: ".")) ? nil : place
    }
}

extension Expected {
    func target(with items: String) -> String {
        target + (target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + items
    }
}

/// URLs of this app, as text.
enum LinkText {
    /// Path and query of a URL without its fragment and items of ours; nil where it has no path.
    static func target(of url: String) -> String? {
        let url = URLParts(url)
        guard (url.scheme == nil) == (url.authority == nil) else { return nil }
        do {
            return ReservedItems.removed(from: try RequestTarget(Array(url.target.utf8)))
        } catch {
            return nil
        }
    }
}
