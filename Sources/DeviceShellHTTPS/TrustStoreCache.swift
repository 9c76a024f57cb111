import Core
import DeviceShell

/// Cache of OpenSSL's store of the system's trusted certificates, shared by all connections.
///
/// libcurl reads the certificates for each connection (about 140 on Debian), which takes longer than the rest
/// of the handshake. The cached store is one that libcurl has filled; it expires after a day, as in libcurl's
/// own cache. May be used from any thread.
final class TrustStoreCache: Sendable {
    typealias Store = UnsafeMutableRawPointer

    private typealias GetStore = @convention(c) (UnsafeMutableRawPointer) -> Store?
    private typealias SetStore = @convention(c) (UnsafeMutableRawPointer, Store) -> Void
    private typealias Retain = @convention(c) (Store) -> Int32
    private typealias Free = @convention(c) (Store) -> Void

    private let getStore: GetStore
    private let setStore: SetStore
    private let retain: Retain
    private let free: Free
    private let clock = MonotonicClock()
    private let state = Guarded(State())

    private struct State: @unchecked Sendable {
        var store: Store?
        var expiry = Instant.zero
    }

    private static let lifetime = TimeSpan.hours(24)

    /// - Parameter address: returns the address of a function by its name; nil when there is none.
    init?(_ address: (String) -> UnsafeMutableRawPointer?) {
        guard let getStore = address("SSL_CTX_get_cert_store"),
            let setStore = address("SSL_CTX_set1_cert_store"),
            let retain = address("X509_STORE_up_ref"), let free = address("X509_STORE_free")
        else { return nil }
        self.getStore = unsafeBitCast(getStore, to: GetStore.self)
        self.setStore = unsafeBitCast(setStore, to: SetStore.self)
        self.retain = unsafeBitCast(retain, to: Retain.self)
        self.free = unsafeBitCast(free, to: Free.self)
    }

    deinit { if let store = state.withLock({ $0.store }) { free(store) } }

    /// The cached store, which the caller must ``release(_:)``; nil when there is none or it has expired.
    func store() -> Store? {
        let now = clock.now
        return state.withLock { state in
            guard let store = state.store, now < state.expiry, retain(store) == 1 else { return nil }
            return store
        }
    }

    func release(_ store: Store) { free(store) }

    func put(_ store: Store, into context: UnsafeMutableRawPointer) { setStore(context, store) }

    /// Caches the store of a context, which libcurl has just filled.
    func cache(from context: UnsafeMutableRawPointer) {
        guard let store = getStore(context), retain(store) == 1 else { return }
        let expiry = clock.now + TrustStoreCache.lifetime
        let previous = state.withLock { state in
            defer { state = State(store: store, expiry: expiry) }
            return state.store
        }
        if let previous { free(previous) }
    }
}
