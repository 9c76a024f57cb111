import ScenarioLanguage

/// One way to make a scenario smaller or plainer.
///
/// A strategy knows nothing about what a scenario means: it changes the printed tree, the reader refuses
/// what is not valid, and a run shows whether the failure is still the same. So a new key of the language is
/// shrunk without a change here.
protocol ShrinkStrategy: Sendable {
    /// Smaller trees, in the order in which they are tried. Each differs from the tree by one change. When
    /// one is accepted, the search continues with the candidates of the new tree from the same index on.
    func candidates(_ tree: PrintedValue) -> [PrintedValue]
}

/// The strategies in the order of a round: what removes most comes first.
enum ShrinkStrategies {
    /// - Parameter keepsConduct: whether faults and start-ups stay as they are. An expectation is about what
    ///   they do: with another fault it may be wrong on purpose. A rule holds for all of them.
    static func all(keepsConduct: Bool) -> [any ShrinkStrategy] {
        [
            RemoveOtherChecks(),
            RemoveSteps(share: 2), RemoveSteps(share: 4), RemoveSteps(share: 8),
            RemoveVersions(),
            RemoveSteps(share: nil),
            UnwrapRepeats(),
            RemoveMembers(keepsConduct: keepsConduct),
            JoinSteps(),
            PlainerValues(keepsConduct: keepsConduct),
            PlainBuild(),
            RoundQuantities(keepsConduct: keepsConduct),
            RenameVersions(),
        ]
    }

    /// Keys whose values say what a fault, damage or the start of a page does.
    static let conduct = ["fault", "startup", "do", "how"]
}
