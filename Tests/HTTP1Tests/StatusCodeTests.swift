import HTTP1
import Testing

@Suite("Status codes")
struct StatusCodeTests {
    /// RFC 9110 §15 and RFC 6585, from their texts.
    private static let phrases: [(Int, String)] = [
        (100, "Continue"), (101, "Switching Protocols"), (200, "OK"), (201, "Created"), (202, "Accepted"),
        (204, "No Content"), (206, "Partial Content"), (301, "Moved Permanently"), (302, "Found"),
        (303, "See Other"), (304, "Not Modified"), (307, "Temporary Redirect"), (308, "Permanent Redirect"),
        (400, "Bad Request"), (401, "Unauthorized"), (403, "Forbidden"), (404, "Not Found"),
        (405, "Method Not Allowed"), (406, "Not Acceptable"), (408, "Request Timeout"), (409, "Conflict"),
        (410, "Gone"), (411, "Length Required"), (412, "Precondition Failed"), (413, "Content Too Large"),
        (414, "URI Too Long"), (415, "Unsupported Media Type"), (416, "Range Not Satisfiable"),
        (417, "Expectation Failed"), (421, "Misdirected Request"), (426, "Upgrade Required"),
        (428, "Precondition Required"), (429, "Too Many Requests"), (431, "Request Header Fields Too Large"),
        (500, "Internal Server Error"), (501, "Not Implemented"), (502, "Bad Gateway"),
        (503, "Service Unavailable"), (504, "Gateway Timeout"), (505, "HTTP Version Not Supported"),
        (507, "Insufficient Storage"),
    ]

    @Test("each code that is answered or forwarded has the reason phrase of its RFC; others have none")
    func reasons() {
        for code in 100...599 {
            let phrase = Self.phrases.first { $0.0 == code }?.1 ?? ""
            #expect(StatusCode(code).reason == phrase, "\(code)")
            #expect("\(StatusCode(code))" == (phrase.isEmpty ? "\(code)" : "\(code) \(phrase)"))
        }
    }
}
