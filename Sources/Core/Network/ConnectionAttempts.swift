/// Which of a host's addresses is tried when: attempts side by side, as RFC 8305 (Happy Eyeballs, version 2)
/// describes them in §4 and §5.
///
/// **What it promises.** Addresses are tried in order, with the families taking turns; the next one after
/// ``delay``, or at once when an attempt has failed. The first connection wins, and all other attempts are
/// abandoned. An address that swallows packets thus costs 250 ms, not the time limit of connecting. It fails
/// when every address has failed.
///
/// **What it deliberately does not do.** Resolve names (the addresses come all at once, so that there is no
/// resolution delay, §3), remember which address was good, limit the time as a whole (the owner does).
package struct ConnectionAttempts<Address: Sendable, Failure: Sendable>: Sendable {
    /// Time between two attempts ("Connection Attempt Delay", §5 and §8).
    package static var delay: TimeSpan { .milliseconds(250) }

    /// An attempt is named by the index of its address in ``addresses``.
    package enum Event: Sendable {
        case begin
        case connected(Int)
        case failed(Int, Failure)
        case timePassed
    }

    package enum Effect: Sendable {
        /// Begins to connect; answered by `connected` or `failed`, unless it is abandoned.
        case connect(Int, Address)
        case abandon(Int)
        /// This attempt is the connection.
        case won(Int)
        /// No address is left; with the last failure.
        case failed(Failure)
    }

    /// The addresses in the order of the attempts.
    package let addresses: [Address]
    private var nextIndex = 0
    private var running: [Int] = []
    /// When the next attempt begins; nil when all have begun, or the race is over.
    package private(set) var nextAttempt: Instant?

    /// - Parameters:
    ///   - addresses: the addresses in the order of preference, at least one.
    ///   - family: of an address; families take turns, beginning with that of the first address (§4).
    package init(_ addresses: [Address], family: (Address) -> Int32) {
        let first = addresses.first.map(family)
        let preferred = addresses.filter { family($0) == first }
        let others = addresses.filter { family($0) != first }
        var order: [Address] = []
        for index in 0..<max(preferred.count, others.count) {
            if index < preferred.count { order.append(preferred[index]) }
            if index < others.count { order.append(others[index]) }
        }
        self.addresses = order
    }

    /// - Returns: the effects, to be performed in order.
    package mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        switch event {
        case .begin: return beginNext(at: now)
        case .timePassed:
            guard let nextAttempt, nextAttempt <= now else { return [] }
            return beginNext(at: now)
        case .connected(let index):
            guard running.contains(index) else { return [] }
            let others = running.filter { $0 != index }
            running = []
            nextAttempt = nil
            return others.map { .abandon($0) } + [.won(index)]
        case .failed(let index, let failure):
            guard running.contains(index) else { return [] }
            running.removeAll { $0 == index }
            if nextIndex < addresses.count { return beginNext(at: now) }
            return running.isEmpty ? [.failed(failure)] : []
        }
    }

    private mutating func beginNext(at now: Instant) -> [Effect] {
        guard nextIndex < addresses.count else { return [] }
        let index = nextIndex
        nextIndex += 1
        running.append(index)
        nextAttempt = nextIndex < addresses.count ? now + Self.delay : nil
        return [.connect(index, addresses[index])]
    }
}
