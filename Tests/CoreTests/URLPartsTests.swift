import Core
import Testing

@Suite("The parts of a URL (RFC 3986 §3)")
struct URLPartsTests {
    @Test(
        "Each part is the text between its delimiters, unchanged",
        arguments: [
            ("http://a.b:80/c/d?e=/?f#g?h", ["http", "a.b:80", "/c/d", "e=/?f", "g?h"]),
            ("HTTPS://[::1]", ["HTTPS", "[::1]", "", nil, nil]),
            ("http://a?b", ["http", "a", "", "b", nil]), ("http://a#b:c", ["http", "a", "", nil, "b:c"]),
            ("//a/b", [nil, "a", "/b", nil, nil]), ("/a//b:c", [nil, nil, "/a//b:c", nil, nil]),
            ("a/b:c?#", [nil, nil, "a/b:c", "", ""]), ("data:a,b", ["data", nil, "a,b", nil, nil]),
            ("?a", [nil, nil, "", "a", nil]), ("", [nil, nil, "", nil, nil]),
            (":a", ["", nil, "a", nil, nil]),
            ("é:/\u{301}#ü", ["é", nil, "/\u{301}", nil, "ü"]),
        ] as [(String, [String?])])
    func parts(url: String, parts: [String?]) {
        let url = URLParts(url)
        let read = [url.scheme, url.authority, url.path, url.query, url.fragment]
        #expect(read.map { $0.map { String($0) } } == parts)
    }

    @Test("A target is path and query; only http and https with an authority are secure or insecure")
    func target() {
        #expect(URLParts("http://a/b?c#d").target == "/b?c")
        #expect(URLParts("hTTp://a").isSecure == false)
        #expect(URLParts("HTTPS://a").isSecure == true)
        #expect(URLParts("https:a").isSecure == nil)
        #expect(URLParts("ftp://a").isSecure == nil)
    }
}
