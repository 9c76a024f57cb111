import Core

/// Carries out ``ConnectionAttempts`` with sockets: connects to hosts that have several addresses.
///
/// Each ``connect(_:_:)`` ends with one call of ``ended``, unless it is cancelled; a successful one passes on
/// the ownership of its socket, which is still watched. `deinit` closes the remaining sockets. One thread at
/// a time.
final class HostConnector<ID: Hashable> {
    typealias Attempts = ConnectionAttempts<SocketAddress, SystemError>

    /// Receives the connected socket, or the last failure when no address is left.
    var ended: (ID, Result<Int32, SystemError>) -> Void = { _, _ in }

    private let poller: Poller
    private let clock: any DeviceClock
    private let open: (SocketAddress) throws(SystemError) -> Int32
    private var races: [ID: Race] = [:]
    private var attemptFor: [Int32: (id: ID, index: Int)] = [:]

    private struct Race {
        var attempts: Attempts
        /// Sockets of the running attempts.
        var descriptors: [Int: Int32] = [:]
    }

    /// - Parameter open: begins to connect, as ``SocketCalls/connect(to:)`` does.
    init(
        _ poller: Poller, _ clock: any DeviceClock,
        open: @escaping (SocketAddress) throws(SystemError) -> Int32 = SocketCalls.connect(to:)
    ) {
        self.poller = poller
        self.clock = clock
        self.open = open
    }

    deinit { for descriptor in attemptFor.keys { SocketCalls.close(descriptor) } }

    /// - Parameter addresses: at least one, in the order of preference.
    func connect(_ id: ID, _ addresses: [SocketAddress]) {
        races[id] = Race(attempts: Attempts(addresses) { $0.family })
        handle(.begin, id)
    }

    func cancel(_ id: ID) {
        guard let race = races.removeValue(forKey: id) else { return }
        for descriptor in race.descriptors.values { close(descriptor) }
    }

    func owns(_ descriptor: Int32) -> Bool { attemptFor[descriptor] != nil }

    /// A socket of ``owns(_:)`` is writable or has failed.
    func ready(_ descriptor: Int32) {
        guard let attempt = attemptFor[descriptor] else { return }
        if let failure = SocketCalls.failure(of: descriptor) {
            races[attempt.id]?.descriptors[attempt.index] = nil
            close(descriptor)
            handle(.failed(attempt.index, failure), attempt.id)
        } else {
            handle(.connected(attempt.index), attempt.id)
        }
    }

    /// Earliest instant at which another attempt begins; nil when there is none.
    var nextDeadline: Instant? { races.values.lazy.compactMap(\.attempts.nextAttempt).min() }

    /// Begins the attempts that are due.
    func timePassed() {
        guard let next = nextDeadline, next <= clock.now else { return }
        for id in Array(races.keys) { handle(.timePassed, id) }
    }

    private func handle(_ event: Attempts.Event, _ id: ID) {
        var events = [event]
        while let event = events.popLast() {
            guard let effects = races[id]?.attempts.handle(event, at: clock.now) else { return }
            for effect in effects {
                switch effect {
                case .connect(let index, let address):
                    if let failure = begin(index, address, id) { events.append(.failed(index, failure)) }
                case .abandon(let index): races[id]?.descriptors.removeValue(forKey: index).map(close)
                case .won(let index):
                    guard let descriptor = races.removeValue(forKey: id)?.descriptors[index] else { return }
                    attemptFor[descriptor] = nil
                    ended(id, .success(descriptor))
                case .failed(let failure):
                    races[id] = nil
                    ended(id, .failure(failure))
                }
            }
        }
    }

    /// - Returns: the failure of an attempt that fails at once.
    private func begin(_ index: Int, _ address: SocketAddress, _ id: ID) -> SystemError? {
        do throws(SystemError) {
            let descriptor = try open(address)
            attemptFor[descriptor] = (id, index)
            races[id]?.descriptors[index] = descriptor
            try poller.watch(descriptor, .writes)
            return nil
        } catch {
            races[id]?.descriptors.removeValue(forKey: index).map(close)
            return error
        }
    }

    private func close(_ descriptor: Int32) {
        attemptFor[descriptor] = nil
        poller.forget(descriptor)
        SocketCalls.close(descriptor)
    }
}
