import Core

/// Which screen is shown: the page, the cover before first content (T4), or a native one.
///
/// **Invariant.** `shown` is the screen of the last ``AppHost/AppHost/Effect/screen(_:)``. A port that
/// can't be bound goes before the updater's screen, that one before page and cover. A screen that takes the
/// cover's place goes with the page's first content.
struct ScreenState: Sendable {
    private(set) var shown = AppHost.Screen.cover
    /// The screen that the updater demands; nil: none, a version can be shown.
    var native: AppHost.Screen? { demanded?.screen }
    /// Whether a native screen is shown because a page shows nothing; its first content removes that screen.
    var endsWithContent: Bool { demanded?.endsWithContent == true }
    private var demanded: Demanded?

    private struct Demanded: Sendable {
        var screen: AppHost.Screen
        /// Whether the page is still loading behind it, and its first content removes it (R13).
        var endsWithContent: Bool
    }

    /// - Returns: whether a native screen has just gone, so that the cover is to follow it.
    mutating func setNative(_ screen: AppHost.Screen?) -> Bool {
        defer { demanded = screen.map { Demanded(screen: $0, endsWithContent: false) } }
        return screen == nil && demanded != nil
    }

    mutating func setNativeUntilContent(_ screen: AppHost.Screen) {
        demanded = Demanded(screen: screen, endsWithContent: true)
    }

    mutating func contentShown() { if endsWithContent { demanded = nil } }

    /// - Returns: the screen to show now; nil: it is shown already.
    mutating func update(port: AppHost.Screen?, hasContent: Bool) -> AppHost.Screen? {
        let screen = port ?? native ?? (hasContent ? .page : .cover)
        guard screen != shown else { return nil }
        shown = screen
        return screen
    }
}

extension AppHost {
    /// Shows the screen of this moment, if it is not shown already.
    mutating func showScreen() {
        let hasContent = webViews.first.hasContent
        guard let changed = screen.update(port: port.screen, hasContent: hasContent) else { return }
        effects.append(.screen(changed))
    }

    /// Shows the cover until the next content, unless a native screen is shown (T4).
    mutating func cover() {
        webViews.update(.first) { $0.hasContent = false }
        showScreen()
    }

    /// Replaces the cover. If the page has content already, the updater learns that, which counts on its
    /// screen: of two views that navigate at once it may have clocked the other one's load.
    mutating func setNativeScreenUntilContent(_ wanted: Screen) {
        guard !webViews.first.hasContent else {
            guard let load = webViews.first.loadInFront else { return }
            return partEvents.append(.updater(.page(load, .contentShown)))
        }
        screen.setNativeUntilContent(wanted)
        showScreen()
    }

    mutating func setNativeScreen(_ wanted: Screen?) {
        if screen.setNative(wanted) { cover() } else { showScreen() }
    }
}
