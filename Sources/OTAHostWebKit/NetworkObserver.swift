import Updater

extension NetworkState {
    /// - Parameters:
    ///   - isSatisfied: whether there is a network.
    ///   - isExpensive: a mobile network, or the hotspot of one.
    ///   - isConstrained: the user wants to spare it (Low Data Mode).
    init(isSatisfied: Bool, isExpensive: Bool, isConstrained: Bool) {
        self = !isSatisfied ? .offline : isExpensive || isConstrained ? .metered : .online
    }
}

#if canImport(Network)
    import Dispatch
    import Network

    /// Reports the network's state, whenever it is another one.
    final class NetworkObserver {
        private let monitor = NWPathMonitor()

        /// - Parameter send: called on the main thread, first with the state at the beginning.
        init(_ send: @escaping @Sendable (NetworkState) -> Void) {
            monitor.pathUpdateHandler = { path in
                send(
                    NetworkState(
                        isSatisfied: path.status == .satisfied, isExpensive: path.isExpensive,
                        isConstrained: path.isConstrained))
            }
            monitor.start(queue: .main)
        }

        deinit { monitor.cancel() }
    }
#endif
