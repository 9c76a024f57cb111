import Backend
import ScenarioLanguage

/// The outcomes to try at one point, and whether they are all there are.
package struct PowerCutPlan: Equatable, Sendable {
    package let outcomes: [PowerCutOutcome]
    /// All closed subsets are among them; else they are a sample.
    package let isExact: Bool

    static let mostSubsets = 1_024
    static let mostForPairs = 24
    static let sampled: UInt64 = 50

    init(_ order: PersistenceOrder, tearing: [Int]) {
        let torn = tearing.map { PowerCutOutcome.torn($0) }
        if let subsets = order.closedSubsets(limit: PowerCutPlan.mostSubsets) {
            outcomes = subsets.map { kept in PowerCutPlan.named(kept) } + torn
            isExact = true
            return
        }
        outcomes =
            PowerCutPlan.namedClasses(of: order.count) + (0..<PowerCutPlan.sampled).map { .keyed($0) } + torn
        isExact = false
    }

    /// All outcomes of the classes that need no subset, of so many pending operations.
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

extension PowerCutOutcome {
    /// Which of the pending operations survive.
    func survivors(of pending: [PendingOperation], _ order: PersistenceOrder) -> [Bool] {
        let none = [Bool](repeating: false, count: pending.count)
        switch self {
        case .nothing: return none
        case .everything, .torn: return none.map { _ in true }
        case .only(let index): return order.adding(to: none.with([index]))
        case .allBut(let index):
            return order.removing(from: none.with([index]).map { !$0 })
        case .pair(let first, let second): return order.adding(to: none.with([first, second]))
        case .metadataOnly: return order.removing(from: pending.map { !$0.isData })
        case .dataOnly: return order.removing(from: pending.map { $0.isData })
        case .these(let indices): return order.adding(to: none.with(indices))
        case .keyed(let key):
            var sum = Fingerprint(key: key)
            // From the key also how many survive: a fair coin for each would hardly ever keep few or most.
            sum.add(pending.count)
            let chance = sum.value % 255 + 1
            let drawn = pending.indices.map { index in
                sum.add(index)
                return sum.value >> 32 & 0xFF < chance
            }
            return key & 1 == 0 ? order.adding(to: drawn) : order.removing(from: drawn)
        }
    }
}

extension [Bool] {
    /// Numbers that are no index are left out.
    fileprivate func with(_ kept: [Int]) -> [Bool] {
        var result = self
        for index in kept where result.indices.contains(index) { result[index] = true }
        return result
    }
}
