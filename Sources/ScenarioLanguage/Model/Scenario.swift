import Core

/// One story as data: a file gives one scenario, or one for each of its `cases`.
///
/// Names (versions, edges, builds, pages, marks) have been checked against their declarations when
/// a reader hands this out. What the names stand for is the laboratory's business.
public struct Scenario: Hashable, Sendable {
    public var source: SourceFile
    /// The path without its extension, or what `id` says; the same for all cases of a file.
    public var id: String
    /// The name of this case, where the file has `cases`.
    public var caseName: Spanned<String>?
    public var title: Spanned<String>
    /// A thread or a commit where the story was told first.
    public var issue: Spanned<String>?
    /// Ids of the rulebook.
    public var covers: [Spanned<String>]
    public var tags: [Spanned<String>]
    /// Why this is expected to fail; passing is then the failure.
    public var xfail: Spanned<String>?
    /// Why this is not run.
    public var skip: Spanned<String>?
    public var seed: UInt64
    public var limits: RunLimits
    public var liveness: Liveness
    /// The profile; where there are several devices that of the first.
    public var device: Spanned<String>
    /// Where there are several: in the order of the file. Empty for the one device of most stories.
    public var devices: [DeviceSpec]
    public var app: AppSpec
    public var origin: OriginSpec
    /// In the order of the file.
    public var versions: [VersionSpec]
    public var steps: [Step]
    /// The whole object of the file.
    public var span: SourceSpan

    /// `updating/plain [case]`: unique among the scenarios of one folder.
    public var name: String { caseName.map { "\(id) [\($0.value)]" } ?? id }

    public func version(_ name: String) -> VersionSpec? { versions.first { $0.name.value == name } }
}

/// One of several devices.
public struct DeviceSpec: Hashable, Sendable {
    public var name: Spanned<String>
    public var profile: Spanned<String>
}

/// Bounds of a run; beyond them it is inconclusive.
public struct RunLimits: Hashable, Sendable {
    public var events: Spanned<Int64>?
    public var virtualTime: Spanned<TimeSpan>?

    public init(events: Spanned<Int64>? = nil, virtualTime: Spanned<TimeSpan>? = nil) {
        self.events = events
        self.virtualTime = virtualTime
    }
}

/// What is asked of the device after the last step, when the faults are healed.
public enum Liveness: Hashable, Sendable {
    /// It must come to run and confirm the version that it should have.
    case expected
    /// Nothing, for a reason: the origin is gone on purpose.
    case none(because: Spanned<String>)
}
