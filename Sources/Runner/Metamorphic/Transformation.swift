import Backend
import ScenarioLanguage

/// A change of a run that must not change its end state.
///
/// Each transformation is one value in a file of its own, with the reason why it changes nothing that
/// matters; ``Transformations/all`` lists them. It says of a scenario in which ways it can be applied, or why
/// it can't.
protocol Transformation: Sendable {
    /// What is changed: `slower syncs`.
    var name: String { get }
    /// Why the end must be the same.
    var reason: String { get }

    /// The changed runs, at least one.
    /// - Throws: why it can't be applied to this run.
    func variants(of base: UnchangedRun) throws(NotApplicable) -> [Variant]
}

/// Why a transformation can't be applied: the difference that it might make would be right.
struct NotApplicable: Error, Hashable {
    var why: String

    init(_ why: String) { self.why = why }
}

/// One changed run.
struct Variant: Sendable {
    /// What is changed in it, as a part of a sentence: `a relaunch before step 4`.
    var name: String
    var scenario: Scenario
    /// Changes the setup, after the scenario was compiled.
    var change: @Sendable (inout WorldSetup) -> Void = { _ in }
    /// Whether the app needs another time for what it does. Where a step then comes while it is at work, the
    /// moment decides what the step meets, and the ends are not compared.
    var isOfOtherPace = false
    /// Routes that have another name in the changed run, and their names in the unchanged one.
    var routes: [Route] = []

    struct Route: Hashable, Sendable {
        var changed: String
        var own: String
    }
}

enum Transformations {
    static let all: [any Transformation] = [
        SyncSpeed(factor: 10), SyncSpeed(factor: 0), PieceSize(), SimultaneousEvents(), ManifestOrder(),
        FileNames(), InactiveAndActive(), ExtraCheck(), ExtraRestart(),
    ]
}
