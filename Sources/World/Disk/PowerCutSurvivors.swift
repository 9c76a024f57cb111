import Backend
import ScenarioLanguage

/// Chooses which pending operations survive a power cut. What becomes of the medium then, and what a kernel
/// panic keeps besides, is in `PowerCut.swift`; which outcomes a search tries is ``PowerCutChoice``'s.
extension PowerCutOutcome {
    /// For each pending operation, in program order, whether it survives.
    /// - Parameter inFlight: for each operation whether a sync in flight covers it.
    func survivors(of pending: [PendingOperation], _ order: PersistenceOrder, inFlight: [Bool]) -> [Bool] {
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
        case .syncsInFlight: return order.adding(to: inFlight)
        case .these(let indices): return order.adding(to: none.with(indices))
        case .keyed(let key):
            var sum = Fingerprint(key: key)
            // The key also decides the share that survives: a fair coin would hardly ever keep few or most.
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
    /// True at these indices; invalid indices are ignored.
    fileprivate func with(_ kept: [Int]) -> [Bool] {
        var result = self
        for index in kept where result.indices.contains(index) { result[index] = true }
        return result
    }
}
