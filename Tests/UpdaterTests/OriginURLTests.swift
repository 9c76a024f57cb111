import Core
import Testing

@testable import Updater

@Suite("URLs of an origin: references are resolved as RFC 3986 says, and never lead elsewhere")
struct OriginURLTests {
    private static let base = "https://o.example/app/manifest.json?x=1#top"
    private static let allowed = ["https://o.example"]

    @Test(
        "A reference is resolved against the manifest's URL, without dot segments",
        arguments: [
            ("/a/b.js", "/a/b.js"), ("b.js", "/app/b.js"), ("./b.js", "/app/b.js"), ("../b.js", "/b.js"),
            ("../../b.js", "/b.js"), ("b/../c.js", "/app/c.js"), ("b/.", "/app/b/"), ("b/..", "/app/"),
            (".", "/app/"), ("..", "/"), ("b/./c", "/app/b/c"), ("/x/./y", "/x/y"), ("/x/../y", "/y"),
            ("/./x", "/x"), ("/a.b", "/a.b"), ("/a/.well-known/x", "/a/.well-known/x"), ("/a//b", "/a//b"),
            ("?q=1", "/app/manifest.json?q=1"), ("", "/app/manifest.json"), ("#f", "/app/manifest.json"),
            ("b.js?q=1#f", "/app/b.js?q=1"), ("/b.js?q=../1", "/b.js?q=../1"), ("/b.js#f", "/b.js"),
            ("//o.example/z", "/z"), ("https://o.example/z?q", "/z?q"), ("/", "/"),
        ])
    func resolved(reference: String, path: String) {
        let url = OriginURL.resolve(reference, against: Self.base, allowed: Self.allowed)
        #expect(url == "https://o.example" + path)
    }

    @Test(
        "Spaces and characters that are not ASCII are encoded, and nothing else is",
        arguments: [
            ("/a b/ü.js", "/a%20b/%C3%BC.js"), ("b ü", "/app/b%20%C3%BC"), ("!~", "/app/!~"),
            ("/!~", "/!~"), ("/a%20b", "/a%20b"), ("~ ~", "/app/~%20~"), ("! !", "/app/!%20!"),
        ])
    func encoded(reference: String, path: String) {
        let url = OriginURL.resolve(reference, against: Self.base, allowed: Self.allowed)
        #expect(url == "https://o.example" + path)
        let odd = OriginURL.resolve("b", against: "https://o.example/ä x/m", allowed: Self.allowed)
        #expect(odd == "https://o.example/%C3%A4%20x/b")
    }

    @Test(
        "Another root, another scheme and control characters lead nowhere",
        arguments: [
            "//evil.example/z", "https://evil.example/z", "http://o.example/z", "https://o.example:8443/z",
            "data:text/plain,x", "javascript:alert(1)", "file:///etc/passwd", "ftp://o.example/z",
            "a\u{7f}", "/a\u{7f}", "a\u{1f}", "/a\u{0}b", "a\nb",
        ])
    func refused(reference: String) {
        #expect(OriginURL.resolve(reference, against: Self.base, allowed: Self.allowed) == nil)
    }

    @Test("A base whose root is not allowed leads nowhere, whatever the form of the reference")
    func otherBase() {
        for reference in ["/a", "a", "?q", "", "../a"] {
            let url = OriginURL.resolve(reference, against: "https://other.example/m", allowed: Self.allowed)
            #expect(url == nil, "\(reference)")
        }
        let own = OriginURL.resolve(
            "https://o.example/a", against: "https://other.example/m", allowed: Self.allowed)
        #expect(own == "https://o.example/a")
    }

