import AppHost
import DeviceShell
import Foundation
import LocalServer

/// Carries the local server's connections to a remote root over TLS, as bytes in both directions
/// (``DeviceShell/AppLoop/UpstreamTransport``).
///
/// Guarantees
/// - Bytes are passed on unchanged, because only the server interprets requests and answers (rule S7):
///   compressed bodies stay compressed, repeated fields stay separate, incomplete bodies stay incomplete,
///   WebSocket frames are bytes like all others.
/// - Bytes are read only on request and at most one portion is buffered, so that a slow page slows its remote
///   root.
/// - Only certificates that the system trusts are accepted. An untrusted or expired certificate, or one of
///   another host, fails the connection as `certificateNotTrusted` before any byte of a request is sent, and
///   the reason is reported.
/// - A connection that is closed without TLS's `close_notify` has failed, because an answer without a length
///   is complete only after a `close_notify` (RFC 9112 §9.8).
///
/// The `URLSession` of Linux can't provide this: it decodes bodies, joins fields of the same name (and
/// `Set-Cookie` can't be joined, RFC 6265 §3), and can't be paused. It uses libcurl, which is therefore in
/// the process and can open a TLS connection without interpreting its bytes.
///
/// Errors are an `UpstreamFailure`. Where the process has no libcurl (Darwin) every connection fails as
/// `tlsNotAvailable`, as it does without this module; an app there supplies another `UpstreamTransport`.
/// Deliberately not here: HTTP, time limits (the server has them), disabling certificate checks, HTTP
/// proxies, and reuse of connections (each connection costs a handshake).
public final class HTTPSUpstream: AppLoop.UpstreamTransport {
    private let library: CurlLibrary?
    private let onFailure: @Sendable (String) -> Void
    private var connections: [UpstreamID: TLSConnection] = [:]

    /// - Parameter onFailure: called on any thread with host and reason when a connection fails; for logs.
    public convenience init(onFailure: @escaping @Sendable (String) -> Void = { _ in }) {
        self.init(CurlLibrary.found, onFailure: onFailure)
    }

    init(_ library: CurlLibrary?, onFailure: @escaping @Sendable (String) -> Void = { _ in }) {
        self.library = library
        self.onFailure = onFailure
    }

    deinit { for connection in connections.values { connection.enqueue(.close) } }

    /// Performs a call; its events are enqueued in `inbox`.
    public func call(_ id: UpstreamID, _ call: UpstreamCommand, _ inbox: Inbox) {
        switch call {
        case .open(let root): open(id, root, inbox)
        case .send, .receive, .finish: connections[id]?.enqueue(call)
        case .close: connections.removeValue(forKey: id)?.enqueue(call)
        }
    }

    private func open(_ id: UpstreamID, _ root: RemoteRoot, _ inbox: Inbox) {
        guard let library else { return inbox.enqueue(.upstream(id, .failed(.tlsNotAvailable))) }
        do throws(SystemError) {
            let connection = try TLSConnection(root, library, onFailure) { inbox.enqueue(.upstream(id, $0)) }
            connections[id] = connection
            connection.start()
        } catch {
            // The process has no descriptors left.
            inbox.enqueue(.upstream(id, .failed(.unreachable)))
        }
    }
}
