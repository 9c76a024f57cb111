import Foundation
import Updater

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Why the session gave a request up, as the updater's word for it and as a sentence for people.
///
/// On Linux the session knows no error of its own for a certificate: it hands on libcurl's words, which are
/// looked through for what they are about. Words that are not known count as a connection that broke.
struct SessionFault {
    let failure: TransferFailure
    let sentence: String

    /// - Parameter hasHead: an answer had begun: then the certificate was a good one.
    init(_ error: any Error, hasHead: Bool) {
        let known = error as NSError
        sentence = known.localizedDescription
        failure = SessionFault.failure(known, hasHead)
    }

    private static func failure(_ error: NSError, _ hasHead: Bool) -> TransferFailure {
        let words = error.localizedDescription.lowercased()
        if hasHead { return isShort(words) ? .truncated : .reset }
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
        if isShort(words) { return .truncated }
        return isAboutTrust(words) ? .insecure : .reset
    }

    /// The body ended before its announced length.
    private static func isShort(_ words: String) -> Bool {
        words.contains("bytes remaining") || words.contains("outstanding read data")
            || words.contains("partial file") || words.contains("unexpected eof")
    }

    /// A connection that broke in the middle of a handshake says `SSL_ERROR_SYSCALL`: nothing of trust.
    private static func isAboutTrust(_ words: String) -> Bool {
        if words.contains("ssl_error_syscall") { return false }
        return words.contains("certificate") || words.contains("ssl") || words.contains("tls")
    }
}
