import Core

/// Warnings about valid files that are probably mistakes: they check less than the author expects, or declare
/// something that is not used.
///
/// Guarantees: a warning applies to every case of the file; nothing is guessed that only a run can show.
/// For `otalab lint`; a run does not show them. Deliberately not here: checks across files (the laboratory's
/// `LibraryLint`).
package enum ScenarioWarnings {
    /// Warnings in the order of the file; none for a file with errors.
    package static func check(_ reading: ScenarioReading) -> [Diagnostic] {
        guard let first = reading.scenarios.first else { return [] }
        let rest = reading.scenarios.dropFirst().map { SemanticWarnings(scenario: $0).all }
        let all = SemanticWarnings(scenario: first).all
        return all.filter { warning in
            rest.allSatisfy { others in
                others.contains { $0.code == warning.code && $0.span == warning.span }
            }
        }.sorted { $0.span.start < $1.span.start }
    }
}

/// The warnings of one case.
struct SemanticWarnings {
    let scenario: Scenario

    var all: [Diagnostic] {
        unusedVersions + unusedNames + uncheckedDeploys + idleFaults + earlyLaunches + idleSteps
            + expectationsHeldBefore + expectationsOfStoredOnly
    }

    func warning(
        _ code: DiagnosticCode, _ message: String, label: String, at span: SourceSpan, help: String
    ) -> Diagnostic {
        Diagnostic(
            code, message, label: label, severity: .warning, file: scenario.source, at: span, help: help)
    }

    /// All steps, including those in a `repeat`.
    static func flat(_ steps: [Step]) -> [Step] {
        steps.flatMap { step -> [Step] in
            if case .repeat(let inner) = step.action { return [step] + flat(inner.steps) }
            return [step]
        }
    }

    // MARK: - Names

    private var unusedVersions: [Diagnostic] {
        // What fills a gap can deploy any version.
        if scenario.steps.contains(where: { $0.verb == .gap }) { return [] }
        let mentioned = mentions(scenario.steps) + scenario.app.builds.compactMap(\.embeds?.value)
        var used = scenario.versions.map(\.name.value).filter { name in
            mentioned.contains { SemanticWarnings.isMention($0, of: name) }
        }
        // A version that a used version is derived from is used.
        var next = 0
        while next < used.count {
            if let version = scenario.version(used[next]) {
                let sources = [version.from?.value] + version.files.map(\.same?.value.version)
                for name in sources.compactMap({ $0 }) where !used.contains(name) { used.append(name) }
            }
            next += 1
        }
        // Versions of a used file are not reported, because each scenario uses only some of them.
        let own = scenario.versions.filter {
            scenario.source.resolve($0.name.span).file.path == scenario.source.path
        }
        return own.filter { !used.contains($0.name.value) }.map { version in
            warning(
                .unusedVersion, "the version '\(version.name.value)' is never used",
                label: "neither embedded nor in a step", at: version.name.span,
                help: "deploy it, or take it out")
        }
    }

    private var unusedNames: [Diagnostic] {
        let steps = SemanticWarnings.flat(scenario.steps)
        var found: [Diagnostic] = []
        for (index, step) in steps.enumerated() {
            var name = step.name
            if case .mark(let mark) = step.action { name = mark }
            guard let name else { continue }
            // A use is a separate text or key in a later step.
            let later = mentions(Array(steps[(index + 1)...]))
            if later.contains(name.value) { continue }
            found.append(
                warning(
                    .unusedName, "nothing refers to '\(name.value)'", label: "named here", at: name.span,
                    help: "take the name out, or use it: page, heal or since"))
        }
        return found
    }

    /// Every text and key of the printed steps: names that are used are among them.
    private func mentions(_ steps: [Step]) -> [String] {
        var texts: [String] = []
        func add(_ value: PrintedValue) {
            switch value {
            case .null, .flag, .number: break
            case .text(let text): texts.append(text)
            case .list(let values): for value in values { add(value) }
            case .object(let pairs):
                for pair in pairs where pair.key != "because" && pair.key != "as" {
                    texts.append(pair.key)
                    add(pair.value)
                }
            }
        }
        for step in steps { add(FieldTable.step.print(step)) }
        return texts
    }

