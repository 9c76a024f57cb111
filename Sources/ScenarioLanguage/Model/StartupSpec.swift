import Core

/// What the page of a version does when it starts.
public struct StartupSpec: Hashable, Sendable {
    public var behaviour: StartupBehaviour
    /// The first starts on a device that go another way.
    public var first: FirstStarts?
    /// Instead of all that, on builds with a certain native interface.
    public var onNative: [NativeStartup]
    /// Where the file says it; the version's name where it says nothing.
    public var span: SourceSpan
}

/// `{ fails: 2, how: … }`.
public struct FirstStarts: Hashable, Sendable {
    public var count: Spanned<Int64>
    public var behaviour: StartupBehaviour
}

public struct NativeStartup: Hashable, Sendable {
    public var native: Spanned<String>
    public var startup: StartupBehaviour
}

/// Times count from the answer to the index.
public enum StartupBehaviour: Hashable, Sendable {
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

public enum DyingPart: String, CaseIterable, Hashable, Sendable {
    /// The whole app.
    case process
    /// The web view's process alone.
    case page
}
