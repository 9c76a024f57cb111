import ScenarioLanguage

/// One way to make a scenario smaller or plainer.
///
/// A strategy knows nothing about what a scenario means: it changes the printed tree, the reader refuses what
/// is not valid, and a run shows whether the failure is still the same. So a new key of the language is shrunk
/// without a change here.
protocol ShrinkStrategy: Sendable {
    /// Smaller trees, in the order in which they are tried. Each differs from the tree by one change. When one
    /// is accepted, the search continues with the candidates of the new tree from the same index on.
    func candidates(_ tree: PrintedValue) -> [PrintedValue]
}

/// The strategies in the order of a round: what removes most comes first.
enum ShrinkStrategies {
    static let all: [any ShrinkStrategy] = [
        RemoveOtherChecks(),
        RemoveSteps(share: 2), RemoveSteps(share: 4), RemoveSteps(share: 8),
        RemoveVersions(),
        RemoveSteps(share: nil),
        UnwrapRepeats(),
        RemoveMembers(),
        JoinSteps(),
        PlainerValues(),
        PlainBuild(),
        RoundQuantities(),
        RenameVersions(),
        RemoveName(),
    ]
}
