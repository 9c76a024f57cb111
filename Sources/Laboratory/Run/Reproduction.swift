import ScenarioLanguage

/// The one command that shows a failure again.
enum Reproduction {
    static func command(_ plan: StoryPlan) -> String {
        let path = plan.scenario.source.path
        // A case is found by the line that it stands in, else the file is enough.
        let place = plan.scenario.caseName.map {
            ":\(plan.scenario.source.position(of: $0.span.start).line)"
        }
        return "otalab run \(quoted(path + (place ?? ""))) --seed \(plan.seed)"
    }

    /// As a shell takes it for one word.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && !"'\"$`\\*?[](){}<>|&;!#~".utf8.contains(byte)
        }
        return isPlain
            ? text
            : "'"
                + text.split(separator: "'", omittingEmptySubsequences: false)
                .joined(separator: "'\\''") + "'"
    }
}
