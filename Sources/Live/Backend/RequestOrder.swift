import Core
import Updater
import World

/// Requests between the app and the port of the origin. They are passed on in the order in which the app sent
/// them.
///
/// Concurrent requests take several connections, and a busy machine delivers them in any order. The world's
/// link serves transfers in the order of their requests, so in another order other bytes have arrived at an
/// instant, such as that of a kill. A request that has arrived therefore waits for those that were sent
/// before it, until they have arrived or were cancelled, or until the caller lets it overtake them because
/// nothing is on its way any more.
struct RequestOrder {
    private struct Sent {
        var id: TransferID
        var request: OriginRequest
        /// Whether later requests wait for it.
        var isAwaited = true
    }

    private struct Arrived {
        var url: String
        var request: HTTPPort.Request
    }

    /// A request to pass on.
    struct Next {
        var request: HTTPPort.Request
        /// What the app sent; nil: no request of the app that has not arrived has this URL.
        var known: (id: TransferID, request: OriginRequest)?
    }

    /// Requests that the app has sent and that were not passed on, in their order.
    private var sent: [Sent] = []
    private var arrived: [Arrived] = []

    mutating func send(_ id: TransferID, _ request: OriginRequest) {
        sent.append(Sent(id: id, request: request))
    }

    mutating func cancel(_ id: TransferID) { sent.removeAll { $0.id == id } }

    mutating func arrive(_ request: HTTPPort.Request, url: String) {
        arrived.append(Arrived(url: url, request: request))
    }

    /// Whether a request on this connection waits for earlier ones.
    func isWaiting(_ connection: HTTPPort.ConnectionID) -> Bool {
        arrived.contains { $0.request.connection == connection }
    }

    /// Removes and returns the next request to pass on; nil: none has arrived, or all wait for earlier ones.
    /// - Parameter overtakes: whether a request need not wait. Later ones do not wait for those that it
    ///   overtook either.
    mutating func next(overtakes: Bool) -> Next? {
        if let index = arrived.firstIndex(where: { request in !sent.contains { $0.request.url == request.url }
        }) {
            return Next(request: arrived.remove(at: index).request, known: nil)
        }
        for index in sent.indices {
            let url = sent[index].request.url
            if let found = arrived.firstIndex(where: { $0.url == url }) {
                for earlier in sent.indices[..<index] { sent[earlier].isAwaited = false }
                let known = sent.remove(at: index)
                return Next(request: arrived.remove(at: found).request, known: (known.id, known.request))
            }
            if sent[index].isAwaited, !overtakes { return nil }
        }
        return nil
    }
}
