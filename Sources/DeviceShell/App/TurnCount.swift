import Synchronization

/// Number of turns of a loop, which any thread can read.
///
/// In a class of its own with an initializer that is not inlined: a release build of Swift 6.3.1 fails
/// ("Found ownership error", in CopyPropagation) when it specializes the loop's initializer in another module
/// and an atomic is initialized there.
final class TurnCount: Sendable {
    private let count = Atomic<Int>(0)

    @inline(never)
    init() {}

    var value: Int { count.load(ordering: .relaxed) }

    func add() { count.add(1, ordering: .relaxed) }
}
