import ScenarioLanguage

/// The outcomes to try at one point, and whether these are all. Which operations survive in an outcome is
/// chosen in `PowerCutSurvivors.swift` (``PowerCutOutcome`` `survivors(of:_:)`).
package struct PowerCutPlan: Equatable, Sendable {
    package let outcomes: [PowerCutOutcome]
    /// Whether all closed subsets are among them; else they are a sample.
    package let isExact: Bool

    static let mostSubsets = 1_024
    static let mostForPairs = 24
    static let sampled: UInt64 = 50

    /// - Parameter hasSyncsInFlight: whether a sync in flight covers any operation.
    init(_ order: PersistenceOrder, tearing: [Int], hasSyncsInFlight: Bool) {
        let torn = tearing.map { PowerCutOutcome.torn($0) }
        if let subsets = order.closedSubsets(limit: PowerCutPlan.mostSubsets) {
            outcomes = subsets.map { kept in PowerCutPlan.named(kept) } + torn
            isExact = true
            return
        }
        // If all subsets are tried, this is one of them.
        let inFlight: [PowerCutOutcome] = hasSyncsInFlight ? [.syncsInFlight] : []
        outcomes =
            PowerCutPlan.namedClasses(of: order.count) + inFlight
            + (0..<PowerCutPlan.sampled).map { .keyed($0) } + torn
        isExact = false
    }

    /// All outcomes of the classes that need no enumeration of subsets, for this number of pending
    /// operations.
    static func namedClasses(of count: Int) -> [PowerCutOutcome] {
        var named: [PowerCutOutcome] = [.nothing, .everything, .metadataOnly, .dataOnly]
        for index in 0..<count {
            named.append(.only(index))
            named.append(.allBut(index))
        }
        if count <= PowerCutPlan.mostForPairs {
            for second in 0..<count { for first in 0..<second { named.append(.pair(first, second)) } }
        }
        return named
    }

    private static func named(_ kept: [Bool]) -> PowerCutOutcome {
        let indices = kept.indices.filter { kept[$0] }
        if indices.isEmpty { return .nothing }
        return indices.count == kept.count ? .everything : .these(indices)
    }
}
