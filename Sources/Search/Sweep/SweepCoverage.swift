import Foundation
import Runner

/// What the disturbed worlds of a scenario have reached. Sums do not depend on their order, so they are equal
/// on any number of cores.
final class SweepCoverage: @unchecked Sendable {
    private let lock = NSLock()
    private var sum = CoverageTable()

    func add(_ world: ObservedWorld) {
        guard let reader = world.coverage else { return }
        let decisions = world.observer.checkers.decisions
        lock.withLock {
            sum.add(reader.table)
            sum.add(decisions)
        }
    }

    var table: CoverageTable { lock.withLock { sum } }
}
