import Core

/// One story as data: a file gives one scenario, or one for each of its `cases`.
///
/// Names (versions, edges, builds, pages, marks) have been checked against their declarations when
/// a reader hands this out. What the names stand for is the laboratory's business.
package struct Scenario: Hashable, Sendable {
    package var source: SourceFile
    /// The path without its extension, or what `id` says; the same for all cases of a file.
    package var id: String
    /// The name of this case, where the file has `cases`.
    package var caseName: Spanned<String>?
    package var title: Spanned<String>
    /// A thread or a commit where the story was told first.
    package var issue: Spanned<String>?
    /// Ids of the rulebook.
    package var covers: [Spanned<String>]
    package var tags: [Spanned<String>]
    /// Why this is expected to fail; passing is then the failure.
    package var xfail: Spanned<String>?
    /// Why this is not run.
    package var skip: Spanned<String>?
    package var seed: UInt64
    package var limits: RunLimits
    package var liveness: Liveness
    /// The profile; where there are several devices that of the first.
    package var device: Spanned<String>
    /// Where there are several: in the order of the file. Empty for the one device of most stories.
    package var devices: [DeviceSpec]
    package var app: AppSpec
    package var origin: OriginSpec
    /// In the order of the file.
    package var versions: [VersionSpec]
    package var steps: [Step]
    /// The whole object of the file.
    package var span: SourceSpan

    /// `updating/plain [case]`: unique among the scenarios of one folder.
    package var name: String { caseName.map { "\(id) [\($0.value)]" } ?? id }

    package func version(_ name: String) -> VersionSpec? { versions.first { $0.name.value == name } }
}

/// One of several devices.
package struct DeviceSpec: Hashable, Sendable {
    package var name: Spanned<String>
    package var profile: Spanned<String>
}

/// Bounds of a run; beyond them it is inconclusive.
package struct RunLimits: Hashable, Sendable {
    package var events: Spanned<Int>?
    package var virtualTime: Spanned<TimeSpan>?

    package init(events: Spanned<Int>? = nil, virtualTime: Spanned<TimeSpan>? = nil) {
        self.events = events
        self.virtualTime = virtualTime
    }
}

/// What is asked of the device after the last step, when the faults are healed.
package enum Liveness: Hashable, Sendable {
    /// It must come to run and confirm the version that it should have.
    case expected
    /// Nothing, for a reason: the origin is gone on purpose.
    case none(because: Spanned<String>)
}
