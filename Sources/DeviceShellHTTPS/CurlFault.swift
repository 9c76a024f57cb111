import Foundation
import LocalServer

/// Why libcurl did not establish a connection: the server's error code and a message for people.
struct CurlFault: Equatable {
    let failure: UpstreamFailure
    let message: String

    /// - Parameters:
    ///   - code: `CURLE_…`
    ///   - system: `errno` of `connect`; 0 when it did not fail.
    ///   - message: libcurl's error message.
    init(code: Int32, system: Int32, message: String) {
        self.message = message
        failure =
            switch code {
            // COULDNT_RESOLVE_HOST
            case 6: .nameNotResolved
            // COULDNT_CONNECT
            case 7: [ENETUNREACH, EHOSTUNREACH, ENETDOWN].contains(system) ? .unreachable : .refused
            // OPERATION_TIMEDOUT
            case 28: .timedOut
            // PEER_FAILED_VERIFICATION, and the separate codes before 7.62
            case 51, 60: .certificateNotTrusted
            // SSL_CONNECT_ERROR, SSL_CIPHER; the message of a connection lost in the handshake has
            // SSL_ERROR_SYSCALL
            case 35, 59: message.contains("SSL_ERROR_SYSCALL") ? .reset : .tlsHandshakeFailed
            // SSL_CACERT_BADFILE, SSL_ISSUER_ERROR, SSL_INVALIDCERTSTATUS: the certificate can't be verified
            case 77, 83, 91: .certificateNotTrusted
            default: .reset
            }
    }
}
