import ScenarioLanguage

/// A scenario of a file that worlds are made of.
package enum WorldBasis: Sendable {
    /// Random steps are put into its gaps, and it expects what it says.
    case property(Property)
    /// Random steps are put between its own, and it expects nothing.
    case disturbed(DisturbedScenario)

    /// - Returns: nil if no world can be made of the scenario.
    package init?(_ scenario: Scenario) {
        if let property = Property(scenario) {
            self = .property(property)
        } else if let disturbed = DisturbedScenario(scenario) {
            self = .disturbed(disturbed)
        } else {
            return nil
        }
    }

    /// The basis of a file with one scenario, as ``text`` is.
    package init?(text: String, profiles: [String]) {
        let reading = ScenarioReader.read(
            path: "basis.json5", bytes: Array(text.utf8), devices: profiles)
        guard let scenario = reading.scenarios.first else { return nil }
        self.init(scenario)
    }

    /// Name of the scenario, with its case.
    package var name: String {
        switch self {
        case .property(let property): property.name
        case .disturbed(let scenario): scenario.name
        }
    }

    /// The scenario as a file of its own.
    package var text: String {
        switch self {
        case .property(let property): property.text
        case .disturbed(let scenario): scenario.text
        }
    }

    package var isProperty: Bool {
        switch self {
        case .property: true
        case .disturbed: false
        }
    }

    /// The world of a seed; nil if that gives no scenario, which is a mistake of this module.
    func world(_ seed: UInt64, profiles: [String]) -> DrawnWorld? {
        switch self {
        case .property(let property): property.filled(seed, profiles: profiles)
        case .disturbed(let scenario): scenario.world(seed, profiles: profiles)
        }
    }

    /// Whether a smaller scenario is still a world of this basis, so that its failure means the same.
    package func allows(_ scenario: Scenario) -> Bool {
        switch self {
        // Without a step of the property, its expectations would fail for another reason.
        case .property(let property): property.isFilled(by: scenario)
        case .disturbed: true
        }
    }
}

extension PrintedValue {
    /// The members before `steps` of a world that is made of this scenario.
    func headOfWorld(_ name: String, _ seed: UInt64, choices: Int64) -> PrintedValue {
        var head = self
        head["steps"] = nil
        head["id"] = .text("\(name)/\(seed)")
        head["seed"] = .number(choices)
        if head["limits"] == nil { head["limits"] = ["events": .number(AppDrawing.maxEvents)] }
        return head
    }
}