    /// Whether a text mentions a name: `v2`, `v2:/app.js`, `of v2`, `newVersionReady v2`.
    private static func isMention(_ text: String, of name: String) -> Bool {
        text == name || text.hasPrefix(name + ":") || text.hasSuffix(" " + name)
    }

    // MARK: - Expectations

    private var uncheckedDeploys: [Diagnostic] {
        // Liveness checks whether the device runs the version that is deployed last.
        guard case .none = scenario.liveness else { return [] }
        let steps = SemanticWarnings.flat(scenario.steps)
        // `always` and `never` are checked after every deploy.
        if steps.contains(where: { $0.verb == .always || $0.verb == .never }) { return [] }
        let last = steps.lastIndex { $0.verb == .expect }
        // A scenario without any expectation has a separate warning.
        guard let last else { return [] }
        return steps[(last + 1)...].compactMap { step in
            guard case .deploy = step.action else { return nil }
            return warning(
                .uncheckedDeploy, "nothing is expected after this deploy", label: "checks nothing",
                at: step.verbSpan,
                help: "add an expect after it; without one only the invariants are checked")
        }
    }

    // MARK: - Faults

    private var idleFaults: [Diagnostic] {
        let steps = SemanticWarnings.flat(scenario.steps)
        return steps.enumerated().compactMap { index, step in
            guard case .fault(let fault) = step.action else { return nil }
            guard let why = idleness(of: fault, named: step.name?.value, steps, index) else { return nil }
            return warning(
                .idleFault, "this fault never applies", label: why, at: step.verbSpan,
                help: "put it before the step that it should meet, or take it out")
        }
    }

    private func idleness(
        of fault: FaultSpec, named name: String?, _ steps: [Step], _ index: Int
    ) -> String? {
        if !happens(after: index, in: steps, until: name) { return "nothing happens before it ends" }
        if let edge = fault.edge?.value, !reached.contains(edge) {
            return "no step leads to the edge '\(edge)'"
        }
        if fault.target == .outcomes, !reportsOutcomes { return "the app reports no outcomes" }
        guard case .route(let path) = fault.target,
            !scenario.versions.contains(where: { $0.folder != nil })
        else { return nil }
        let offered = SemanticWarnings.flat(scenario.steps).compactMap { step -> String? in
            guard case .deploy(let deploy) = step.action else { return nil }
            return deploy.version?.value
        }
        let isOffered = offered.contains { version in
            scenario.files(of: version).contains { TextBytes.areEqual($0.route, path) }
        }
        return isOffered ? nil : "no deployed version has '\(path)'"
    }

    /// Whether anything except faults, marks and immediate expectations happens before the fault is healed.
    private func happens(after index: Int, in steps: [Step], until name: String?) -> Bool {
        for step in steps[(index + 1)...] {
            switch step.action {
            case .heal(nil): return false
            case .heal(let healed?): if healed.value == name { return false }
            case .fault, .mark, .always, .never: break
            case .expect(let look): if look.within != nil || look.throughout != nil { return true }
            default: return true
            }
        }
        // In a `repeat`, the steps before the fault happen again after it.
        return scenario.steps.contains { step in
            if case .repeat = step.action { return true }
            return false
        }
    }

    private var reached: [String] {
        SemanticWarnings.flat(scenario.steps).compactMap { step -> String? in
            guard case .route(let edge) = step.action else { return nil }
            return edge.value
        } + [scenario.origin.route.value]
    }

    private var reportsOutcomes: Bool {
        scenario.app.settings.outcomes?.value == true
            || SemanticWarnings.flat(scenario.steps).contains { step in
                guard case .set(let settings) = step.action else { return false }
                return settings.outcomes?.value == true
            }
    }
}
