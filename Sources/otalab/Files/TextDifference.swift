/// The unified diff of two texts, as `patch` reads it.
enum TextDifference {
    private enum Line {
        case kept(String), removed(String), added(String)

        var isKept: Bool {
            if case .kept = self { return true }
            return false
        }

        var text: String {
            switch self {
            case .kept(let text): " " + text
            case .removed(let text): "-" + text
            case .added(let text): "+" + text
            }
        }
    }

    private static let context = 3

    /// The diff; empty for equal texts.
    static func unified(_ old: String, _ new: String, path: String) -> String {
        let all = lines(
            old.split(separator: "\n", omittingEmptySubsequences: false).map(String.init),
            new.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        let changes = all.indices.filter { !all[$0].isKept }
        guard !changes.isEmpty else { return "" }
        var text = "--- \(path)\n+++ \(path)\n"
        var next = 0
        while next < changes.count {
            let first = max(0, changes[next] - context)
            var last = changes[next]
            while next < changes.count, changes[next] <= last + 2 * context + 1 {
                last = changes[next]
                next += 1
            }
            text += hunk(all, first...min(all.count - 1, last + context))
        }
        return text
    }

    private static func hunk(_ all: [Line], _ range: ClosedRange<Int>) -> String {
        var (oldStart, newStart) = (1, 1)
        for line in all[..<range.lowerBound] {
            switch line {
            case .kept: (oldStart, newStart) = (oldStart + 1, newStart + 1)
            case .removed: oldStart += 1
            case .added: newStart += 1
            }
        }
        var (oldCount, newCount) = (0, 0)
        var text = ""
        for line in all[range] {
            switch line {
            case .kept: (oldCount, newCount) = (oldCount + 1, newCount + 1)
            case .removed: oldCount += 1
            case .added: newCount += 1
            }
            text += line.text + "\n"
        }
        return "@@ -\(oldStart),\(oldCount) +\(newStart),\(newCount) @@\n" + text
    }

    private static func lines(_ old: [String], _ new: [String]) -> [Line] {
        let difference = new.difference(from: old)
        let removed = difference.removals.compactMap { change -> Int? in
            if case .remove(let offset, _, _) = change { return offset }
            return nil
        }
        let added = difference.insertions.compactMap { change -> Int? in
            if case .insert(let offset, _, _) = change { return offset }
            return nil
        }
        var all: [Line] = []
        var (oldIndex, newIndex) = (0, 0)
        var (removals, insertions) = (removed[...], added[...])
        while oldIndex < old.count || newIndex < new.count {
            if removals.first == oldIndex {
                all.append(.removed(old[oldIndex]))
                removals.removeFirst()
                oldIndex += 1
            } else if insertions.first == newIndex {
                all.append(.added(new[newIndex]))
                insertions.removeFirst()
                newIndex += 1
            } else {
                all.append(.kept(new[newIndex]))
                (oldIndex, newIndex) = (oldIndex + 1, newIndex + 1)
            }
        }
        return all
    }
}
