import Core
import Runner
import ScenarioLanguage

/// Static checks of scenario files.
///
/// Guarantees: finds every error of every file, also those that a run finds when it prepares its world, and
/// problems across files: duplicate ids or titles, rules that `Sources/Runner/Runner.docc/Rules.md` does not
/// have, files that can't be read. Sorted by file and position.
package enum LibraryLint {
    package static func findings(_ files: [ScenarioFile], _ profiles: ProfileSet) -> [Finding] {
        var found = profiles.files.compactMap(unreadable)
        for (file, diagnostics) in profiles.diagnostics where file.error == nil {
            found += diagnostics.map { Finding($0) }
        }
        var read: [ScenarioReading] = []
        let runner = ScenarioRunner(profiles: profiles.profiles)
        for file in files {
            if let finding = unreadable(file) {
                found.append(finding)
                continue
            }
            if file.isShared {
                let shared = SharedFile(path: file.path, bytes: file.bytes, devices: profiles.names)
                found += shared.diagnostics.map { Finding($0) }
                continue
            }
            let reading = file.read(devices: profiles.names)
            let warnings = ScenarioWarnings.check(reading)
            found += (reading.diagnostics + warnings).map { Finding($0) }
            found += preparationFaults(of: reading, runner, profiles)
            found += rules(of: reading)
            read.append(reading)
        }
        return found + duplicates(read)
    }

    private static func unreadable(_ file: ScenarioFile) -> Finding? {
        guard let error = file.error else { return nil }
        return Finding(
            rule: LibraryRule.unreadable.rawValue, severity: .error, message: error,
            location: Finding.Location(file: file.path), help: ShellWord.look(at: file.path))
    }

    /// What a run would refuse, once for all cases that have it.
    private static func preparationFaults(
        of reading: ScenarioReading, _ runner: ScenarioRunner, _ profiles: ProfileSet
    ) -> [Finding] {
        var found: [Diagnostic] = []
        // A profile with mistakes is reported where they are.
        for scenario in reading.scenarios where !scenario.usesProfile(in: profiles.broken) {
            guard let fault = runner.fault(of: scenario)?.diagnostic(in: scenario) else { continue }
            if !found.contains(fault) { found.append(fault) }
        }
        return found.map { Finding($0) }
    }

    private static func rules(of reading: ScenarioReading) -> [Finding] {
        guard let scenario = reading.scenarios.first else { return [] }
        return scenario.covers.filter { !RuleID.exists($0.value) }.map { rule in
            let near = Suggestion.nearest(to: rule.value, among: RuleID.all)
            return Finding(
                rule: LibraryRule.unknownRule.rawValue, severity: .warning,
                message: "there is no rule '\(rule.value)'", label: "unknown rule",
                location: Finding.Location(reading.file, rule.span),
                help: near.map { "did you mean '\($0)'?" } ?? "otalab help rules lists rules and clauses"
            )
        }
    }

    private static func duplicates(_ all: [ScenarioReading]) -> [Finding] {
        var ids: [String: Finding.Location] = [:]
        var titles: [String: Finding.Location] = [:]
        var found: [Finding] = []
        for reading in all {
            guard let scenario = reading.scenarios.first else { continue }
            let location = Finding.Location(reading.file, scenario.title.span)
            if let first = ids[scenario.id] {
                found.append(
                    duplicate(
                        .sameName, "two scenarios are named '\(scenario.id)'", location, first,
                        "give one an id")
                )
            } else if let first = titles[scenario.title.value] {
                found.append(
                    duplicate(
                        .sameTitle, "two scenarios have this title", location, first,
                        "say what this one shows")
                )
            }
            ids[scenario.id] = ids[scenario.id] ?? location
            titles[scenario.title.value] = titles[scenario.title.value] ?? location
        }
        return found
    }

    private static func duplicate(
        _ rule: LibraryRule, _ message: String, _ location: Finding.Location, _ first: Finding.Location,
        _ help: String
    ) -> Finding {
        Finding(
            rule: rule.rawValue, severity: rule.severity, message: message, label: "again",
            location: location,
            help: help, related: [Finding.Related(message: "the first one", location: first)])
    }
}

extension Scenario {
    /// Whether one of the scenario's devices has one of these profiles.
    fileprivate func usesProfile(in names: [String]) -> Bool {
        (devices.isEmpty ? [device] : devices.map(\.profile)).contains { names.contains($0.value) }
    }
}
