import Synchronization

/// Raised once, from any thread.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isUp: Bool { value.load(ordering: .acquiring) }

    func raise() { value.store(true, ordering: .releasing) }
}
