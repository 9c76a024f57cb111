/// Which of several events of one instant comes first. Nothing orders them in a scenario.
struct SimultaneousEvents: Transformation {
    let name = "events of one instant in another order"
    let reason = "nothing says which of two events of one instant comes first"

    func variants(of base: UnchangedRun) throws(NotApplicable) -> [Variant] {
        try base.requireNoRace()
        return [Variant(name: name, scenario: base.scenario) { $0.ties = .keyed(1) }]
    }
}
