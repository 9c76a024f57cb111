import Foundation
import Updater

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Why the session failed a request: the updater's error code and a message for people.
///
/// On Linux the session has no error code for certificates. It passes on libcurl's message, which is searched
/// for known phrases. An unknown message counts as a lost connection.
struct SessionFault {
    let failure: TransferFailure
    let message: String

    /// - Parameter hasHead: whether a response had begun, and the certificate was therefore accepted.
    init(_ error: any Error, hasHead: Bool) {
        let known = error as NSError
        message = known.localizedDescription
        failure = SessionFault.failure(known, hasHead)
    }

    private static func failure(_ error: NSError, _ hasHead: Bool) -> TransferFailure {
        let message = error.localizedDescription.lowercased()
        if hasHead { return isTruncated(message) ? .truncated : .reset }
        switch error.code {
        case NSURLErrorNotConnectedToInternet, NSURLErrorInternationalRoamingOff, NSURLErrorDataNotAllowed:
            return .offline
        case NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed, NSURLErrorBadURL, NSURLErrorUnsupportedURL:
            return .nameNotResolved
        case NSURLErrorCannotConnectToHost: return .refused
        case NSURLErrorTimedOut: return .connectTimeout
        case NSURLErrorClientCertificateRequired...NSURLErrorSecureConnectionFailed:
            return .insecure
        default: break
        }
        if isTruncated(message) { return .truncated }
        return isAboutTrust(message) ? .insecure : .reset
    }

    /// Whether the body ended before its announced length.
    private static func isTruncated(_ message: String) -> Bool {
        message.contains("bytes remaining") || message.contains("outstanding read data")
            || message.contains("partial file") || message.contains("unexpected eof")
    }

    /// Whether certificates or TLS are the cause. A connection lost in the handshake has `SSL_ERROR_SYSCALL`
    /// and is not a matter of trust.
    private static func isAboutTrust(_ message: String) -> Bool {
        if message.contains("ssl_error_syscall") { return false }
        return message.contains("certificate") || message.contains("ssl") || message.contains("tls")
    }
}
