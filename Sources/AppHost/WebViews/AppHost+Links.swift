import Core
import LocalServer
import Updater

/// Links: which ones native code takes over (H4, H7), and where a load that the host requests leads to.
///
/// Path and query are kept where the version changes behind a page that works: a push in background, a long
/// absence, an order; the fragment too. A rescue and the restart of a dead web process lead to the start
/// page, because the page may be what failed. The link that opened the app is kept until content is shown,
/// over a loading screen and over a rescue.
extension AppHost {
    /// Whether native code takes over a link (``LinkRules``).
    func isNative(_ url: String) -> Bool {
        launch.map { LinkRules($0).isNative(url, port: port.number) } ?? false
    }

    /// Takes a navigation that a web view announces to native code, if it is one of native code's.
    /// - Returns: whether it is; the web view is not to follow it then.
    mutating func takeOver(_ kind: NavigationKind, _ url: String, in id: WebViewID) -> Bool {
        let isTaken = launch.map { LinkRules($0).takesOver(kind, url, port: port.number) } ?? false
        webViews.update(id) { $0.takenLink = isTaken ? LinkText.target(of: url) : nil }
        if isTaken { effects.append(.openLink(id, url: url)) }
        return isTaken
    }

    /// Takes a document request to native code, if it is one of native code's: `location.href` and forms
    /// reach only the server where the web view announces links alone. The page in front stays.
    mutating func takeOver(_ navigation: LocalServer.Navigation, in id: WebViewID) -> Bool {
        if let view = webViews.all.first(where: { $0.takenLink == navigation.target }) {
            webViews.update(view.id) { $0.takenLink = nil }
            partEvents.append(.server(.navigationAnswer(navigation.id, .handled)))
            return true
        }
        guard navigation.token == nil, let view = webViews[id], view.load != nil,
            view.announcedNavigation != .reload, view.announcedNavigation != .history,
            !navigation.isReload, isNative(navigation.target)
        else { return false }
        webViews.update(id) { $0.announced = nil }
        effects.append(.openLink(id, url: navigation.target))
        partEvents.append(.server(.navigationAnswer(navigation.id, .handled)))
        return true
    }

    /// The document changed its address without a request. Native code can't prevent that, so it takes over
    /// what the page already shows. A document that comes back from the page cache names its load so.
    mutating func addressChanged(to url: String, in id: WebViewID) {
        if let token = DocumentURL.load(url), webViews[id]?.isInBackground(token) == true {
            documentCommitted(url, in: id, keepsPrevious: true)
        }
        if isNative(url) { return effects.append(.openLink(id, url: url)) }
        guard let target = LinkText.target(of: url) else { return }
        webViews.addressChanged(to: target, fragment: LinkText.fragment(of: url), in: id)
    }

    mutating func openLink(_ text: String) {
        guard let target = checked(text) else { return }
        if isNative(target) { return effects.append(.openLink(.first, url: target)) }
        pendingLink = target
        // Behind a native screen the link waits until that screen goes.
        if loads.hasLoadedPage, screen.native == nil { load(.first, .navigation, target) }
    }

    /// Path, query and fragment of a link to a page of the app, without the server's query items; nil, and
    /// an entry in the log, where it is none.
    mutating func checked(_ text: String) -> String? {
        do {
            let fragment = LinkText.fragment(of: text)
            let target = try RequestTarget(Array(text.utf8.dropLast(fragment.utf8.count)))
            if target.route != nil, fragment.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) {
                return ReservedQueryItems.removed(from: target) + fragment
            }
        } catch {
            // The entry below says what is wrong with it.
        }
        append(LogEntry(.requestRefused, detail: "a link that is no path of the app"))
        return nil
    }

    /// Path, query and fragment for a reload; nil: the start page.
    func target(for reason: Updater.ReloadReason) -> String? {
        switch reason {
        case .rescue, .webProcessDied: pendingLink
        case .push, .longAbsence, .forced: pendingLink ?? currentTarget
        }
    }

    /// Path, query and fragment of the page in front, if the index of any version answers it: a file may be
    /// missing in the next one.
    private var currentTarget: String? {
        guard let target = webViews.first.target else { return nil }
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        let name = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? path
        return name.contains(UInt8(ascii: ".")) ? nil : target + webViews.first.fragment
    }
}
