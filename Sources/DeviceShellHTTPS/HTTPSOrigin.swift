import AppHost
import DeviceShell
import Foundation
import Updater

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries the updater's requests to an origin over TLS, by the system's `URLSession`.
///
/// VerificationSummary
/// - What ``OriginRequest`` wants: a redirect is an answer like another, no cookie is kept or sent, nothing
///   is cached, no credentials are looked up; what the system has decoded is handed on without the fields
///   that told of the coding.
/// - Each request ends with exactly one `end` or `failed`, unless it was cancelled. Bytes come in order, at
///   most 64 KiB at once, and no faster than the loop takes them: at most 1 MiB waits (``Inbox``), the rest
///   at
///   its origin.
/// - Nothing is trusted but what the system trusts. A certificate that is not, of another host or out of its
///   time, fails the request as `insecure` before a byte of it is sent, and why is told in a sentence.
///
/// What can go wrong is a `TransferFailure`. Time limits are the updater's (U5), which cancels; none is set
/// here. Deliberately not here: a way around the certificates, HTTP proxies with a login, connections to a
/// remote root.
public final class HTTPSOrigin: AppLoop.OriginTransport {
    private let receiver: Receiver
    private let session: URLSession
    /// Whoever asks must not wait, and the session's own calls may: for its other callbacks.
    private let calls = DispatchQueue(label: "otalab.https")

    /// - Parameter tells: why a request failed in the connection: host and reason. On any thread.
    public init(tells: @escaping @Sendable (String) -> Void = { _ in }) {
        receiver = Receiver(tells)
        session = URLSession(
            configuration: HTTPSOrigin.configuration, delegate: receiver, delegateQueue: CallbackQueue())
    }

    deinit { session.invalidateAndCancel() }

    private static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCredentialStorage = nil
        configuration.timeoutIntervalForRequest = HTTPSOrigin.never
        configuration.timeoutIntervalForResource = HTTPSOrigin.never
        return configuration
    }

    /// Seconds. Long before it the updater has given up.
    private static let never: TimeInterval = 86_400

    public func fetch(_ id: TransferID, _ request: OriginRequest, _ door: Inbox) {
        guard let asked = HTTPSOrigin.request(request) else {
            return door.tell(.transfer(id, .failed(.nameNotResolved)))
        }
        receiver.begin(id, door)
        calls.async { [receiver, session] in
            guard receiver.isWanted(id) else { return }
            let task = session.dataTask(with: asked)
            receiver.take(task, for: id)
            task.resume()
        }
    }

    public func cancel(_ id: TransferID) {
        guard let task = receiver.forget(id) else { return }
        calls.async { task.cancel() }
    }

    private static func request(_ request: OriginRequest) -> URLRequest? {
        guard let url = URL(string: request.url), url.host != nil else { return nil }
        var asked = URLRequest(
            url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: HTTPSOrigin.never)
        for field in request.fields.fields { asked.addValue(field.value, forHTTPHeaderField: field.name) }
        if !request.body.isEmpty {
            asked.httpMethod = "POST"
            asked.httpBody = Data(request.body)
        }
        return asked
    }
}

/// Where the session calls its delegate.
///
/// On Linux the session reads on while callbacks wait in its queue, and can't be told to pause; called at
/// once, on the thread that reads, a callback that waits for room keeps it from reading.
private final class CallbackQueue: OperationQueue, @unchecked Sendable {
    override init() {
        super.init()
        maxConcurrentOperationCount = 1
    }

    #if !canImport(Darwin)
        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    #endif
}
