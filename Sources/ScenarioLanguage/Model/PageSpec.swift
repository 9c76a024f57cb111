import Core

/// Something that a page does.
package struct PageSpec: Hashable, Sendable {
    /// A page load named with `as` before; nil: the one in front.
    package var page: Spanned<String>?
    package var action: PageAction

    package init(page: Spanned<String>? = nil, action: PageAction) {
        self.page = page
        self.action = action
    }
}

package enum PageAction: Hashable, Sendable {
    /// `location.reload()`.
    case reload
    /// The reload that goes past the web cache.
    case reloadFromOrigin
    /// `location.replace(location.href)`.
    case replaceLocation
    /// Follows a link to the start page.
    case tapsLink
    case submitsForm
    case goesBack
    /// Its web view goes; not the app's first one.
    case closes
    /// A web view beside its own, at this route.
    case opens(Spanned<String>)
    case calls(Spanned<BridgeCall>)
    /// A message to native code as it stands, right or wrong (rule N5).
    /// `size`: filled up with spaces to so many bytes.
    case sends(Spanned<String>, size: Spanned<Int>?)
    /// A request of its own: lazy script, image, API.
    case asks(Spanned<String>)
    /// Under its origin, by its key.
    case stores(Spanned<String>)
    /// One that lasts, by its name.
    case setsCookie(Spanned<String>)
}

/// What a page can call on the native side.
package enum BridgeCall: String, CaseIterable, Hashable, Sendable {
    case startupDidComplete, startupDidFail, switchToPendingVersion, checkForUpdates
    case onNewVersionReady, onError, holdOff, release
}

/// Something that the person in front of the device does.
package enum UserAction: Hashable, Sendable {
    /// Looks on; ends what was begun before.
    case waits
    /// Types into the page, from and to that long after the step; nil: now, until told otherwise.
    case types(from: TimeSpan?, to: TimeSpan?)
    case taps
    case tapsLink
    case swipesAway
    case presses(ScreenButton)
}

/// A button of a native screen. No word presses `retry` yet.
package enum ScreenButton: String, CaseIterable, Hashable, Sendable {
    case retry, tryAgain, lookForUpdate, sendReport
}
