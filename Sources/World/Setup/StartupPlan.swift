import Core

/// What the page of a version does when it starts, as long as it gets the version's own bytes.
package struct StartupPlan: Hashable, Sendable {
    package var behaviour: StartupBehaviour
    /// The first starts on a device that go another way.
    package var first: FirstStarts?
    /// Instead of all that, on builds with a certain native interface.
    package var onNative: [NativeStartup] = []

    package init(_ behaviour: StartupBehaviour = .normal, first: FirstStarts? = nil) {
        self.behaviour = behaviour
        self.first = first
    }

    /// What the start with this number (from 1) of the version on a device does.
    package func behaviour(ofStart number: Int, native: String?) -> StartupBehaviour {
        for row in onNative where row.native == native { return row.behaviour }
        if let first, number <= first.count { return first.behaviour }
        return behaviour
    }
}

package struct FirstStarts: Hashable, Sendable {
    package var count: Int
    package var behaviour: StartupBehaviour

    package init(count: Int, behaviour: StartupBehaviour) {
        self.count = count
        self.behaviour = behaviour
    }
}

package struct NativeStartup: Hashable, Sendable {
    package var native: String
    package var behaviour: StartupBehaviour

    package init(native: String, behaviour: StartupBehaviour) {
        self.native = native
        self.behaviour = behaviour
    }
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
    /// Shows content after `usable` (files there), confirms after `confirms` or (nil) never.
    case staged(usable: TimeSpan, confirms: TimeSpan?)
}

package enum DyingPart: String, Hashable, Sendable, CaseIterable {
    /// The whole app.
    case process
    /// The web view's process alone.
    case page
}
