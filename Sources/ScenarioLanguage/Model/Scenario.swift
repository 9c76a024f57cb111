import Core

/// A scenario. A file has one, or one for each of its `cases`.
///
/// The reader has checked the names (versions, edges, builds, pages, marks) against their declarations. The
/// laboratory gives them their meaning.
package struct Scenario: Hashable, Sendable {
    package var source: SourceFile
    /// Id of the scenario: `id` of the file, or its path without extension. The same for all cases of a file.
    package var id: String
    /// Name of this case, when the file has `cases`.
    package var caseName: Spanned<String>?
    package var title: Spanned<String>
    /// Thread or commit that first described the scenario.
    package var issue: Spanned<String>?
    /// Ids of the rules (`Sources/Runner/Runner.docc/Rules.md`) that the scenario shows.
    package var covers: [Spanned<String>]
    package var tags: [Spanned<String>]
    /// Why the scenario is expected to fail; then passing is a failure.
    package var xfail: Spanned<String>?
    /// Why the scenario is not run.
    package var skip: Spanned<String>?
    /// Seed of the keyed choices.
    package var seed: UInt64
    package var limits: RunLimits
    package var liveness: Liveness
    /// Profile of the device; with several devices, of the first.
    package var device: Spanned<String>
    /// Devices in the order of the file, when there are several; empty for one device.
    package var devices: [DeviceSpec]
    /// What differs on each of them from its profile.
    package var deviceChanges = DeviceChanges()
    package var app: AppSpec
    package var origin: OriginSpec
    /// Keys that sign manifests, in the order of the file (rule U16).
    package var keys: [KeySpec] = []
    /// Versions in the order of the file.
    package var versions: [VersionSpec]
    package var steps: [Step]
    /// Location of the file's object.
    package var span: SourceSpan

    /// Name of the scenario, `updating/plain [case]`: unique in a folder.
    package var name: String { caseName.map { "\(id) [\($0.value)]" } ?? id }

    package func version(_ name: String) -> VersionSpec? { versions.first { $0.name.value == name } }
}

/// A device of a scenario with several devices.
package struct DeviceSpec: Hashable, Sendable {
    package var name: Spanned<String>
    package var profile: Spanned<String>
}

/// Limits of a run. A run that reaches one is inconclusive.
package struct RunLimits: Hashable, Sendable {
    /// Most events of the world.
    package var events: Spanned<Int>?
    package var virtualTime: Spanned<TimeSpan>?

    package init(events: Spanned<Int>? = nil, virtualTime: Spanned<TimeSpan>? = nil) {
        self.events = events
        self.virtualTime = virtualTime
    }
}

/// What is expected of the device after the last step, when the faults are healed.
package enum Liveness: Hashable, Sendable {
    /// It runs and confirms the version that it should have.
    case expected
    /// Nothing, with the reason, for example because the scenario removes the origin.
    case none(because: Spanned<String>)
}
