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
}

/// `{ fails: 2, how: … }`.
package struct FirstStarts: Hashable, Sendable {
    package var count: Spanned<Int64>
    package var behaviour: StartupBehaviour
}

package struct NativeStartup: Hashable, Sendable {
    package var native: Spanned<String>
    package var startup: StartupBehaviour
}

/// Times count from the answer to the index.
package enum StartupBehaviour: Hashable, Sendable {
    /// Shows content and confirms as soon as its files are there.
    case normal
    /// Loads, shows nothing, says nothing.
    case hangs
    /// Reports a failure through the error handler; nil: as soon as its script runs.
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
