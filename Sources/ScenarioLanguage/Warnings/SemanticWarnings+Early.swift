/// Expectations with `within` that are satisfied too early: by the state before the step that they are about,
/// or by a stored version that is not pending yet.
extension SemanticWarnings {
    /// `{ expect: { running: "v1" } }, { check: true }, { expect: { running: "v1" }, within: "10s" }`: the
    /// second expectation holds before the check has had an effect, and ends at once.
    var expectationsHeldBefore: [Diagnostic] {
        SemanticWarnings.lists(scenario.steps).flatMap { heldBefore($0) }
    }

    /// The steps of the scenario, and those of each `repeat`.
    private static func lists(_ steps: [Step]) -> [[Step]] {
        [steps]
            + steps.flatMap { step -> [[Step]] in
                if case .repeat(let inner) = step.action { return lists(inner.steps) }
                return []
            }
    }

    private func heldBefore(_ steps: [Step]) -> [Diagnostic] {
        var found: [Diagnostic] = []
        /// Parts of the last expectation, which hold since then.
        var held: [(key: String, value: PrintedValue)] = []
        var device: String?
        var action: Step?
        for step in steps {
            switch step.action {
            case .expect(let look):
                let parts = SemanticWarnings.parts(of: step)
                let isSame = device == step.device?.value && step.trigger == nil
                let isHeld = parts.allSatisfy { part in
                    part.isState && held.contains { $0.key == part.key && $0.value == part.value }
                }
                if look.within != nil, action != nil, isSame, !parts.isEmpty, isHeld {
                    found.append(
                        warning(
                            .heldBefore, "this expectation holds already before the step before it",
                            label: "ends at once, whatever that step leads to", at: step.verbSpan,
                            help: "let time pass first ({ wait: \"10s\" }), or expect what changes"))
                }
                held = parts.filter(\.isState).map { ($0.key, $0.value) }
                device = step.device?.value
                action = nil
            case .mark, .always, .never: break
            case .check, .deploy, .recall, .unblock, .push, .fault, .heal, .network, .route, .disk, .set:
                if step.trigger == nil { action = step }
            default: held = []
            }
        }
        return found
    }

    private struct Part {
        var key: String
        var value: PrintedValue
        /// Whether it is about the current state, and does not count events.
        var isState: Bool
    }

    private static let stateKeys = [
        "running", "pending", "lastKnownGood", "blacklist", "parked", "confirmed", "stored", "storedFiles",
        "page", "route", "process", "screen",
    ]

    /// The parts of the step's expectation as the language writes them.
    private static func parts(of step: Step) -> [Part] {
        guard case .object(let pairs) = FieldTable.step.print(step),
            case .object(let parts)? = pairs.first(where: { $0.key == Verb.expect.rawValue })?.value
        else { return [] }
        return parts.map { Part(key: $0.key, value: $0.value, isState: stateKeys.contains($0.key)) }
    }

    // MARK: - Stored versions

    /// `{ expect: { stored: ["v2"] }, within: "30s" }, { relaunch: true }`: a version is stored before it is
    /// pending, so that the launch can come too early for it.
    var expectationsOfStoredOnly: [Diagnostic] {
        let steps = SemanticWarnings.flat(scenario.steps)
        return steps.enumerated().compactMap { index, step in
            guard case .expect(let look) = step.action, look.within != nil,
                endsProcess(after: index, in: steps)
            else { return nil }
            let wanted = look.expectation.stored.map(\.wantedNames) ?? []
            let early = wanted.first { version in
                let deployed = steps[..<index].lastIndex { $0.deployedVersion == version }
                guard let deployed else { return false }
                return !steps[deployed...index].contains { $0.expectsComplete(version) }
            }
            guard let early else { return nil }
            return warning(
                .storedOnly, "'\(early)' is stored before it is pending",
                label: "the next step can come too early", at: step.verbSpan,
                help: "expect it to be pending: { expect: { pending: \"\(early)\" }, within: \"30s\" }")
        }
    }

    /// Whether the next step that does something ends the process or loads the page again.
    private func endsProcess(after index: Int, in steps: [Step]) -> Bool {
        for step in steps[(index + 1)...] where step.trigger == nil {
            switch step.action {
            case .mark, .fault, .heal, .network, .route, .always, .never: continue
            case .relaunch, .kill, .powerCut, .restart, .page(PageSpec(page: nil, action: .reload)):
                return true
            default: return false
            }
        }
        return false
    }
}

extension Step {
    fileprivate var deployedVersion: String? {
        if case .deploy(let deploy) = action { deploy.version?.value } else { nil }
    }

    /// Whether it expects the version to be pending or running.
    fileprivate func expectsComplete(_ version: String) -> Bool {
        guard case .expect(let look) = action else { return false }
        return look.expectation.pending?.value == version || look.expectation.running?.value == version
    }
}

extension ListExpectation {
    fileprivate var wantedNames: [String] {
        switch self {
        case .exact(let names, _), .partial(let names, _, _): names.map(\.value)
        }
    }
}
