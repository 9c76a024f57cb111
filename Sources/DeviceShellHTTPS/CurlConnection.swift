import CurlCalls
import Foundation
import LocalServer

/// One connection of libcurl's that is opened and then left to its user: bytes, without HTTP
/// (`CURLOPT_CONNECT_ONLY`). All calls on one thread.
///
/// An https root is spoken to by TLS 1.2 or later (RFC 8996), an http root without TLS. No variable of the
/// environment and no file decides anything; only the system's certificates count.
final class CurlConnection {
    enum Step: Equatable {
        /// Bytes, never 0.
        case done(Int)
        /// Until the socket can be read or written.
        case mustWait
        /// The remote root has ended its side in order.
        case over
        case broken
    }

    private let library: CurlLibrary
    private let handle: UnsafeMutableRawPointer
    private let words: UnsafeMutablePointer<CChar>
    private let question: Question
    private let goodbye = CloseNotify()
    /// The end of the socket's bytes is not yet one of the connection.
    private var needsGoodbye = false
    private var trusted: TrustStoreCache.Store?
    private(set) var descriptor: Int32 = -1

    /// - Parameter isUnwanted: asked about once a second while a connection is opened; true: it is given up.
    init?(_ library: CurlLibrary, isUnwanted: @escaping () -> Bool) {
        guard let handle = library.begin() else { return nil }
        self.library = library
        self.handle = handle
        question = Question(isUnwanted)
        words = .allocate(capacity: CurlConnection.wordsSize)
        words.initialize(repeating: 0, count: CurlConnection.wordsSize)
    }

    deinit {
        library.end(handle)
        if let trusted { library.trust?.release(trusted) }
        words.deallocate()
    }

    // MARK: - Opening

    /// Comes back when the connection is made, or can't be.
    func open(_ root: RemoteRoot) -> CurlFault? {
        set(.url, root.origin + "/")
        set(.connectOnly, 1)
        // Offers the server HTTP/1.1 alone (ALPN, RFC 7301).
        set(.httpVersion, 2)
        set(.proxy, "")
        // No signals: there are other threads.
        set(.noSignal, 1)
        set(.verifyPeer, 1)
        set(.verifyHost, 2)
        // TLS 1.2.
        set(.sslVersion, 6)
        set(.errorBuffer, words)
        set(.progressData, Unmanaged.passUnretained(question).toOpaque())
        _ = otalab_curl_set_progress(library.setopt, handle, Option.progressFunction.rawValue, Question.asked)
        set(.noProgress, 0)
        if root.isSecure { setUpTLS() }
        let code = library.perform(handle)
        guard code == 0 else {
            let system = otalab_curl_number(library.getinfo, handle, CurlConnection.systemError)
            let said = String(cString: words)
            return CurlFault(
                code: code, system: Int32(truncatingIfNeeded: system),
                sentence: said.isEmpty ? library.sentence(code) : said)
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

    /// `CURLOPT_…`, by the numbers of libcurl's binary interface, which never change.
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
    private static let wordsSize = 256
    /// `CURLINFO_OS_ERRNO`
    private static let systemError: Int32 = 0x20_0019
    /// `CURLINFO_ACTIVESOCKET`
    private static let activeSocket: Int32 = 0x50_002c
    /// `CURLE_AGAIN`
    private static let again: Int32 = 81

    private final class Question {
        let isUnwanted: () -> Bool

        init(_ isUnwanted: @escaping () -> Bool) { self.isUnwanted = isUnwanted }

        static let asked: otalab_curl_progress = { context, _, _, _, _ in
            guard let context else { return 0 }
            return Unmanaged<Question>.fromOpaque(context).takeUnretainedValue().isUnwanted() ? 1 : 0
        }
    }

    // MARK: - Bytes

    /// After `mustWait` to be called again with the same bytes at the same place.
    func send(_ bytes: UnsafeRawBufferPointer) -> Step {
        guard let start = bytes.baseAddress else { return .mustWait }
        var count = 0
        switch library.send(handle, start, bytes.count, &count) {
        case 0: return .done(count)
        case CurlConnection.again: return .mustWait
        default: return .broken
        }
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Step {
        guard let start = buffer.baseAddress else { return .mustWait }
        var count = 0
        switch library.receive(handle, start, buffer.count, &count) {
        case 0 where count > 0: return .done(count)
        case 0: return needsGoodbye && !goodbye.isSaid ? .broken : .over
        case CurlConnection.again: return .mustWait
        default: return .broken
        }
    }

    // MARK: - What OpenSSL is told

    private func setUpTLS() {
        guard library.watchesContext else { return }
        trusted = library.trust?.store()
        if trusted != nil {
            _ = otalab_curl_set_nothing(library.setopt, handle, Option.trustedFile.rawValue)
            _ = otalab_curl_set_nothing(library.setopt, handle, Option.trustedFolder.rawValue)
        }
        set(.contextData, Unmanaged.passUnretained(self).toOpaque())
        _ = otalab_curl_set_context(library.setopt, handle, Option.contextFunction.rawValue) {
            _, context, pipe in
            guard let context, let pipe else { return 0 }
            Unmanaged<CurlConnection>.fromOpaque(pipe).takeUnretainedValue().setUp(context)
            return 0
        }
    }

    private func setUp(_ context: UnsafeMutableRawPointer) {
        if let trusted {
            library.trust?.put(trusted, into: context)
        } else {
            library.trust?.keep(from: context)
        }
        awaitGoodbye(context)
    }

    /// With OpenSSL libcurl takes the end of the socket for that of the connection, although anybody on the
    /// way can make it. Other libraries of TLS tell the two apart themselves.
    private func awaitGoodbye(_ context: UnsafeMutableRawPointer) {
        needsGoodbye = true
        Thread.current.threadDictionary[CloseNotify.name] = goodbye
        library.watch(context) { _, place, what in
            // SSL_CB_READ_ALERT; a warning (1) that is close_notify (0), RFC 8446 §6.1.
            guard place == 0x4004, what == 0x100 else { return }
            (Thread.current.threadDictionary[CloseNotify.name] as? CloseNotify)?.isSaid = true
        }
    }

    /// OpenSSL says it without saying to whom: on the thread whose connection it is.
    private final class CloseNotify {
        static let name = "otalab.goodbye"
        var isSaid = false
    }
}
