import Core
import ScenarioLanguage

/// One run to perform: a scenario (a case of a file) with one order for each step that leaves the order open.
package struct RunPlan: Sendable {
    package var scenario: Scenario
    /// Order chosen for each step that has `anyOrder`.
    package var orders: [ChosenOrder]
    /// Ordinal of the order, from 1; nil if there is only one.
    package var orderNumber: Int?
    /// Seed of the run, as given by `--seed`.
    package var seed: UInt64

    package struct ChosenOrder: Sendable {
        /// Index of the step.
        package var step: Int
        package var events: [RacingEvent]
    }

    /// Name of the run, unique within a suite.
    package var name: String { orderNumber.map { "\(scenario.name) {order \($0)}" } ?? scenario.name }

    /// Seed of the world: a hash of scenario seed, name and run seed.
    package var worldSeed: UInt64 {
        var hash = KeyedHash(key: KeyedHash.Key(low: seed, high: scenario.seed))
        hash.update(scenario.name)
        return hash.finish()
    }

    /// One plan for each combination of orders that a scenario leaves open, at most ``maxOrders``.
    package static func plans(for scenario: Scenario, seed: UInt64) -> [RunPlan] {
        var combinations: [[ChosenOrder]] = [[]]
        for numbered in NumberedStep.all(of: scenario) where !numbered.step.anyOrder.isEmpty {
            let events = numbered.step.anyOrder.map(\.value)
            var longer: [[ChosenOrder]] = []
            for combination in combinations {
                for order in permutations(of: events) where longer.count < maxOrders {
                    longer.append(combination + [ChosenOrder(step: numbered.index, events: order)])
                }
            }
            combinations = longer
        }
        let isOnly = combinations.count == 1
        return combinations.enumerated().map { index, orders in
            RunPlan(
                scenario: scenario, orders: orders, orderNumber: isOnly ? nil : index + 1, seed: seed)
        }
    }

    package static let maxOrders = 5_040

    /// All permutations in lexicographic order of indices, so the order of the file is first.
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

/// A step with its index; the steps inside a `repeat` are counted too.
package struct NumberedStep {
    /// Index in the order of the file, from 0.
    package var index: Int
    package var step: Step
    /// Steps inside a `repeat`.
    package var inner: [NumberedStep]

    package static func tree(of scenario: Scenario) -> [NumberedStep] {
        var next = 0
        return indexed(scenario.steps, from: &next)
    }

    /// All steps in the order of the file, without nesting.
    package static func all(of scenario: Scenario) -> [NumberedStep] { flat(tree(of: scenario)) }

    private static func indexed(_ steps: [Step], from next: inout Int) -> [NumberedStep] {
        var all: [NumberedStep] = []
        for step in steps {
            let own = next
            next += 1
            var inner: [NumberedStep] = []
            if case .repeat(let spec) = step.action { inner = indexed(spec.steps, from: &next) }
            all.append(NumberedStep(index: own, step: step, inner: inner))
        }
        return all
    }

    private static func flat(_ steps: [NumberedStep]) -> [NumberedStep] {
        steps.flatMap { [$0] + flat($0.inner) }
    }
}
