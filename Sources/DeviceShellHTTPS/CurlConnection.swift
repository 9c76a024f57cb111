import CurlCalls
import Foundation
import LocalServer

/// One connection that libcurl opens and over which the caller sends and receives bytes, without HTTP
/// (`CURLOPT_CONNECT_ONLY`). All calls on one thread.
///
/// An https root is reached with TLS 1.2 or later (RFC 8996), an http root without TLS. Neither environment
/// variables nor files configure it; only the system's certificates are trusted.
final class CurlConnection {
    /// Result of one call.
    enum Step: Equatable {
        /// Number of bytes, never 0.
        case done(Int)
        /// The call would block until the socket is readable or writable.
        case mustWait
        /// The remote root has closed its side in order.
        case over
        /// The connection has failed.
        case broken
    }

    private let library: CurlLibrary
    private let handle: UnsafeMutableRawPointer
    private let errorBuffer: UnsafeMutablePointer<CChar>
    private let cancellation: Cancellation
    private let closeNotify = CloseNotify()
    /// Whether the end of the TCP stream completes the connection only after a `close_notify`.
    private var requiresCloseNotify = false
    private var trustStore: TrustStoreCache.Store?
    /// Descriptor of the connected socket; −1 before.
    private(set) var descriptor: Int32 = -1

    /// - Parameter isCancelled: called about once a second while the connection is opened; true gives it up.
    init?(_ library: CurlLibrary, isCancelled: @escaping () -> Bool) {
        guard let handle = library.makeHandle() else { return nil }
        self.library = library
        self.handle = handle
        cancellation = Cancellation(isCancelled)
        errorBuffer = .allocate(capacity: CurlConnection.errorBufferSize)
        errorBuffer.initialize(repeating: 0, count: CurlConnection.errorBufferSize)
    }

    deinit {
        library.destroy(handle)
        if let trustStore { library.trustStores?.release(trustStore) }
        errorBuffer.deallocate()
    }

    // MARK: - Opening

    /// Opens the connection; blocks until it is established or has failed.
    /// - Returns: why it failed; nil when it is established.
    func open(_ root: RemoteRoot) -> CurlFault? {
        set(.url, root.origin + "/")
        set(.connectOnly, 1)
        // Offers the server HTTP/1.1 alone (ALPN, RFC 7301).
        set(.httpVersion, 2)
        set(.proxy, "")
        // Signals would disturb the process's other threads.
        set(.noSignal, 1)
        set(.verifyPeer, 1)
        set(.verifyHost, 2)
        // TLS 1.2.
        set(.sslVersion, 6)
        set(.errorBuffer, errorBuffer)
        set(.progressData, Unmanaged.passUnretained(cancellation).toOpaque())
        _ = otalab_curl_set_progress(
            library.setopt, handle, Option.progressFunction.rawValue, Cancellation.callback)
        set(.noProgress, 0)
        if root.isSecure { setUpTLS() }
        let code = library.perform(handle)
        guard code == 0 else {
            let system = otalab_curl_number(library.getinfo, handle, CurlConnection.systemError)
            let details = String(cString: errorBuffer)
            return CurlFault(
                code: code, system: Int32(truncatingIfNeeded: system),
                message: details.isEmpty ? library.message(code) : details)
        }
        descriptor = otalab_curl_descriptor(library.getinfo, handle, CurlConnection.activeSocket)
        return nil
    }

    private func set(_ option: Option, _ value: Int) {
        _ = otalab_curl_set_number(library.setopt, handle, option.rawValue, value)
    }

    private func set(_ option: Option, _ value: String) {
        _ = otalab_curl_set_text(library.setopt, handle, option.rawValue, value)
    }

    private func set(_ option: Option, _ value: UnsafeMutableRawPointer) {
        _ = otalab_curl_set_pointer(library.setopt, handle, option.rawValue, value)
    }

    /// Values of `CURLOPT_…` in libcurl's ABI, which never change.
    private enum Option: Int32 {
        case sslVersion = 32
        case noProgress = 43
        case verifyPeer = 64
        case verifyHost = 81
        case httpVersion = 84
        case noSignal = 99
        case connectOnly = 141
        case url = 10_002
        case proxy = 10_004
        case errorBuffer = 10_010
        case trustedFile = 10_065
        case trustedFolder = 10_097
        case progressData = 10_057
        case contextData = 10_109
        case contextFunction = 20_108
        case progressFunction = 20_219
    }

