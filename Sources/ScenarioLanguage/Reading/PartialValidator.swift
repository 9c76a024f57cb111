import Core

/// Checks the semantics of the valid parts of a file with mistakes, so that all mistakes are reported at
/// once. It reports no consequences of a mistake, because no check depends on a part that is left out.
enum PartialValidator {
    static func check(_ expanded: CaseExpander.Expanded, _ names: DeclaredNames, _ file: SourceFile)
        -> [Diagnostic]
    {
        guard let root = sound(expanded.root, names, file) else { return [] }
        var checker = SchemaValidator(file: file, names: names)
        guard let record = checker.record(root, in: .scenario) else { return [] }
        do throws(RecordDecodingError) {
            let scenario = try Scenario(record, file, caseName: expanded.name)
            return SemanticValidator.check(scenario, isPartial: true)
        } catch {
            return []
        }
    }

    /// The tree without invalid values and steps; nil when `versions` or `app` is invalid.
    private static func sound(_ root: JSONNode, _ names: DeclaredNames, _ file: SourceFile) -> JSONNode? {
        var members: [JSONMember] = []
        for field in FieldTable.scenario.fields {
            guard let member = root.members?.first(where: { $0.key == field.key }) else { continue }
            if field.key == "steps" {
                let steps = (member.value.array ?? []).filter {
                    isSound($0, .object(.step), "steps", names, file)
                }
                let list = JSONNode(.array(steps), span: member.value.span)
                if !steps.isEmpty {
                    members.append(JSONMember(key: "steps", keySpan: member.keySpan, value: list))
                }
            } else if field.key == "app" {
                if let app = soundApp(member.value, names, file) {
                    members.append(JSONMember(key: "app", keySpan: member.keySpan, value: app))
                }
            } else if isSound(member.value, field.type, field.key, names, file) {
                members.append(member)
            }
        }
        if !["versions", "app"].allSatisfy({ key in members.contains { $0.key == key } }) { return nil }
        // Other required keys get a valid value.
        let substitutes: [(key: String, kind: JSONNode.Kind)] = [
            ("schema", .number(JSONNumber(integer: 1, text: "1"))), ("title", .string("?")),
            ("steps", .array([waiting(root.span)])), ("liveness", .string("expected")),
        ]
        members.removeAll { ["liveness", "because"].contains($0.key) }
        for (key, kind) in substitutes where !members.contains(where: { $0.key == key }) {
            let value = JSONNode(kind, span: root.headSpan)
            members.append(JSONMember(key: key, keySpan: root.headSpan, value: value))
        }
        return JSONNode(.object(members), span: root.span)
    }

    /// The app without invalid settings; nil when the dialect is invalid, because other checks depend on it.
    private static func soundApp(_ node: JSONNode, _ names: DeclaredNames, _ file: SourceFile) -> JSONNode? {
        guard let members = node.members else { return nil }
        let sound = members.filter { member in
            guard let field = FieldTable.app.fields.first(where: { $0.key == member.key }) else {
                return false
            }
            return isSound(member.value, field.type, field.key, names, file)
        }
        if node["manifest"] != nil, !sound.contains(where: { $0.key == "manifest" }) { return nil }
        let app = JSONNode(.object(sound), span: node.span)
        return isSound(app, .object(.app), "app", names, file) ? app : nil
    }

    private static func isSound(
        _ node: JSONNode, _ type: FieldType, _ key: String, _ names: DeclaredNames, _ file: SourceFile
    ) -> Bool {
        var checker = SchemaValidator(file: file, names: names)
        return checker.value(node, as: type, for: key) != nil && checker.diagnostics.isEmpty
    }

    private static func waiting(_ span: SourceSpan) -> JSONNode {
        let value = JSONNode(.bool(true), span: span)
        return JSONNode(.object([JSONMember(key: "settle", keySpan: span, value: value)]), span: span)
    }
}
