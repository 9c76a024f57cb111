import Core

/// An action of a page.
package struct PageSpec: Hashable, Sendable {
    /// Name of a page load, given with `as`; nil for the page in front.
    package var page: Spanned<String>?
    package var action: PageAction

    package init(page: Spanned<String>? = nil, action: PageAction) {
        self.page = page
        self.action = action
    }
}

/// What a page does.
package enum PageAction: Hashable, Sendable {
    /// `location.reload()`.
    case reload
    /// A reload that bypasses the web cache.
    case reloadFromOrigin
    /// `location.replace(location.href)`.
    case replaceLocation
    /// Follows a link to the start page.
    case tapsLink
    case submitsForm
    case goesBack
    /// The system ends the process of its web view.
    case dies
    /// Its web view is closed; impossible for the app's first one.
    case closes
    /// Follows a link to this path, with query and fragment.
    case follows(Spanned<String>)
    /// `history.pushState`: this path, with query and fragment, is the page's address from now on.
    case pushes(Spanned<String>)
    /// Opens another web view at this path, with query and fragment.
    case opens(Spanned<String>)
    case calls(Spanned<BridgeCall>)
    /// Sends a message to native code, valid or not (rule N5), padded with spaces to `size` bytes.
    case sends(Spanned<String>, size: Spanned<Int>?)
    /// Requests a lazy script, an image or an API route; with `keepsAsking` six times at once, and again at
    /// each answer, for this time. `with`: what the request has beside its target; nil: a plain GET.
    indirect case asks(Spanned<String>, keepsAsking: Spanned<TimeSpan>? = nil, with: RequestSpec? = nil)
    /// Embeds this path, with query, in a frame (`<iframe src>`, HTML §4.8.5).
    case embeds(Spanned<String>)
    /// Stores a value under its origin, by this key.
    case stores(Spanned<String>)
    /// Sets a persistent cookie with this name.
    case setsCookie(Spanned<String>)
}

extension PageSpec {
    /// What the page's request has beside its target; nil: a plain GET, or no request.
    package var request: RequestSpec? {
        get { if case .asks(_, _, let request) = action { request } else { nil } }
        set {
            guard case .asks(let target, let span, _) = action else { return }
            action = .asks(target, keepsAsking: span, with: newValue)
        }
    }
}

/// A function of native code that a page can call.
package enum BridgeCall: String, CaseIterable, Hashable, Sendable {
    case startupDidComplete, startupDidFail, switchToPendingVersion, checkForUpdates
    case onNewVersionReady, onError, holdOff, release
}

/// An action of the user.
package enum UserAction: Hashable, Sendable {
    /// Does nothing; ends the previous action.
    case waits
    /// Types into the page, between these times after the step; nil for now until the next action.
    case types(from: TimeSpan?, to: TimeSpan?)
    case taps
    case tapsLink
    case swipesAway
    case presses(ScreenButton)
}

/// A button of a native screen. The language has no keyword for `retry`.
package enum ScreenButton: String, CaseIterable, Hashable, Sendable {
    case retry, tryAgain, lookForUpdate, sendReport
}
