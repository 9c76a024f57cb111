import Core
import DevelopmentHost
import Foundation
import Testing

@testable import AppHost

@Suite("The page's side of the bridge")
struct PageSideTests {
    private func text(_ name: String, inBrowser: Bool = false) throws -> String {
        let files = inBrowser ? BrowserPageSide.files : PageSide.files
        return try #require(files.first { $0.name == name }?.text)
    }

    /// A JavaScript engine from the system; nil: none is there.
    private static let node: String? = ["/usr/bin/node", "/usr/local/bin/node"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Runs the file in a page of paper: what it asks for is written down, and answered by `answers`.
    private func run(
        _ name: String, _ script: String, agent: String = "Desktop", inBrowser: Bool = false
    ) throws -> String? {
        guard let node = PageSideTests.node else { return nil }
        let page = """
            const sent = [], listeners = {};
            const element = { addEventListener: (name, f) => (listeners[name] = listeners[name] || []).push(f) };
            globalThis.window = globalThis;
            globalThis.location = { search: "?a=1&otalab-load=00000000000000aa", href: "http://localhost/", replace() {} };
            Object.defineProperty(globalThis, "navigator", { value: { userAgent: "\(agent)" }, configurable: true });
            globalThis.document = { readyState: "complete", dispatchEvent() {}, ...element };
            globalThis.history = { pushState() {}, replaceState() {} };
            globalThis.addEventListener = element.addEventListener;
            globalThis.requestAnimationFrame = f => f();
            globalThis.Event = class { constructor(type) { this.type = type; } };
            const results = { switchToPendingVersion: ["error", "No pending version to switch to"] };
            globalThis.fetch = (url, request) => {
              const message = JSON.parse(request.body);
              sent.push(url + " " + request.body);
              if (message.method === "receive") return new Promise(() => {});
              const [method, result] = results[message.method] || [message.method, true];
              return Promise.resolve({ ok: true, status: 200, json: () => Promise.resolve({ method, result }) });
            };
            """
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).js")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(
            (page + (try text(name, inBrowser: inBrowser)) + "\n(async () => {\n\(script)\n})();\n").utf8
        ).write(to: file)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: node)
        process.arguments = [file.path]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("H1: by its user agent a page knows that it runs inside the app", arguments: [true, false])
    func inApp(isInApp: Bool) throws {
        let agent = isInApp ? "Phone (mobile/app)" : "Desktop"
        let said = try run("otalab.js", "console.log(otalab.isInApp)", agent: agent)
        #expect(said == nil || said == "\(isInApp)")
    }

    @Test("M15: Meteor's object has all that its pages call, and errors reach the callback that is for them")
    func meteor() throws {
        let said = try run(
            "cordova.js",
            """
            const names = Object.keys(WebAppLocalServer).sort().join(" ");
            WebAppLocalServer.startupDidComplete(() => WebAppLocalServer.switchToPendingVersion(
              () => console.log("switched"), error => {
                console.log(names);
                console.log(error);
                console.log(WebAppLocalServer.localFileSystemUrl("file:///a/b"), WebAppLocalServer.localFileSystemUrl("/c"));
                console.log(sent.filter(s => /startupDidComplete/.test(s)).length);
              }));
            """)
        let expected = """
            checkForUpdates localFileSystemUrl onError onNewVersionReady startupDidComplete switchToPendingVersion
            No pending version to switch to
            /local-filesystem/a/b /c
            1
            """
        #expect(said == nil || said == expected, "\(said ?? "")")
    }

    @Test("A question of native code is answered by the page's handler, an unknown one by null")
    func questions() throws {
        let said = try run(
            "otalab.js",
            """
            otalab.handle("cart", params => ({ items: params.of + 1 }));
            otalab.receive({ method: "cart", params: { of: 1 }, id: "native-1" });
            otalab.receive({ method: "none", id: "native-2" });
            setTimeout(() => console.log(sent.filter(s => /native-/.test(s)).map(s => s.replace(/.* /, "")).join(" ")), 20);
            """)
        let expected = #"{"result":{"items":2},"id":"native-1"} {"result":null,"id":"native-2"}"#
        #expect(said == nil || said == expected, "\(said ?? "")")
    }

    @Test(
        "In a browser the page reports what a web view would report, once, and polls for messages; an app's does not"
    )
    func browser() throws {
        let script = """
            \(try text("otalab.js", inBrowser: true))
            history.pushState();
            await new Promise(done => setTimeout(done, 20));
            console.log(sent.map(s => JSON.parse(s.replace(/.* /, ""))).map(m => m.method
              + (m.params ? " " + (m.params.event || JSON.stringify(m.params)) : "")).sort().join(", "));
            """
        let said = try run("cordova.js", script, inBrowser: true)
        let facts = #"nativeLinks, receive {"after":0}, webView contentShown, webView loaded, webView moved"#
        #expect(said == nil || said == facts, "\(said ?? "")")
        let silent = try run("cordova.js", script.replacing(try text("otalab.js", inBrowser: true), with: ""))
        #expect(silent == nil || silent == "", "\(silent ?? "")")
        for file in PageSide.files { #expect(!file.text.contains("webView")) }
    }

    @Test("M16: the page side is served beside the version, the version's own file before it")
    func served() throws {
        var fixture = try HostFixture()
        fixture.wwwFiles = PageSide.files.map { ("www/" + $0.name, Array($0.text.utf8)) }
        fixture.wwwFiles.append(("www/plugins/camera/camera.js", Array("plugin".utf8)))
        fixture.wwwFiles.append(("www/app.js", Array("not this".utf8)))
        try fixture.mount()
        try fixture.launch()
        let (page, _) = fixture.show()
        #expect(fixture.ask("/otalab.js", referer: page).text == (try text("otalab.js")))
        #expect(fixture.ask("/plugins/camera/camera.js", referer: page).text == "plugin")
        #expect(fixture.ask("/app.js", referer: page).text == "let v = 'v1'")
    }
}
