import ScenarioLanguage

/// Removes keys of all objects and elements of all lists except steps and versions: modifiers of faults,
/// settings of the app, files, names, devices, parts of expectations.
struct RemoveMembers: ShrinkStrategy {
    let keepsConduct: Bool
    /// Keys that nothing runs without, and those that the choices of the run are made from: they are removed
    /// last, if the failure needs none of these choices (``ShrinkSearch/removeSeed()``).
    private static let kept = ["schema", "title", "id", "seed", "versions", "steps"]

    func candidates(_ tree: PrintedValue) -> [PrintedValue] {
        let liveness = tree["liveness"].map { _ in
            var plain = tree
            plain["liveness"] = nil
            plain["because"] = nil
            return plain
        }
        // The last first: a name is declared before it is used.
        return (liveness.map { [$0] } ?? [])
            + tree.located.reversed().filter(isRemovable).map { tree.without($0.path) }
    }

    private func isRemovable(_ value: PrintedValue.Located) -> Bool {
        if value.path.count == 1 { return !RemoveMembers.kept.contains(value.key ?? "") }
        if keepsConduct, value.keys.contains(where: ShrinkStrategies.conduct.contains) { return false }
        if value.path.count == 2, value.keys[0] == "versions" { return false }
        // An element of a list of steps.
        if value.key == nil, value.keys.last == "steps" { return false }
        return true
    }
}
