import Core
import ScenarioLanguage

/// One run to be made: a scenario (a case of a file) and, where it leaves orders open, one of them.
package struct RunPlan: Sendable {
    package var scenario: Scenario
    /// The order chosen for each step that has `anyOrder`, by the step's number.
    package var orders: [ChosenOrder]
    /// From 1; nil where there is only one.
    package var orderNumber: Int?
    /// Of the run, as `--seed` says.
    package var seed: UInt64

    package struct ChosenOrder: Sendable {
        package var step: Int
        package var events: [RacingEvent]
    }

    /// Unique within a run.
    package var name: String { orderNumber.map { "\(scenario.name) {order \($0)}" } ?? scenario.name }

    /// Of this one run: equal for equal scenario, name and run seed, and for nothing else.
    package var worldSeed: UInt64 {
        var hash = KeyedHash(key: KeyedHash.Key(low: seed, high: scenario.seed))
        hash.update(scenario.name)
        return hash.finish()
    }

    /// One plan for each combination of orders that a scenario leaves open; at most ``mostOrders``.
    package static func plans(for scenario: Scenario, seed: UInt64) -> [RunPlan] {
        var combinations: [[ChosenOrder]] = [[]]
        for numbered in NumberedStep.all(of: scenario) where !numbered.step.anyOrder.isEmpty {
            let events = numbered.step.anyOrder.map(\.value)
            var longer: [[ChosenOrder]] = []
            for combination in combinations {
                for order in permutations(of: events) where longer.count < mostOrders {
                    longer.append(combination + [ChosenOrder(step: numbered.number, events: order)])
                }
            }
            combinations = longer
        }
        let isOnly = combinations.count == 1
        return combinations.enumerated().map { place, orders in
            RunPlan(
                scenario: scenario, orders: orders, orderNumber: isOnly ? nil : place + 1, seed: seed)
        }
    }

    package static let mostOrders = 5_040

    /// In lexicographic order of places: the order of the file first.
    package static func permutations<Value>(of values: [Value]) -> [[Value]] {
        guard values.count > 1 else { return [values] }
        var all: [[Value]] = []
        for index in values.indices {
            var rest = values
            let first = rest.remove(at: index)
            all += permutations(of: rest).map { [first] + $0 }
        }
        return all
    }
}

/// A step with its number in the order of the file, steps inside a `repeat` among them.
package struct NumberedStep {
    package var number: Int
    package var step: Step
    /// Of a `repeat`.
    package var inner: [NumberedStep]

    package static func tree(of scenario: Scenario) -> [NumberedStep] {
        var next = 0
        return number(scenario.steps, from: &next)
    }

    /// Flat, in the order of the file.
    package static func all(of scenario: Scenario) -> [NumberedStep] { flat(tree(of: scenario)) }

    private static func number(_ steps: [Step], from next: inout Int) -> [NumberedStep] {
        var numbered: [NumberedStep] = []
        for step in steps {
            let own = next
            next += 1
            var inner: [NumberedStep] = []
            if case .repeat(let spec) = step.action { inner = number(spec.steps, from: &next) }
            numbered.append(NumberedStep(number: own, step: step, inner: inner))
        }
        return numbered
    }

    private static func flat(_ steps: [NumberedStep]) -> [NumberedStep] {
        steps.flatMap { [$0] + flat($0.inner) }
    }
}
