import Synchronization

/// Flag that ends ``ServedOrigin/run()``. It is raised once, from any thread, and stays raised.
final class StopFlag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .acquiring) }

    func raise() { value.store(true, ordering: .releasing) }
}