    /// `CURL_ERROR_SIZE`
    private static let errorBufferSize = 256
    /// `CURLINFO_OS_ERRNO`
    private static let systemError: Int32 = 0x20_0019
    /// `CURLINFO_ACTIVESOCKET`
    private static let activeSocket: Int32 = 0x50_002c
    /// `CURLE_AGAIN`
    private static let again: Int32 = 81

    /// Context of libcurl's progress callback, which cancels when it returns a number other than 0.
    private final class Cancellation {
        let isCancelled: () -> Bool

        init(_ isCancelled: @escaping () -> Bool) { self.isCancelled = isCancelled }

        static let callback: otalab_curl_progress = { context, _, _, _, _ in
            guard let context else { return 0 }
            return Unmanaged<Cancellation>.fromOpaque(context).takeUnretainedValue().isCancelled() ? 1 : 0
        }
    }

    // MARK: - Bytes

    /// Sends some of the bytes. After `mustWait` it must be called again with the same bytes at the same
    /// address, because TLS requires it.
    func send(_ bytes: UnsafeRawBufferPointer) -> Step {
        guard let start = bytes.baseAddress else { return .mustWait }
        var count = 0
        switch library.send(handle, start, bytes.count, &count) {
        case 0: return .done(count)
        case CurlConnection.again: return .mustWait
        default: return .broken
        }
    }

    /// Receives the available bytes, up to the buffer's size.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Step {
        guard let start = buffer.baseAddress else { return .mustWait }
        var count = 0
        switch library.receive(handle, start, buffer.count, &count) {
        case 0 where count > 0: return .done(count)
        case 0: return requiresCloseNotify && !closeNotify.wasReceived ? .broken : .over
        case CurlConnection.again: return .mustWait
        default: return .broken
        }
    }

    // MARK: - Setting up OpenSSL

    private func setUpTLS() {
        guard library.hasInfoCallback else { return }
        trustStore = library.trustStores?.store()
        if trustStore != nil {
            _ = otalab_curl_set_nothing(library.setopt, handle, Option.trustedFile.rawValue)
            _ = otalab_curl_set_nothing(library.setopt, handle, Option.trustedFolder.rawValue)
        }
        set(.contextData, Unmanaged.passUnretained(self).toOpaque())
        _ = otalab_curl_set_context(library.setopt, handle, Option.contextFunction.rawValue) {
            _, context, connection in
            guard let context, let connection else { return 0 }
            Unmanaged<CurlConnection>.fromOpaque(connection).takeUnretainedValue().setUp(context)
            return 0
        }
    }

    private func setUp(_ context: UnsafeMutableRawPointer) {
        if let trustStore {
            library.trustStores?.put(trustStore, into: context)
        } else {
            library.trustStores?.cache(from: context)
        }
        observeCloseNotify(context)
    }

    /// Records whether the peer sends a `close_notify`. With OpenSSL, libcurl treats the end of the TCP
    /// stream as the end of the TLS connection, although an attacker on the network can cause it (truncation
    /// attack). Other TLS libraries distinguish the two.
    private func observeCloseNotify(_ context: UnsafeMutableRawPointer) {
        requiresCloseNotify = true
        Thread.current.threadDictionary[CloseNotify.key] = closeNotify
        library.setInfoCallback(context) { _, kind, value in
            // SSL_CB_READ_ALERT; a warning (1) that is close_notify (0), RFC 8446 §6.1.
            guard kind == 0x4004, value == 0x100 else { return }
            (Thread.current.threadDictionary[CloseNotify.key] as? CloseNotify)?.wasReceived = true
        }
    }

    /// Whether a connection's peer has sent `close_notify`. OpenSSL's callback has no context argument, but
    /// runs on the connection's thread, so the value is found in that thread's dictionary.
    private final class CloseNotify {
        static let key = "otalab.closeNotify"
        var wasReceived = false
    }
}
