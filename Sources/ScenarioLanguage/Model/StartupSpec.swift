import Core

/// What the page of a version does when it starts.
package struct StartupSpec: Hashable, Sendable {
    /// Behaviour of a start that is neither among the first ones nor on a listed native interface.
    package var behaviour: StartupBehaviour
    /// First starts on a device, with another behaviour.
    package var first: FirstStarts?
    /// Behaviour on builds with a certain native interface; takes precedence.
    package var onNative: [NativeStartup]
    /// What every start needs in order to go well; without it, the page reports a failure. Nil: nothing.
    package var needs: Spanned<StartupNeed>?
    /// Location in the file; that of the version's name when the file has no `startup`.
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

    /// Behaviour of a start of the version on a device.
    /// - Parameters:
    ///   - ordinal: ordinal of the start, from 1.
    ///   - native: native interface of the build.
    package func behaviour(ofStart ordinal: Int, native: String?) -> StartupBehaviour {
        for special in onNative where special.native.value == native { return special.startup }
        if let first, ordinal <= first.count.value { return first.behaviour }
        return behaviour
    }
}

extension StartupSpec {
    /// Number of first starts that go well, where later ones do not; nil: none are set apart.
    package var works: Spanned<Int>? {
        get { first.flatMap { $0.behaviour == .normal ? $0.count : nil } }
        set { first = newValue.map { FirstStarts(count: $0, behaviour: .normal) } }
    }
}

/// What the start of a page depends on.
package enum StartupNeed: String, CaseIterable, Hashable, Sendable {
    /// The device is online.
    case network
    /// The app's first API path is answered with a status below 300.
    case api
    /// Something is stored under the pages' origin.
    case storage
}

/// `{ fails: 2, how: … }` or `{ works: 2, … }`: the number of first starts, and their behaviour.
package struct FirstStarts: Hashable, Sendable {
    package var count: Spanned<Int>
    package var behaviour: StartupBehaviour
}

/// The behaviour on builds with one native interface.
package struct NativeStartup: Hashable, Sendable {
    package var native: Spanned<String>
    package var startup: StartupBehaviour
}

/// How a start goes. Times count from the commit of the document.
package enum StartupBehaviour: Hashable, Sendable {
    /// Shows content and confirms as soon as its files have arrived.
    case normal
    /// Loads, but neither shows content nor confirms nor reports a failure.
    case hangs
    /// Reports a failure after this time; nil: throws while its script loads, before there is a handler, so
    /// that nothing is reported.
    case throwsError(after: TimeSpan?)
    /// Ends a process after this time.
    case dies(DyingPart, after: TimeSpan)
    /// Shows content after `usable` and confirms after `confirms`, or never when that is nil.
    case staged(usable: TimeSpan, confirms: TimeSpan?)
}

/// The process that a start ends.
package enum DyingPart: String, CaseIterable, Hashable, Sendable {
    /// The app's process.
    case process
    /// The web view's process only.
    case page
}
