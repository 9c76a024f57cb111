import Core

// Numbers with bounds, and lists that are exact or partial.
extension SchemaValidator {
    mutating func bounds(_ node: JSONNode, of type: FieldType, for key: String) -> CheckedValue? {
        guard node.members != nil else {
            if !type.takes(node.kind) {
                reportWrongType(node, .bounds(type), for: key)
                return nil
            }
            guard let number = value(node, as: type, for: key)?.number else { return nil }
            return CheckedValue(.bounds(Bounds(atLeast: number, atMost: number, span: node.span)), node.span)
        }
        guard let record = record(node, in: .bounds(type)) else { return nil }
        var bounds = Bounds(
            atLeast: record["atLeast"]?.number, atMost: record["atMost"]?.number, span: node.span)
        if let exact = record["exact"]?.number { (bounds.atLeast, bounds.atMost) = (exact, exact) }
        if let between = record["between"] {
            let ends = between.elements.compactMap(\.number)
            if ends.count != 2 {
                report(.outOfRange, "'between' takes two numbers", label: "not two", at: between.span)
                return nil
            }
            (bounds.atLeast, bounds.atMost) = (ends[0], ends[1])
        }
        if bounds.atLeast == nil, bounds.atMost == nil {
            report(
                .impossible, "'\(key)' says nothing", label: "no bound in here", at: node.headSpan,
                help: "atLeast, atMost, between or exact")
            return nil
        }
        if let least = bounds.atLeast, let most = bounds.atMost, least > most {
            report(
                .impossible, "no number is at least the one and at most the other",
                label: "the least is more than the most", at: node.span)
            return nil
        }
        return CheckedValue(.bounds(bounds), node.span)
    }

    mutating func listing(_ node: JSONNode, of type: FieldType, for key: String) -> CheckedValue? {
        if node.array != nil {
            guard let value = value(node, as: .list(type, least: 0), for: key) else { return nil }
            let list = ListExpectation.exact(value.elements.compactMap(\.text), span: node.span)
            return CheckedValue(.listing(list), node.span)
        }
        guard node.members != nil else {
            reportWrongType(node, .listing(type), for: key)
            return nil
        }
        guard let record = record(node, in: .listing(type)) else { return nil }
        let (has, hasNot) = (record.texts("has"), record.texts("hasNot"))
        if has.isEmpty, hasNot.isEmpty {
            report(
                .impossible, "'\(key)' says nothing", label: "neither has nor hasNot", at: node.headSpan,
                help: "write [] for an empty list")
            return nil
        }
        for name in has where hasNot.contains(where: { $0.value == name.value }) {
            report(
                .impossible, "'\(name.value)' both in and not in the list", label: "can't be", at: name.span)
        }
        return CheckedValue(.listing(.partial(has: has, hasNot: hasNot, span: node.span)), node.span)
    }
}
