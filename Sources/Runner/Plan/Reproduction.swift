import ScenarioLanguage

/// The command that reproduces a failure.
enum Reproduction {
    static func command(_ plan: RunPlan) -> String {
        let path = plan.scenario.source.path
        // A case is selected by its line; otherwise the path is enough.
        let line = plan.scenario.caseName.map {
            ":\(plan.scenario.source.position(of: $0.span.start).line)"
        }
        return "otalab run \(ShellWord.quoted(path + (line ?? ""))) --seed \(plan.seed)"
    }
}
