import Core

/// What the page of a version does when it starts.
package struct StartupSpec: Hashable, Sendable {
    package var behaviour: StartupBehaviour
    /// The first starts on a device that go another way.
    package var first: FirstStarts?
    /// Instead of all that, on builds with a certain native interface.
    package var onNative: [NativeStartup]
    /// Where the file says it; the version's name where it says nothing.
    package var span: SourceSpan

    package init(
        behaviour: StartupBehaviour = .normal, first: FirstStarts? = nil, onNative: [NativeStartup] = [],
        span: SourceSpan = SourceSpan(start: 0, end: 0)
    ) {
        self.behaviour = behaviour
        self.first = first
        self.onNative = onNative
        self.span = span
    }

    /// What the start with this number (from 1) of the version on a device does.
    package func behaviour(ofStart number: Int, native: String?) -> StartupBehaviour {
        for special in onNative where special.native.value == native { return special.startup }
        if let first, number <= first.count.value { return first.behaviour }
        return behaviour
    }
}

/// `{ fails: 2, how: … }`.
package struct FirstStarts: Hashable, Sendable {
    package var count: Spanned<Int>
    package var behaviour: StartupBehaviour
}

package struct NativeStartup: Hashable, Sendable {
    package var native: Spanned<String>
    package var startup: StartupBehaviour
}

/// Times count from the commit of the document.
package enum StartupBehaviour: Hashable, Sendable {
    /// Shows content and confirms as soon as its files are there.
    case normal
    /// Loads, shows nothing, says nothing.
    case hangs
    /// Reports a failure then; nil: throws while its script loads, before any handler is there, and says
    /// nothing.
    case throwsError(after: TimeSpan?)
    case dies(DyingPart, after: TimeSpan)
    /// Shows content after `usable`, confirms after `confirms` or (nil) never.
    case staged(usable: TimeSpan, confirms: TimeSpan?)
}

package enum DyingPart: String, CaseIterable, Hashable, Sendable {
    /// The whole app.
    case process
    /// The web view's process alone.
    case page
}
