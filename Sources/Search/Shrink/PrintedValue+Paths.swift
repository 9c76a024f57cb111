import ScenarioLanguage

/// Way from the root of a printed scenario to a value: indices of members and elements.
typealias TreePath = [Int]

extension PrintedValue {
    /// The members of an object; empty for any other value.
    var pairs: [Pair] {
        if case .object(let pairs) = self { pairs } else { [] }
    }

    /// The elements of a list; empty for any other value.
    var elements: [PrintedValue] {
        if case .list(let elements) = self { elements } else { [] }
    }

    subscript(key: String) -> PrintedValue? {
        get { pairs.first { $0.key == key }?.value }
        set {
            var pairs = pairs
            let index = pairs.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): pairs[index].value = value
            case (let index?, nil): pairs.remove(at: index)
            case (nil, let value?): pairs.append(Pair(key, value))
            case (nil, nil): return
            }
            self = .object(pairs)
        }
    }

    /// The tree with the value at the path changed; nil removes it.
    func changed(at path: some Collection<Int>, _ change: (PrintedValue) -> PrintedValue?) -> PrintedValue? {
        guard let first = path.first else { return change(self) }
        let rest = path.dropFirst()
        switch self {
        case .object(var pairs):
            guard pairs.indices.contains(first) else { return self }
            if let value = pairs[first].value.changed(at: rest, change) {
                pairs[first].value = value
            } else {
                pairs.remove(at: first)
            }
            return .object(pairs)
        case .list(var elements):
            guard elements.indices.contains(first) else { return self }
            if let value = elements[first].changed(at: rest, change) {
                elements[first] = value
            } else {
                elements.remove(at: first)
            }
            return .list(elements)
        case .null, .flag, .number, .text: return self
        }
    }

    /// The tree without the value at the path.
    func without(_ path: TreePath) -> PrintedValue { changed(at: path) { _ in nil } ?? self }

    func replacing(_ path: TreePath, by value: PrintedValue) -> PrintedValue {
        changed(at: path) { _ in value } ?? self
    }

    /// A value of the tree with the way to it.
    struct Located {
        var path: TreePath
        /// Key of the member; nil for an element of a list.
        var key: String?
        var value: PrintedValue
        /// Keys on the way, the outermost first; that of an element is the one of its list.
        var keys: [String]
    }

    /// All values below the root in the order of the text, outer ones first.
    var located: [Located] {
        var found: [Located] = []
        func walk(_ value: PrintedValue, _ path: TreePath, _ keys: [String]) {
            switch value {
            case .object(let pairs):
                for (index, pair) in pairs.enumerated() {
                    let next = path + [index]
                    let keys = keys + [pair.key]
                    found.append(Located(path: next, key: pair.key, value: pair.value, keys: keys))
                    walk(pair.value, next, keys)
                }
            case .list(let elements):
                for (index, element) in elements.enumerated() {
                    let next = path + [index]
                    found.append(Located(path: next, key: nil, value: element, keys: keys))
                    walk(element, next, keys)
                }
            case .null, .flag, .number, .text: break
            }
        }
        walk(self, [], [])
        return found
    }
}

// Steps.
extension PrintedValue {
    /// Keys of the verbs of a step that checks and does not act.
    private static let checks = ["expect", "always", "never"]

    /// Whether it is a step that expects something.
    var isCheck: Bool { pairs.contains { PrintedValue.checks.contains($0.key) } }

    /// All steps, with those in a `repeat`; a `repeat` comes before its steps.
    var locatedSteps: [(path: TreePath, step: PrintedValue)] {
        var found: [(path: TreePath, step: PrintedValue)] = []
        func walk(_ owner: PrintedValue, _ path: TreePath) {
            guard let index = owner.pairs.firstIndex(where: { $0.key == "steps" }) else { return }
            for (number, step) in owner.pairs[index].value.elements.enumerated() {
                let next = path + [index, number]
                found.append((next, step))
                walk(step, next)
            }
        }
        walk(self, [])
        return found
    }

    /// Lists of steps: that of the scenario, and those of each `repeat`.
    var stepLists: [(path: TreePath, steps: [PrintedValue])] {
        located.filter { $0.key == "steps" && $0.value.elements.allSatisfy { !$0.pairs.isEmpty } }
            .map { ($0.path, $0.value.elements) }
    }
}