    @Test("A base without a path is the root of its references")
    func bareBase() {
        #expect(
            OriginURL.resolve("b.js", against: "https://o.example", allowed: Self.allowed)
                == "https://o.example/b.js")
    }

    @Test("Scheme and host are compared without case, and the scheme's own port is no difference")
    func spellings() {
        func isAllowed(_ root: String, by allowed: String) -> Bool {
            OriginURL.resolve("/a", against: root + "/m", allowed: [allowed]) == root + "/a"
        }
        for (one, other) in [
            ("https://o.example", "https://o.example:443"), ("http://o.example", "http://o.example:80"),
            ("https://o.example", "HTTPS://O.example"), ("https://O.EXAMPLE:443", "https://o.example"),
        ] {
            #expect(isAllowed(one, by: other) && isAllowed(other, by: one), "\(one) \(other)")
        }
        for (one, other) in [
            ("https://o.example", "https://o.example:80"), ("http://o.example", "http://o.example:443"),
            ("http://o.example", "https://o.example"), ("https://o.example", "https://o.example:8443"),
            ("http://o.example", "http://o.example:8080"),
        ] {
            #expect(!isAllowed(one, by: other) && !isAllowed(other, by: one), "\(one) \(other)")
        }
    }

    @Test("The root of a URL is its scheme and authority; a text that is no http URL is returned whole")
    func roots() {
        #expect(OriginURL.root("https://h.example:1/p?q") == "https://h.example:1")
        #expect(OriginURL.root("http://h.example") == "http://h.example")
        for text in ["nothing", "ftp://h.example/p", ""] { #expect(OriginURL.root(text) == text) }
    }

    @Test("The first asset that would come from elsewhere is named; of an origin that is not allowed, any")
    func firstDisallowed() {
        func assets(_ urls: [String]) -> [Asset] {
            urls.map { Asset(route: "/r-" + $0, size: 1, hash: .none, url: $0) }
        }
        func first(_ urls: [String], against base: String = Self.base) -> String? {
            OriginURL.firstDisallowed(assets(urls), against: base, allowed: Self.allowed)?.url
        }
        #expect(first(["/a", "b", "https://o.example/c"]) == nil)
        #expect(first(["/a", "b", "https://evil.example/x", "//evil.example/y"]) == "https://evil.example/x")
        #expect(first(["https://o.example/c", "/a", "b"], against: "https://other.example/m") == "/a")
    }
}

@Suite("Redirects: five at most, and only where the settings allow (RFC 9110 §15.4)")
struct RedirectTests {
    private func target(_ location: String?, count: Int = 0) -> String? {
        let settings = UpdaterSettings(app: "a", origin: "https://o.example/app/manifest.json")
        do {
            return try Redirects.target(
                location, from: "https://o.example/app/manifest.json", count: count, settings)
        } catch {
            #expect(error.cause == .redirectRefused)
            return nil
        }
    }

    @Test("301, 302, 303, 307 and 308 are redirects, no other status is")
    func statuses() {
        #expect((100..<600).filter { Redirects.isRedirect($0) } == [301, 302, 303, 307, 308])
    }

    @Test("A Location of 4,096 bytes is followed, a longer one, an empty one and none are not")
    func locations() {
        let longest = "/" + String(repeating: "a", count: 4_095)
        #expect(target(longest) == "https://o.example" + longest)
        #expect(target(longest + "a") == nil && target("") == nil && target(nil) == nil)
    }

    @Test("The fifth redirect is followed, the sixth is not")
    func counts() {
        #expect((0...7).filter { target("/x", count: $0) != nil } == [0, 1, 2, 3, 4])
    }

    @Test("With an https origin only https roots are allowed besides, with an http origin all")
    func roots() {
        func allowed(_ origin: String) -> [String] {
            var settings = UpdaterSettings(app: "a", origin: origin)
            settings.allowedRoots = ["http://plain.example", "https://cdn.example", "nonsense"]
            return Redirects.allowed(settings)
        }
        #expect(allowed("https://o.example/m.json") == ["https://o.example", "https://cdn.example"])
        #expect(
            allowed("http://o.example/m.json") == [
                "http://o.example", "http://plain.example", "https://cdn.example", "nonsense",
            ])
    }
}
