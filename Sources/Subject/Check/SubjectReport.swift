import Oracle

/// What an adapter says about its updater, for a terminal.
package enum SubjectReport {
    package static func text(_ subject: SubjectDescription) -> String {
        func list(_ words: [String], none: String) -> String {
            words.isEmpty ? none : words.joined(separator: ", ")
        }
        let skills = subject.does.map(\.rawValue)
        let missing = SubjectDescription.Skill.allCases.map(\.rawValue).filter { !skills.contains($0) }
        let tells = subject.tells.map(\.rawValue)
        let untold = SubjectDescription.Telling.allCases.map(\.rawValue).filter { !tells.contains($0) }
        var lines = [
            "subject   \(subject.name) \(subject.version)",
            "reads     manifests in the dialects "
                + list(subject.dialects, none: "none: no scenario can be run"),
            "clock     " + (subject.clock == .system ? "the system's" : "its own"),
            "serves    "
                + (subject.serves == .http
                    ? "by itself, on the port that it is given" : "through the laboratory"),
            "does      launch, " + list(skills, none: "and nothing else"),
        ]
        if !missing.isEmpty {
            lines.append("does not  \(list(missing, none: "")): these commands are not sent")
        }
        lines.append("tells     " + list(tells, none: "nothing"))
        if !untold.isEmpty {
            lines.append("not told  \(list(untold, none: "")): expectations about them are not judged")
        }
        lines += subject.slips.map { "slip      \($0)" }
        lines.append("policy    " + (subject.policy.map(policy) ?? "none declared"))
        lines.append(
            "judged    rules X1, S1, S2\(DeclaredRetries.Policy(subject) == nil ? "" : ", R3"); "
                + "expectations about pages, what runs, processes, requests" + judged(subject))
        return lines.joined(separator: "\n") + "\n"
    }

    private static func judged(_ subject: SubjectDescription) -> String {
        let told = subject.tells.filter { ![.current, .error].contains($0) }.map(\.rawValue)
        return told.isEmpty ? "" : ", " + told.joined(separator: ", ")
    }

    private static func policy(_ policy: SubjectPolicy) -> String {
        let proof =
            switch policy.confirm {
            case .called: "the page's call proves a start"
            case .loaded: "the end of loading proves a start"
            case .never: "nothing proves a start"
            }
        let moments = policy.switchAt.map(\.rawValue).joined(separator: ", ")
        return
            "\(proof), within \(policy.startupTimeout.shown); switches at \(moments.isEmpty ? "no moment" : moments); "
            + "\(policy.retries) more starts of an unproven version; "
            + (policy.blacklists
                ? "a version that failed is not taken again" : "a version that failed may be taken again")
    }
}
