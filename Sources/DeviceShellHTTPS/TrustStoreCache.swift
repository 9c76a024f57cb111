import Core
import DeviceShell
import Synchronization

/// The system's trusted certificates as OpenSSL holds them, kept from one connection to the next.
///
/// libcurl reads them anew for each: some 140 on a Debian, which takes longer than all the rest of a
/// handshake. What is kept is the very store that libcurl has filled, by its rules; after a day it is filled
/// again (libcurl's own age for such a store, where it keeps one). Any thread.
final class TrustStoreCache: Sendable {
    typealias Store = UnsafeMutableRawPointer

    private typealias Take = @convention(c) (UnsafeMutableRawPointer) -> Store?
    private typealias Give = @convention(c) (UnsafeMutableRawPointer, Store) -> Void
    private typealias Count = @convention(c) (Store) -> Int32
    private typealias Free = @convention(c) (Store) -> Void

    private let take: Take
    private let give: Give
    private let count: Count
    private let free: Free
    private let clock = MonotonicClock()
    private let state = Mutex(State())

    private struct State: @unchecked Sendable {
        var store: Store?
        var until = Instant.zero
    }

    private static let age = TimeSpan.hours(24)

    /// - Parameter address: of a call, by its name.
    init?(_ address: (String) -> UnsafeMutableRawPointer?) {
        guard let take = address("SSL_CTX_get_cert_store"), let give = address("SSL_CTX_set1_cert_store"),
            let count = address("X509_STORE_up_ref"), let free = address("X509_STORE_free")
        else { return nil }
        self.take = unsafeBitCast(take, to: Take.self)
        self.give = unsafeBitCast(give, to: Give.self)
        self.count = unsafeBitCast(count, to: Count.self)
        self.free = unsafeBitCast(free, to: Free.self)
    }

    deinit { if let store = state.withLock({ $0.store }) { free(store) } }

    /// To be ``release(_:)``d; nil: none that is young enough.
    func store() -> Store? {
        let now = clock.now
        return state.withLock { state in
            guard let store = state.store, now < state.until, count(store) == 1 else { return nil }
            return store
        }
    }

    func release(_ store: Store) { free(store) }

    func put(_ store: Store, into context: UnsafeMutableRawPointer) { give(context, store) }

    /// Libcurl has just filled this one.
    func keep(from context: UnsafeMutableRawPointer) {
        guard let store = take(context), count(store) == 1 else { return }
        let until = clock.now + TrustStoreCache.age
        let former = state.withLock { state in
            defer { state = State(store: store, until: until) }
            return state.store
        }
        if let former { free(former) }
    }
}
