import AppHost
import Core
import LocalServer
import Synchronization
import Updater

/// Where other threads tell the loop something; it wakes up for it.
public final class Door: Sendable {
    enum Knock: Sendable {
        case event(AppHost.Event)
        case resolved(TransferID, [SocketAddress])
        case resolvedUpstream(UpstreamID, [SocketAddress])
        case stop
    }

    let wakeUp: WakeUp
    private let knocks = Mutex<[Knock]>([])

    init(_ wakeUp: WakeUp) { self.wakeUp = wakeUp }

    /// The host is told this, in the order of the calls.
    public func tell(_ event: AppHost.Event) { knock(.event(event)) }

    /// Ends the loop in order.
    public func stop() { knock(.stop) }

    func knock(_ knock: Knock) {
        knocks.withLock { $0.append(knock) }
        wakeUp.ring()
    }

    /// All that was said since the last time.
    func open() -> [Knock] {
        wakeUp.hear()
        return knocks.withLock { knocks in
            defer { knocks.removeAll() }
            return knocks
        }
    }
}
