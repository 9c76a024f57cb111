import Core
import HTTP1
import Testing

@testable import LocalServer

@Suite("S7's table of header fields, row by row")
struct ProxyFieldTests {
    /// Fields of one connection, each with a value that this server reads as none of its own.
    private static let hopByHop = [
        "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization",
        "Proxy-Authentication-Info", "TE", "Trailer", "Upgrade", "HTTP2-Settings",
    ]

    private static let forwarding = [
        "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port",
        "X-Forwarded-Server", "X-Real-IP",
    ]

    /// The lines of the request that the remote root gets for a page's with these fields.
    private func sent(_ fields: [String]) throws -> [String] {
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("GET /api/x", fields))
        proxy.connect()
        return proxy.lines
    }

    @Test("What belongs to one connection, and what a client could forge, does not go up, in no spelling")
    func droppedUp() throws {
        for name in Self.hopByHop + Self.forwarding {
            let spellings = [name, name.lowercased(), name.replacing("-", with: "_")]
            for spelling in spellings {
                let lines = try sent(["\(spelling): 1", "X-Own: 1"])
                #expect(!lines.contains("\(spelling): 1"), "\(spelling)")
                #expect(lines.contains("X-Own: 1") && lines.contains("Connection: close"))
            }
        }
        #expect(try sent(["X_Own: 1"]).contains("X_Own: 1"))
    }

    @Test("What belongs to one connection does not come down, nor does what would delete this server's data")
    func droppedDown() throws {
        for name in Self.hopByHop + ["Clear-Site-Data"] {
            let reply = try ProxyFixture.exchange(["\(name): 1", "X-Own: 1"])
            #expect(!reply.fields.contains(name) && reply.fields["X-Own"] == "1", "\(name)")
        }
        // Of a response they say nothing of where a request comes from.
        for name in Self.forwarding {
            #expect(try ProxyFixture.exchange(["\(name): 1"]).fields[name] == "1", "\(name)")
        }
    }

    @Test("`Connection` removes what it names, but no field that goes from end to end")
    func named() throws {
        let endToEnd = [
            "Authorization", "Content-Type", "Content-Encoding", "Content-Range", "Range", "If-Match",
            "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Cache-Control", "ETag",
            "Location", "Vary", "Date",
        ]
        for name in endToEnd {
            let fields = ["Connection: keep-alive, \(name)", "\(name): 1"]
            #expect(try sent(fields).contains("\(name): 1"), "\(name)")
            #expect(try ProxyFixture.exchange(fields).fields[name] == "1", "\(name)")
        }
        let own = [
            ("Origin", "http://localhost:12308", "http://api.example.com"),
            ("Referer", "http://localhost:12308/a", "http://api.example.com/a"),
            ("Expect", "100-continue", "100-continue"),
        ]
        for (name, value, expected) in own {
            let lines = try sent(["Connection: keep-alive, \(name)", "\(name): \(value)"])
            #expect(lines.contains("\(name): \(expected)"), "\(name)")
        }
        let cookie = try ProxyFixture.exchange(["Connection: set-cookie", "Set-Cookie: a=1"])
        #expect(cookie.fields["Set-Cookie"] == "a=1")
        let hop = ["Connection: keep-alive, x-hop", "X-Hop: 1"]
        #expect(try !sent(hop).contains("X-Hop: 1"))
        #expect(try !ProxyFixture.exchange(hop).fields.contains("X-Hop"))
    }

    @Test("A remote root's authority has a port only where it is not the scheme's own")
    func authority() throws {
        for (url, authority, origin, base) in [
            ("http://a.example", "a.example", "http://a.example", ""),
            ("http://a.example:80/", "a.example", "http://a.example", ""),
            ("http://a.example:443", "a.example:443", "http://a.example:443", ""),
            ("https://a.example:443/b//", "a.example", "https://a.example", "/b"),
            ("https://a.example:80", "a.example:80", "https://a.example:80", ""),
            ("https://a.example:65535/b/c", "a.example:65535", "https://a.example:65535", "/b/c"),
            ("HTTPS://A.example", "a.example", "https://a.example", ""),
            ("http://[::1]:1", "[::1]:1", "http://[::1]:1", ""),
        ] {
            let root = try RemoteRoot(url)
            #expect(root.authority == authority && root.origin == origin && root.base == base, "\(url)")
            #expect(root.description == origin + base && root.isSecure == (root.scheme == "https"))
        }
        #expect(try RemoteRoot("http://a").port == 80 && RemoteRoot("https://a").port == 443)
    }

    @Test("Names with three dots are no dot segments, encoded or not")
    func dots() throws {
        let root = try RemoteRoot("http://api.example/v1")
        for (reference, expected) in [
            ("/v1/a/.../b", "/a/.../b"), ("/v1/a/%2e%2e%2e/b", "/a/%2e%2e%2e/b"), ("/v1/a/.b", "/a/.b"),
            ("/v1/a/..b", "/a/..b"), ("/v1/a/%2E./b", "/b"), ("/v1/a/./b", "/a/b"), ("/v1/a/.", "/a/"),
            ("/v1/a/b/..", "/a/"), ("/v1/a/%2e", "/a/"), ("/v1//../b", "/b"), (#"/v1/a\..\b"#, "/b"),
        ] {
            #expect(root.localReference(reference, requestPath: "/") == expected, "\(reference)")
        }
    }

    @Test("This server's cookies are recognised by their whole name, or the name and a port")
    func ownCookies() {
        for (name, isOwn) in [
            ("otalab-key", true), ("otalab-load", true), ("otalab-key-1", true), ("otalab-load-", true),
            ("otalab-keys", false), ("otalab-loa", false), ("xotalab-key", false), ("", false),
        ] {
            #expect(ReservedQueryItems.isCookie(Substring(name)) == isOwn, "\(name)")
        }
    }

    @Test("This server's query items are removed, the others stay as they are, empty ones too")
    func items() throws {
        for (text, removed, withoutKey) in [
            ("/a", "/a", "/a"), ("/a?", "/a?", "/a?"), ("/a?b&&c=", "/a?b&&c=", "/a?b&&c="),
            ("/a?otalab-load=1", "/a", "/a?otalab-load=1"), ("/a?otalab-key=1", "/a", "/a"),
            ("/a?b&otalab-key=1&otalab-load=2&c", "/a?b&c", "/a?b&otalab-load=2&c"),
            ("/a?otalab-load&otalab-keys=1", "/a?otalab-load&otalab-keys=1", "/a?otalab-load&otalab-keys=1"),
        ] {
            let target = try RequestTarget(Array(text.utf8))
            #expect(ReservedQueryItems.removed(from: target) == removed, "\(text)")
            #expect(ReservedQueryItems.withoutKey(target) == withoutKey, "\(text)")
            let load = "otalab-load=00000000000000aa"
            let expected = removed + (removed.contains("?") ? "&" : "?") + load
            #expect(ReservedQueryItems.with(PageLoadToken(0xaa), target) == expected)
        }
    }
}
