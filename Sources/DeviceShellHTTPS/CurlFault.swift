import Foundation
import LocalServer

/// Why libcurl made no connection, as the server's word for it and as a sentence for people.
struct CurlFault: Equatable {
    let failure: UpstreamFailure
    let sentence: String

    /// - Parameters:
    ///   - code: `CURLE_…`
    ///   - system: `errno` of the system's connecting; 0: none.
    init(code: Int32, system: Int32, sentence: String) {
        self.sentence = sentence
        failure =
            switch code {
            // COULDNT_RESOLVE_HOST
            case 6: .nameNotResolved
            // COULDNT_CONNECT
            case 7: [ENETUNREACH, EHOSTUNREACH, ENETDOWN].contains(system) ? .unreachable : .refused
            // OPERATION_TIMEDOUT
            case 28: .timedOut
            // PEER_FAILED_VERIFICATION, and before 7.62 its names for parts of it
            case 51, 60: .untrusted
            // SSL_CONNECT_ERROR, SSL_CIPHER; a connection that broke in the middle says what the system said
            case 35, 59: sentence.contains("SSL_ERROR_SYSCALL") ? .reset : .noAgreement
            // SSL_CACERT_BADFILE, SSL_ISSUER_ERROR, SSL_INVALIDCERTSTATUS: what vouches for it is not there
            case 77, 83, 91: .untrusted
            default: .reset
            }
    }
}
