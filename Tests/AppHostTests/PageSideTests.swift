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
        _ name: String, _ script: String, agent: String = "Desktop", inBrowser: Bool = false,
        before: String = ""
    ) throws -> String? {
        guard let node = PageSideTests.node else { return nil }
        let page = """
            const sent = [], listeners = {};
            const element = { addEventListener: (name, f) => (listeners[name] = listeners[name] || []).push(f) };
            globalThis.window = globalThis;
            globalThis.location = { search: "?a=1&otalab-load=00000000000000aa", href: "http://localhost/",
              origin: "http://localhost", pathname: "/", hash: "", replace() {} };
            globalThis.BroadcastChannel = undefined;
            Object.defineProperty(globalThis, "navigator", { value: { userAgent: "\(agent)" }, configurable: true });
            globalThis.document = { readyState: "complete", dispatchEvent() {}, ...element };
            globalThis.history = { pushState() {}, replaceState() {} };
            globalThis.addEventListener = element.addEventListener;
            globalThis.requestAnimationFrame = f => f();
            globalThis.Event = class { constructor(type) { this.type = type; } };
            const results = { linkRules: ["linkRules", { native: ["/cart"], allowed: [] }], switchToPendingVersion: ["error", "No pending version to switch to"] };
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
            (page + "\n" + before + "\n" + (try text(name, inBrowser: inBrowser))
                + "\n(async () => {\n\(script)\n})();\n").utf8
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
        let facts = #"linkRules, receive {"after":0}, webView contentShown, webView loaded, webView moved"#
        #expect(said == nil || said == facts, "\(said ?? "")")
        let silent = try run("cordova.js", script.replacing(try text("otalab.js", inBrowser: true), with: ""))
        #expect(silent == nil || silent == "linkRules", "\(silent ?? "")")
        for file in PageSide.files { #expect(!file.text.contains("webView")) }
    }

    /// A web view with a message handler that answers as `reply` says, or not in the call.
    private static func handler(_ reply: String) -> String {
        """
        const said = [];
        globalThis.webkit = { messageHandlers: { otalab: { postMessage(text) {
          const message = JSON.parse(text);
          said.push(message);
          const answer = (method, result) => ({ method, result, id: message.id });
          if (message.method === "linkRules") return undefined;
          return (\(reply))(message, answer);
        } } } };
        """
    }

    @Test(
        "H3: an answer that the call itself gives settles it: a promise or a value, text or an object",
        arguments: [
            ("(m, a) => Promise.resolve(JSON.stringify(a(m.method, 7)))", "7"),
            ("(m, a) => Promise.resolve(a(m.method, 7))", "7"),
            ("m => Promise.resolve({ method: m.method, result: 7 })", "7"),
            ("(m, a) => JSON.stringify(a(m.method, 7))", "7"),
            ("(m, a) => a(m.method, 7)", "7"),
            ("(m, a) => Promise.resolve(a('error', 'no'))", "no"),
            ("m => Promise.reject('denied')", "denied"),
            ("m => Promise.resolve('{')", "JSON"),
            ("m => { throw new Error('gone'); }", "gone"),
            (
                "(m, a) => { setTimeout(() => otalab.receive(a(m.method, 7)), 1); return Promise.resolve(null); }",
                "7"
            ),
            ("(m, a) => { setTimeout(() => otalab.receive(JSON.stringify(a(m.method, 7))), 1); }", "7"),
        ])
    func answersInTheCall(reply: String, settled: String) throws {
        let said = try run(
            "otalab.js",
            """
            const wait = new Promise(done => setTimeout(done, 500, "never settled"));
            console.log(await Promise.race([otalab.call("x").catch(error => error.message), wait]));
            console.log(said.every(message => message.load === "00000000000000aa"));
            process.exit();
            """, before: PageSideTests.handler(reply))
        #expect(
            said == nil || (said?.contains(settled) == true && said?.hasSuffix("true") == true),
            "\(said ?? "")")
    }

    @Test("H8: Android's object with message events, and a MessagePort that native code hands over")
    func ports() throws {
        let object = """
            let listener;
            globalThis.OTALabNative = {
              addEventListener(name, f) { if (name === "message") listener = f; },
              postMessage(text) {
                const { method, id } = JSON.parse(text);
                setTimeout(() => listener({ data: JSON.stringify({ method, result: "event", id }) }), 1);
              },
            };
            """
        let script = """
            console.log(await otalab.call("x"));
            const port = { postMessage(text) {
              const { method, id } = JSON.parse(text);
              setTimeout(() => port.onmessage({ data: JSON.stringify({ method, result: "port", id }) }), 1);
            } };
            const hand = event => listeners.message.forEach(f => f(event));
            hand({ data: "otalab", ports: [port], source: {} });
            console.log(await otalab.call("x"));
            hand({ data: "otalab", ports: [port], source: null });
            console.log(await otalab.call("x"));
            """
        let said = try run("otalab.js", script, before: object)
        #expect(said == nil || said == "event\nevent\nport", "\(said ?? "")")
        let http = try run("otalab.js", script)
        #expect(http == nil || http == "true\ntrue\nport", "\(http ?? "")")
    }

    @Test("T2: errors that the page does not handle are reported until it is ready, five at most")
    func errors() throws {
        let said = try run(
            "otalab.js",
            """
            const fire = (name, event) => listeners[name].forEach(f => f(event));
            fire("error", { message: "x is not a function", filename: "http://localhost/app.js?otalab-load=1" });
            fire("error", { filename: "/logo.png" });
            for (let n = 0; n < 9; n++) fire("unhandledrejection", { reason: new Error("again") });
            await new Promise(done => setTimeout(done, 20));
            const errors = sent.filter(s => /pageError/.test(s)).map(s => s.slice(s.indexOf("{")));
            console.log(errors.length);
            console.log(errors[0]);
            """)
        let expected = """
            5
            {"method":"pageError","id":2,"params":{"kind":"error","message":"x is not a function","source":"/app.js"}}
            """
        #expect(said == nil || said == expected, "\(said ?? "")")
        let ready = try run(
            "otalab.js",
            """
            otalab.ready();
            listeners.error.forEach(f => f({ message: "late" }));
            console.log(sent.filter(s => /pageError/.test(s)).length);
            """)
        #expect(ready == nil || ready == "0", "\(ready ?? "")")
    }

    @Test("H4: pushState to a path of native code calls it, and the address stays")
    func pushState() throws {
        let said = try run(
            "otalab.js",
            """
            await new Promise(done => setTimeout(done, 20));
            history.pushState({}, "", "/cart?of=7");
            history.pushState({}, "", "/items/7");
            history.replaceState({}, "", "/cart");
            history.replaceState({});
            console.log(pushed.join(" "));
            console.log(sent.filter(s => /openLink/.test(s)).map(s => JSON.parse(s.replace(/.* /, "")).params.url).join(" "));
            """,
            before: """
                const pushed = [];
                history.pushState = (s, t, url) => pushed.push("push " + url);
                history.replaceState = (s, t, url) => pushed.push("replace " + url);
                """)
        let expected = """
            push /items/7 replace undefined
            http://localhost/cart?of=7 http://localhost/cart
            """
        #expect(said == nil || said == expected, "\(said ?? "")")
    }

    @Test("G2: the page sees the address that was requested; beside other documents it names its load")
    func address() throws {
        let said = try run(
            "otalab.js",
            """
            const log = () => console.log(location.pathname + location.search + location.hash);
            log();
            channels[0].onmessage({ data: { load: "bb", is: "here" } });
            log();
            history.pushState(null, "", "/items/7?b=2#end");
            log();
            channels[0].onmessage({ data: { load: "bb", is: "gone" } });
            log();
            // The cookie names the newer one, also when that is gone.
            channels[0].onmessage({ data: { load: "cc", is: "new" } });
            channels[0].onmessage({ data: { load: "cc", is: "gone" } });
            log();
            console.log(channels[0].said.map(m => m.is).join(" "));
            """,
            before: """
                const channels = [];
                globalThis.top = globalThis;
                globalThis.BroadcastChannel = class {
                  constructor() { this.said = []; channels.push(this); }
                  postMessage(message) { this.said.push(message); }
                };
                Object.assign(location, { search: "?a=1&otalab-load=00000000000000aa&&c", hash: "#top" });
                history.replaceState = history.pushState = (state, title, url) => {
                  const there = new URL(url, "http://localhost");
                  Object.assign(location, { pathname: there.pathname, search: there.search, hash: there.hash });
                };
                """)
        let expected = """
            /?a=1&&c#top
            /?a=1&&c&otalab-load=00000000000000aa#top
            /items/7?b=2&otalab-load=00000000000000aa#end
            /items/7?b=2#end
            /items/7?b=2&otalab-load=00000000000000aa#end
            new here
            """
        #expect(said == nil || said == expected, "\(said ?? "")")
    }

    @Test(
        "S1: a page from the page cache names its load in its address, because the cookie names another one")
    func returned() throws {
        let said = try run(
            "otalab.js",
            """
            const log = () => console.log(shown.join(" "));
            log();
            listeners.pageshow.forEach(f => f({ persisted: false }));
            log();
            listeners.pageshow.forEach(f => f({ persisted: true }));
            log();
            """,
            before: """
                const shown = [];
                globalThis.top = globalThis;
                globalThis.BroadcastChannel = class { postMessage() {} };
                history.replaceState = (state, title, url) => {
                  shown.push(url);
                  location.search = new URL(url, "http://localhost").search;
                };
                """)
        let expected = """
            /?a=1
            /?a=1
            /?a=1 /?a=1&otalab-load=00000000000000aa
            """
        #expect(said == nil || said == expected, "\(said ?? "")")
    }

    @Test("G2, H6: native code gives the script to a page that lacks it, before there is an element")
    func givenByNativeCode() throws {
        let said = try run(
            "otalab.js",
            """
            const push = history.pushState;
            \(PageSide.userScript)
            console.log(history.pushState === push, observers.length);
            document.documentElement = { classList: { add: name => console.log(name) } };
            observers[0].changed([], observers[0]);
            """, agent: "mobile/app",
            before: """
                const observers = [];
                globalThis.MutationObserver = class {
                  constructor(changed) { this.changed = changed; observers.push(this); }
                  observe() {}
                  disconnect() { console.log("disconnected"); }
                };
                """)
        #expect(said == nil || said == "true 1\notalab-app\ndisconnected", "\(said ?? "")")
    }

    @Test("H6: what the app shows itself can be hidden by a style sheet, before anything is drawn")
    func styled() throws {
        let before = """
            const classes = [];
            document.documentElement = { classList: { add: name => classes.push(name) } };
            """
        let inApp = try run(
            "otalab.js", "console.log(classes.join())", agent: "Phone mobile/app", before: before)
        #expect(inApp == nil || inApp == "otalab-app")
        let outside = try run("otalab.js", "console.log(classes.join())", before: before)
        #expect(outside == nil || outside == "")
    }

    @Test("A32: the embedded version's folder in www is not answered a second time")
    func embeddedInside() throws {
        var fixture = try HostFixture()
        fixture.wwwFiles = [("www/plugins/a.js", Array("plugin".utf8))]
        fixture.embedsInside = true
        try fixture.mount()
        try fixture.launch()
        let (page, got) = fixture.show()
        #expect(got.text == "<p>v1</p>")
        #expect(fixture.ask("/plugins/a.js", referer: page).text == "plugin")
        for path in ["/application/index.html", "/application/app.js", "/application/manifest.json"] {
            #expect(fixture.ask(path, referer: page).status == 404, "\(path)")
        }
        #expect(fixture.ask("/app.js", referer: page).text == "let v = 'v1'")
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
