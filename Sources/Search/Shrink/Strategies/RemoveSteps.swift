import ScenarioLanguage

/// Removes steps: groups of neighbours, or one at a time, the last first, because later steps need earlier
/// ones. Steps in a `repeat` are tried as well.
struct RemoveSteps: ShrinkStrategy {
    /// A group has this part of the steps of its list: 2 for halves; nil for single steps.
    let share: Int?

    func candidates(_ tree: PrintedValue) -> [PrintedValue] {
        tree.stepLists.flatMap { path, steps -> [PrintedValue] in
            let size = share.map { max(1, steps.count / $0) } ?? 1
            if share != nil, size < 2 { return [] }
            return stride(from: steps.count, to: 0, by: -size).compactMap { end in
                let begin = max(0, end - size)
                // A list of steps is never empty.
                if end - begin == steps.count { return nil }
                return tree.replacing(path, by: .list(Array(steps[..<begin] + steps[end...])))
            }
        }
    }
}

/// Removes checks: all but one of the steps that expect something, or all. One that gave the app time becomes
/// a `wait`.
struct RemoveOtherChecks: ShrinkStrategy {
    func candidates(_ tree: PrintedValue) -> [PrintedValue] {
        let checks = tree.locatedSteps.filter(\.step.isCheck)
        if checks.isEmpty { return [] }
        let all = checks.map(\.path)
        var candidates = [without(all, tree)]
        // The last one is mostly the one that failed, because a run ends there.
        for kept in all.reversed() where all.count > 1 {
            candidates.append(without(all.filter { $0 != kept }, tree))
        }
        return candidates + all.reversed().map { without([$0], tree) }
    }

    private func without(_ paths: [TreePath], _ tree: PrintedValue) -> PrintedValue {
        paths.reversed().reduce(tree) { tree, path in
            tree.changed(at: path) { step in
                guard let span = step["within"] ?? step["throughout"] else { return nil }
                return .object([PrintedValue.Pair("wait", span)])
            } ?? tree
        }
    }
}

/// Replaces a `repeat` by its steps, once, or by a `wait` of the same length.
struct UnwrapRepeats: ShrinkStrategy {
    func candidates(_ tree: PrintedValue) -> [PrintedValue] {
        tree.stepLists.flatMap { path, steps in
            steps.indices.flatMap { index -> [PrintedValue] in
                guard let inner = steps[index]["steps"] else { return [] }
                let wait = UnwrapRepeats.wait(steps[index], inner.elements).map { [$0] }
                return [wait, inner.elements].compactMap(\.self).map { replacement in
                    var all = steps
                    all.replaceSubrange(index...index, with: replacement)
                    return tree.replacing(path, by: .list(all))
                }
            }
        }
    }

    private static func wait(_ step: PrintedValue, _ inner: [PrintedValue]) -> PrintedValue? {
        guard case .number(let count) = step["repeat"], count > 0, count < 1_000_000 else { return nil }
        let waits = inner.compactMap { Quantity($0["wait"]) }
        let round = waits.dropFirst().reduce(waits.first) { sum, wait in sum?.plus(wait) }
        return round?.times(count).map { .object([PrintedValue.Pair("wait", $0.value)]) }
    }
}

/// Joins two neighbours: two waits into one, a kill and a launch into a relaunch.
struct JoinSteps: ShrinkStrategy {
    func candidates(_ tree: PrintedValue) -> [PrintedValue] {
        tree.stepLists.flatMap { path, steps in
            steps.indices.dropLast().compactMap { index -> PrintedValue? in
                guard let joined = JoinSteps.joined(steps[index], steps[index + 1]) else { return nil }
                var all = steps
                all.replaceSubrange(index...(index + 1), with: [joined])
                return tree.replacing(path, by: .list(all))
            }
        }
    }

    private static func joined(_ first: PrintedValue, _ second: PrintedValue) -> PrintedValue? {
        if first.pairs.count == 1, second.pairs.count == 1, let one = first["wait"], let two = second["wait"],
            let sum = Quantity(one)?.plus(Quantity(two))
        {
            return .object([PrintedValue.Pair("wait", sum.value)])
        }
        guard first.pairs.count == 1, first["kill"] != nil, second.pairs.first?.key == "launch" else {
            return nil
        }
        var pairs = second.pairs
        pairs[0].key = "relaunch"
        return .object(pairs)
    }
}
