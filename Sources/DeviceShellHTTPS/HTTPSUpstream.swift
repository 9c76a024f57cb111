import AppHost
import DeviceShell
import Foundation
import LocalServer

/// Carries the local server's requests to a remote root over TLS: bytes in, bytes out, as
/// ``DeviceShell/AppLoop/UpstreamTransport`` wants them.
///
/// VerificationSummary
/// - Not a byte is changed either way. What a request and its answer mean is the server's alone (rule S7):
///   compressed stays compressed, several fields of one name stay several, half a body stays half, and a
///   WebSocket is bytes like all else.
/// - Nothing is read unasked and one portion waits at most, so that a slow page slows its remote root.
/// - Nothing is trusted but what the system trusts. A certificate that is not, of another host or out of its
///   time fails the connection as `untrusted` before a byte of a request is sent; why is told in a sentence.
/// - A connection that breaks off without TLS's own goodbye has not ended, it has failed: an answer that has
///   no length is whole only with that goodbye (RFC 9112 §9.8).
///
/// By the `URLSession` of Linux none of this can be had: it decodes bodies, joins fields of one name (and
/// `Set-Cookie` can't be joined, RFC 6265 §3), and does not pause. Beneath it lies libcurl, which can open a
/// connection over TLS and leave the bytes to others; that very library, in this process anyway, is used.
///
/// What can go wrong is an `UpstreamFailure`. Where the process has no libcurl (Darwin) it is `insecure`, as
/// without this room; an app there brings an `UpstreamTransport` of its own. Deliberately not here: HTTP,
/// time limits (the server's), a way around the certificates, HTTP proxies, connections kept for later
/// requests (each costs a handshake).
public final class HTTPSUpstream: AppLoop.UpstreamTransport {
    private let library: CurlLibrary?
    private let tells: @Sendable (String) -> Void
    private var lines: [UpstreamID: TLSConnection] = [:]

    /// - Parameter tells: why a connection was not made: host and reason. On any thread.
    public convenience init(tells: @escaping @Sendable (String) -> Void = { _ in }) {
        self.init(CurlLibrary.found, tells: tells)
    }

    init(_ library: CurlLibrary?, tells: @escaping @Sendable (String) -> Void = { _ in }) {
        self.library = library
        self.tells = tells
    }

    deinit { for line in lines.values { line.ask(.close) } }

    public func call(_ id: UpstreamID, _ call: UpstreamCall, _ door: Inbox) {
        switch call {
        case .open(let root): open(id, root, door)
        case .send, .receive, .finish: lines[id]?.ask(call)
        case .close: lines.removeValue(forKey: id)?.ask(call)
        }
    }

    private func open(_ id: UpstreamID, _ root: RemoteRoot, _ door: Inbox) {
        guard let library else { return door.tell(.upstream(id, .failed(.insecure))) }
        do throws(SystemError) {
            let line = try TLSConnection(root, library, tells) { door.tell(.upstream(id, $0)) }
            lines[id] = line
            line.begin()
        } catch {
            // No descriptors are left.
            door.tell(.upstream(id, .failed(.unreachable)))
        }
    }
}
