// HTTP1: one HTTP/1.1 codec for both roles (RFC 9110, RFC 9112), bytes in and bytes out.
//
// VerificationSummary: it knows no socket and no time; every parser is a value that may be copied at any
// byte; how the bytes were cut never changes what is read; memory is bounded by ``HTTPLimits``. It reads
// strictly: whatever two implementations could read differently (http.md "Request parsing") ends in a
// ``ParseFailure`` with a status and a cause, after which the parser reads nothing more, so that no leftover
// is taken for the next message.
//
// Deliberately not here: which host, path or method is allowed (the server's), cookies, content codings,
// HTTP/2.
