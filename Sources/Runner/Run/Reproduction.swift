import ScenarioLanguage

/// The one command that shows a failure again.
enum Reproduction {
    static func command(_ plan: RunPlan) -> String {
        let path = plan.scenario.source.path
        // A case is found by the line that it stands in, else the file is enough.
        let place = plan.scenario.caseName.map {
            ":\(plan.scenario.source.position(of: $0.span.start).line)"
        }
        return "otalab run \(ShellWord.quoted(path + (place ?? ""))) --seed \(plan.seed)"
    }
}
