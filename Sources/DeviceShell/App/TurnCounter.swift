/// Count of a loop's turns, which any thread may read.
final class TurnCounter: Sendable {
    private let turns = Guarded(0)

    var count: Int { turns.withLock { $0 } }

    func add() { turns.withLock { $0 += 1 } }
}
