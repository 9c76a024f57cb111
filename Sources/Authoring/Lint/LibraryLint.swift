import Core
import Runner
import ScenarioLanguage

/// All that can be said of scenario files without running them.
///
/// VerificationSummary: every mistake of every file, and what only several of them tell: two scenarios of
/// one id or title, rules that are not in the rulebook, files that can't be read. In the order of files and
/// places.
package enum LibraryLint {
    package static func findings(_ files: [ScenarioFile], _ profiles: ProfileSet) -> [Finding] {
        var found = profiles.files.compactMap(unreadable)
        for (file, told) in profiles.diagnostics where file.error == nil {
            found += told.map { Finding($0) }
        }
        var read: [ScenarioReading] = []
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
            found += rules(of: reading)
            read.append(reading)
        }
        return found + twins(read)
    }

    private static func unreadable(_ file: ScenarioFile) -> Finding? {
        guard let error = file.error else { return nil }
        return Finding(
            rule: LibraryRule.unreadable.rawValue, severity: .error, message: error,
            place: Finding.Place(file: file.path), help: ShellWord.look(at: file.path))
    }

    private static func rules(of reading: ScenarioReading) -> [Finding] {
        guard let scenario = reading.scenarios.first else { return [] }
        return scenario.covers.filter { Rule.named($0.value) == nil }.map { rule in
            let near = Rule.all.first { $0.id.lowercased() == rule.value.lowercased() }
            return Finding(
                rule: LibraryRule.unknownRule.rawValue, severity: .warning,
                message: "the rulebook has no rule '\(rule.value)'", label: "not known",
                place: Finding.Place(reading.file, rule.span),
                help: near.map { "did you mean '\($0.id)'?" } ?? "they are S1 to S8, U1 to U15, R1 to R12, …")
        }
    }

    private static func twins(_ all: [ScenarioReading]) -> [Finding] {
        var ids: [String: Finding.Place] = [:]
        var titles: [String: Finding.Place] = [:]
        var found: [Finding] = []
        for reading in all {
            guard let scenario = reading.scenarios.first else { continue }
            let place = Finding.Place(reading.file, scenario.title.span)
            if let first = ids[scenario.id] {
                found.append(
                    twin(
                        .sameName, "two scenarios are named '\(scenario.id)'", place, first, "give one an id")
                )
            } else if let first = titles[scenario.title.value] {
                found.append(
                    twin(.sameTitle, "two scenarios have this title", place, first, "say what this one shows")
                )
            }
            ids[scenario.id] = ids[scenario.id] ?? place
            titles[scenario.title.value] = titles[scenario.title.value] ?? place
        }
        return found
    }

    private static func twin(
        _ rule: LibraryRule, _ message: String, _ place: Finding.Place, _ first: Finding.Place, _ help: String
    ) -> Finding {
        Finding(
            rule: rule.rawValue, severity: rule.severity, message: message, label: "again", place: place,
            help: help, related: [Finding.Related(message: "the first one", place: first)])
    }
}
