import Foundation
import ScenarioLanguage
import Testing

/// Mistakes in requests, links and clients, and in what a start depends on.
@Suite("Mistakes in requests of pages and other clients")
struct RequestWordTests {
    private static let cases: [(step: String, message: String)] = [
        ("{ launch: 'background', link: '/x' }", "a link that opens the app in the background"),
        ("{ launch: true, link: '/x#a#b' }", "'#a#b' is no query or fragment"),
        ("{ launch: true, link: '/x?a b' }", "'?a b' is no query or fragment"),
        ("{ launch: true, link: '?a' }", "'' is not a route"),
        ("{ launch: true, link: '/../x?a' }", "'/../x' is not a route"),
        ("{ page: 'in front', asks: '/x', with: { body: 'x' } }", "a body with GET"),
        ("{ page: 'in front', asks: '/x', with: { method: 'HEAD', body: 'x' } }", "a body with HEAD"),
        ("{ page: 'in front', asks: '/x', with: { method: 'get' } }", "'get' is not a keyword here"),
        (
            "{ page: 'in front', asks: '/x', with: { headers: { Cookie: 'a=b' } } }",
            "a page can't set 'Cookie'"
        ),
        (
            "{ page: 'in front', asks: '/x', with: { headers: { 'sec-fetch-site': 'x' } } }",
            "a page can't set 'sec-fetch-site'"
        ),
        (
            "{ page: 'in front', asks: '/x', with: { headers: { 'X Cart': '7' } } }",
            "'X Cart' is no name of a field"
        ),
        (
            "{ page: 'in front', asks: '/x', with: { headers: { 'X-Cart': '7 ' } } }",
            "the value of 'X-Cart' can't be sent"
        ),
        (
            "{ page: 'in front', asks: '/x', with: { headers: { 'X-Cart': '7', 'x-cart': '8' } } }",
            "'x-cart' twice"
        ),
        ("{ page: 'in front', calls: 'release', with: { method: 'PUT' } }", "'with' needs 'asks'"),
        ("{ client: { asks: '/x', with: { headers: { Host: 'a' } } } }", "'Host' follows from the rest"),
        (
            "{ client: { is: 'page of another site', asks: '/x', host: 'a' } }",
            "a page does not choose the host that its browser names"
        ),
        ("{ client: { is: 'page of another port' } }", "a page that requests nothing"),
        ("{ client: { requests: 3 } }", "a client that sends cookies or requests, and requests nothing"),
        ("{ client: { connections: 0 } }", "0 is out of range for 'connections'"),
    ]

    @Test("Each is reported, once", arguments: cases.indices)
    func reported(_ index: Int) {
        let mistake = Self.cases[index]
        let found = read(story(mistake.step + ", { expect: { running: 'v1' } }")).diagnostics
        let errors = found.filter { $0.severity == .error }.map(\.message)
        #expect(errors.count == 1 && errors.first?.contains(mistake.message) == true, "\(errors)")
    }

    @Test("So are start-ups that say nothing, or need what the app does not have")
    func startups() {
        func errors(_ startup: String) -> [String] {
            let text = story("{ expect: { running: 'v1' } }")
                .replacingOnce("files: {", "startup: { \(startup) }, files: {")
            return read(text).diagnostics.filter { $0.severity == .error }.map(\.message)
        }
        #expect(errors("works: 2") == ["the starts after the first 2 go well too"])
        #expect(errors("works: 2, throws: 'at load'") == [])
        #expect(errors("needs: 'api'") == ["a start that needs an API in an app without one"])
        #expect(errors("needs: 'network'") == [])
        #expect(errors("works: 2, fails: 1").count == 1)
    }

    @Test("What is valid, every key of it, is printed as it was read")
    func valid() {
        let steps = """
            { launch: true, link: "/a?b=c#d" }, { relaunch: true, link: "/?x" },
            { page: "in front", asks: "/api/x?y", with: { method: "PUT", headers: { "X-A": "b" }, body: "c" } },
            { client: { is: "page of another port", asks: "/x", cookies: true, connections: 3, requests: 2 } },
            { client: { host: "a", asks: "/x?y#z", reads: false } },
            { page: "reload", after: { notified: "newVersionReady v2" } },
            { expect: { route: "/a?b=c#d", requests: { index: 1 }, clientAnswers: { status: 403, count: 1 },
              forwarded: { asked: "/x?y", method: "PUT", has: ["A: b"], hasNot: ["C"], body: "d", count: 1 } } }
            """
        let reading = read(story(steps))
        #expect(reading.diagnostics.map(\.message) == [])
        #expect(reading.scenarios.first?.steps.count == 7 + 0)
    }
}

extension String {
    fileprivate func replacingOnce(_ text: String, _ other: String) -> String {
        guard let range = range(of: text) else { return self }
        return replacingCharacters(in: range, with: other)
    }
}
