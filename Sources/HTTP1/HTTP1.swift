// HTTP1: one HTTP/1.1 codec for both roles (RFC 9110, RFC 9112), bytes in and bytes out.
//
// Guarantees: the codec uses no sockets and no clock; every parser is a value that may be copied at any byte;
// how the input is split never changes the result; memory is bounded by ``HTTPLimits``. Requests are
// parsed strictly: whatever two implementations could read differently is a ``ParseFailure`` with a status
// and a cause. For responses ``HTTPSyntax`` says what is tolerated. The parser reads nothing after a failure,
// because leftover bytes could be taken for the next message.
//
// Deliberately not here: which host, path or method is allowed (the server decides), cookies, content
// codings, HTTP/2.
