import AppHost
import DeviceShell
import Foundation
import Updater

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries the updater's requests to an origin over TLS, with the system's `URLSession`.
///
/// Guarantees
/// - As ``OriginRequest`` requires: redirects are not followed, cookies are neither stored nor sent, nothing
///   is cached, and no credentials are used. When the system has decoded a body, the fields that describe the
///   coding are left out.
/// - Each request ends with exactly one `end` or `failed`, unless it is cancelled. Bytes are delivered in
///   order, at most 64 KiB at once, and no faster than the loop handles them: at most 1 MiB is queued
///   (``Inbox``).
/// - Only certificates that the system trusts are accepted. An untrusted or expired certificate, or one of
///   another host, fails the request as `insecure` before any byte of it is sent, and the reason is reported.
///
/// Errors are a `TransferFailure`. The updater limits the time (U5) and cancels; no limit is set here.
/// Deliberately not here: disabling certificate checks, HTTP proxies with a login, connections to a remote
/// root.
public final class HTTPSOrigin: AppLoop.OriginTransport {
    private let receiver: Receiver
    private let session: URLSession
    /// Queue for the session's methods, because they may block on its callbacks and the caller must not
    /// block.
    private let queue = DispatchQueue(label: "otalab.https")

    /// - Parameter onFailure: called on any thread with host and reason when a connection fails; for logs.
    public init(onFailure: @escaping @Sendable (String) -> Void = { _ in }) {
        receiver = Receiver(onFailure)
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

    /// Timeout in seconds; the updater cancels long before.
    private static let never: TimeInterval = 86_400

    /// Begins a request; its events are enqueued in `inbox`.
    public func fetch(_ id: TransferID, _ request: OriginRequest, _ inbox: Inbox) {
        guard let urlRequest = HTTPSOrigin.urlRequest(request) else {
            return inbox.enqueue(.transfer(id, .failed(.nameNotResolved)))
        }
        receiver.begin(id, inbox)
        queue.async { [receiver, session] in
            guard receiver.isActive(id) else { return }
            let task = session.dataTask(with: urlRequest)
            receiver.assign(task, to: id)
            task.resume()
        }
    }

    /// Cancels a request; no event of it follows.
    public func cancel(_ id: TransferID) {
        guard let task = receiver.remove(id) else { return }
        queue.async { task.cancel() }
    }

    private static func urlRequest(_ request: OriginRequest) -> URLRequest? {
        guard let url = URL(string: request.url), url.host != nil else { return nil }
        var urlRequest = URLRequest(
            url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: HTTPSOrigin.never)
        for field in request.fields.fields {
            urlRequest.addValue(field.value, forHTTPHeaderField: field.name)
        }
        if !request.body.isEmpty {
            urlRequest.httpMethod = "POST"
            urlRequest.httpBody = Data(request.body)
        }
        return urlRequest
    }
}

/// Queue on which the session calls its delegate.
///
/// On Linux the session keeps reading while callbacks wait in its queue, and can't be paused. The queue
/// therefore runs callbacks at once on the reading thread, so that a callback that blocks stops the reading.
private final class CallbackQueue: OperationQueue, @unchecked Sendable {
    override init() {
        super.init()
        maxConcurrentOperationCount = 1
    }

    #if !canImport(Darwin)
        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    #endif
}
