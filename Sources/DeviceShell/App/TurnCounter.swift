import Synchronization

/// Count of a loop's turns, which any thread may read. A class, because swiftc 6.3 stops at an atomic
/// property of a class whose initializer is generic and specialized.
final class TurnCounter: Sendable {
    private let turns = Atomic<Int>(0)

    var count: Int { turns.load(ordering: .relaxed) }

    func add() { turns.add(1, ordering: .relaxed) }
}
