import Core
import Foundation
import Synchronization
import Testing

@testable import DeviceShell

@Suite("otalab serve app, as a process", .serialized)
struct ServeAppTests {
    private static let app = "com.example.real"
    private static let package = [
        (path: "index.html", text: "<!doctype html><p>one</p><script src=/app.js></script>"),
        (path: "app.js", text: "console.log(1)"), (path: "img/logo.svg", text: "<svg/>"),
    ]

    private static func version(_ name: String) -> [(route: String, bytes: [UInt8])] {
        [
            ("/index.html", Array("<!doctype html><p>\(name)</p>".utf8)),
            ("/app.js", Array("console.log('\(name)')".utf8)),
        ]
    }

    /// An origin that offers what was deployed last; nothing at first.
    private final class Deploys: Sendable {
        private let now = Mutex<(name: String, serial: Int)?>(nil)

        func deploy(_ name: String, _ serial: Int) { now.withLock { $0 = (name, serial) } }

        func answer(_ target: String) -> ScriptedOrigin.Answer {
            guard let now = now.withLock({ $0 }) else { return .notFound }
            let files = ServeAppTests.version(now.name)
            if target == "/manifest.json" {
                return .ok(Array(RealApp.manifest(now.name, serial: now.serial, files).utf8))
            }
            return files.first { $0.route == target }.map { .ok($0.bytes) } ?? .notFound
        }
    }

    private func served() throws -> (ServedProcess, Deploys, ScriptedOrigin) {
        let deploys = Deploys()
        let origin = try ScriptedOrigin { deploys.answer($0) }
        return (try ServedProcess(package: ServeAppTests.package), deploys, origin)
    }

    @Test("The printed address leads to the embedded version, the page side, and nothing beside them")
    func opens() throws {
        let (app, _, _) = try served()
        let page = try PageClient(try app.start("--app", ServeAppTests.app, "--port", "0"))
        #expect(page.document == ServeAppTests.package[0].text)
        #expect(try page.get("/img/logo.svg").field("Content-Type")?.hasPrefix("image/svg+xml") == true)
        let script = try page.get("/otalab.js")
        #expect(
            script.status == 200 && String(decoding: script.body, as: UTF8.self).contains("window.otalab"))
        #expect(
            String(decoding: try page.get("/cordova.js").body, as: UTF8.self).contains("WebAppLocalServer"))
        #expect(try page.get("/manifest.json").status == 404)
        #expect(app.stop() == 0)
    }

    @Test("The command check makes it download; the page reloads into the new version and confirms")
    func updates() throws {
        let (app, deploys, origin) = try served()
        let page = try PageClient(
            try app.start("--app", ServeAppTests.app, "--port", "0", "--origin", origin.url("/")))
        deploys.deploy("v2", 2)
        app.say("check")
        try app.line("became-pending", "v2")
        #expect(try page.get("/app.js").body == Array("console.log(1)".utf8))
        #expect(try page.reloaded() == "<!doctype html><p>v2</p>")
        app.say("status")
        try app.line("status", "current v2")
        #expect(app.stop(.said) == 0)
    }

    @Test(
        "State and port are those of the process before, also when it was killed", arguments: [false, true])
    func restarts(isKilled: Bool) throws {
        let (app, deploys, origin) = try served()
        let url = try app.start("--app", ServeAppTests.app, "--port", "0", "--origin", origin.url("/"))
        deploys.deploy("v2", 2)
        app.say("check")
        try app.line("became-pending", "v2")
        app.stop(isKilled ? .killed : .terminated)
        // Id and port are not passed again.
        let again = try app.start("--origin", origin.url("/"))
        #expect(again.port == url.port)
        #expect(again.query != url.query)
        let page = try PageClient(again)
        #expect(page.document == "<!doctype html><p>v2</p>")
        #expect(try page.call(#"{"method":"startupDidComplete","id":7}"#).contains(#""result":true,"id":7"#))
        try app.line("start-confirmed", "v2")
        #expect(app.stop() == 0)
    }

    @Test(
        "A version that reports its failure is left; its page's waiting call returns the next address"
    )
    func rescued() throws {
        let (app, deploys, origin) = try served()
        let url = try app.start("--app", ServeAppTests.app, "--port", "0", "--origin", origin.url("/"))
        deploys.deploy("v2", 2)
        app.say("check")
        try app.line("became-pending", "v2")
        app.stop()
        let page = try PageClient(try app.start("--origin", origin.url("/")))
        #expect(page.document == "<!doctype html><p>v2</p>")
        let told = Mutex("")
        let isTold = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let text = try? page.call(#"{"method":"receive","params":{"after":0}}"#)
            told.withLock { $0 = text ?? "nothing" }
            isTold.signal()
        }
        // The call waits for its answer.
        #expect(isTold.wait(timeout: .now() + 0.3) == .timedOut)
        _ = try page.call(#"{"method":"startupDidFail","params":{"message":"no data"}}"#)
        #expect(isTold.wait(timeout: .now() + 5) == .success)
        let message = told.withLock { $0 }
        #expect(message.contains(#""method":"load""#) && message.contains("/?otalab-load="))
        #expect(!message.contains("otalab-key"))
        let target = try #require(message.firstMatch(of: #/"url":"([^"]+)"/#)).1
        let next = try page.go(to: String(target))
        #expect(next == ServeAppTests.package[0].text)
        #expect(url.port == Int(page.port))
    }

    @Test(
        "A first launch without a version waits, and continues when the user tries again (F3, F4)"
    )
    func firstLaunch() throws {
        let deploys = Deploys()
        let origin = try ScriptedOrigin { deploys.answer($0) }
        let app = try ServedProcess(package: [])
        try app.begin([
            "--state", "state", "--app", ServeAppTests.app, "--port", "0", "--origin", origin.url("/"),
        ])
        try app.line("screen", "offline")
        app.say("report")
        try app.line("otalab-report format=1")
        deploys.deploy("v1", 1)
        app.say("retry")
        #expect(try PageClient(try app.address()).document == "<!doctype html><p>v1</p>")
    }

    @Test("A port in use is reported, and opened when it is free")
    func taken() throws {
        let (app, _, _) = try served()
        let port = try RealApp.freePort()
        let stranger = try SocketCalls.listen(at: .version4, port: port)
        Thread.detachNewThread {
            usleep(700_000)
            SocketCalls.close(stranger)
        }
        let page = try PageClient(try app.start("--app", ServeAppTests.app, "--port", "\(port)"))
        try app.line("port \(port) is in use")
        #expect(page.document == ServeAppTests.package[0].text)
    }

    @Test("A link in a folder that is served is refused, wherever it leads; the folder itself may be one")
    func links() throws {
        let (app, _, _) = try served()
        try app.write("secret.txt", "secret")
        try app.write("more/own.txt", "own")
        let manager = FileManager.default
        let web = app.folder.appendingPathComponent("package")
        try manager.createSymbolicLink(
            at: app.folder.appendingPathComponent("dist"), withDestinationURL: web)
        for (path, target) in [("package/a.txt", "../secret.txt"), ("more/gone.txt", "nothing")] {
            try manager.createSymbolicLink(
                atPath: app.folder.appendingPathComponent(path).path, withDestinationPath: target)
        }
        let own = ["--app", ServeAppTests.app, "--port", "0"]
        for (name, flags) in [
            ("package/a.txt", ["--package", "package"]),
            ("more/gone.txt", ["--package", "whole", "--www", "more"]),
            ("more/gone.txt", ["--package", "whole", "--route", "/more/**=folder:more"]),
        ] {
            try app.write("whole/index.html", "<p>whole</p>")
            let answer = try app.refused(flags + own)
            #expect(
                answer.code == 2 && answer.errors.contains("'\(name)' is a symbolic link"), "\(answer.errors)"
            )
            #expect(answer.errors.contains("cp -RL"))
        }
        try manager.removeItem(at: web.appendingPathComponent("a.txt"))
        try app.begin(["--package", "dist", "--state", "state"] + own)
        #expect(try PageClient(try app.address()).document == ServeAppTests.package[0].text)
        #expect(app.stop() == 0)
    }

    @Test("What a page sends never moves the terminal's cursor nor begins a line")
    func controlCharacters() throws {
        let (app, _, _) = try served()
        let page = try PageClient(try app.start("--app", ServeAppTests.app, "--port", "0"))
        _ = try page.call(#"{"method":"a\u001b[2Jb\n12:00 forged\u009bc\u202ed"}"#)
        let line = try app.line("bridge-message-refused")
        #expect(line.contains("a␛[2Jb␊12:00 forged\u{fffd}c\u{fffd}d"))
        app.say("report")
        try app.line("otalab-report format=1")
        let report = try app.line("cause=bridge-message-refused")
        #expect(!report.unicodeScalars.contains { $0.value < 0x20 || (0x7f..<0xa0).contains($0.value) })
        #expect(app.stop() == 0)
    }

    @Test("Cookies alone change nothing of the app: every port of the host gets them (HT-H12)")
    func cookiesAlone() throws {
        let (app, _, _) = try served()
        let page = try PageClient(try app.start("--app", ServeAppTests.app, "--port", "0"))
        #expect(
            page.cookie.contains("otalab-key-\(page.port)=")
                && page.cookie.contains("otalab-load-\(page.port)="))
        _ = try page.get("/app.js")
        let message = #"{"method":"setRemoteRoot","params":{"url":"http://127.0.0.1:9"}}"#
        for (field, status) in [
            ("", 403), ("Origin: http://localhost:9\r\n", 403),
            ("Origin: http://localhost:\(page.port)\r\n", 200),
        ] {
            let client = try RawClient(port: page.port)
            client.say(
                "POST /__otalab/bridge HTTP/1.1\r\nHost: localhost:\(page.port)\r\nCookie: \(page.cookie)\r\n"
                    + "\(field)Content-Length: \(message.utf8.count)\r\n\r\n\(message)")
            #expect(try client.answer()?.status == status, "\(field)")
        }
        #expect(app.stop() == 0)
    }

    @Test("One process for a state folder, and one app")
    func folders() throws {
        let (app, _, _) = try served()
        try app.start("--app", ServeAppTests.app, "--port", "0")
        let second = try app.refused("--package", "package", "--state", "state")
        #expect(second.code == 2 && second.errors.contains("another process serves the state folder 'state'"))
        app.stop()
        let other = try app.refused("--package", "package", "--state", "state", "--app", "com.example.other")
        #expect(other.code == 2 && other.errors.contains("belongs to the app 'com.example.real'"))
        // The refused calls have changed nothing.
        #expect(try PageClient(try app.start()).document == ServeAppTests.package[0].text)
    }

    @Test("Nothing downloaded survives a changed package that states no serial (N1, A35)")
    func packageWithoutManifest() throws {
        let (app, deploys, origin) = try served()
        deploys.deploy("v9", 9)
        let page = try PageClient(
            try app.start("--app", ServeAppTests.app, "--port", "0", "--origin", origin.url("/")))
        app.say("check")
        try app.line("became-pending", "v9")
        #expect(page.document == ServeAppTests.package[0].text)
        app.stop()
        try app.write("package/index.html", "<!doctype html><p>new build</p>")
        #expect(try PageClient(try app.start()).document == "<!doctype html><p>new build</p>")
    }

    @Test("M18: the state folder's data is marked as what backups leave out")
    func backups() throws {
        let (app, _, _) = try served()
        try app.start("--app", ServeAppTests.app, "--port", "0")
        let tag = try Data(contentsOf: app.folder.appendingPathComponent("state/data/CACHEDIR.TAG"))
        #expect(
            String(decoding: tag, as: UTF8.self).hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
    }

    @Test("A changed package is a store update: downloaded versions are dropped if they are older")
    func storeUpdate() throws {
        let (app, _, _) = try served()
        try app.start("--app", ServeAppTests.app, "--port", "0", "--native", "1.0")
        app.stop()
        try app.write("package/index.html", "<!doctype html><p>new build</p>")
        let page = try PageClient(try app.start("--native", "1.1"))
        #expect(page.document == "<!doctype html><p>new build</p>")
        try app.line("store-update")
    }

    @Test(
        "A call that can't work is an error with its fix",
        arguments: [
            ([], "there is nothing to show", "--package DIR"),
            (
                ["--origin", "http://127.0.0.1:9/", "--updates", "never", "--app", "a"],
                "--updates never brings none", "--package DIR"
            ),
            (["--package", "nope", "--app", "a"], "there is no folder 'nope'", "--package"),
            (["--package", "package"], "the app has no id", "--app com.example.shop"),
            (["--package", "empty", "--app", "a"], "there is no index.html in 'empty'", "--package"),
            (
                ["--package", "package", "--app", "a", "--dialect", "meteor"], "no program.json",
                "www/application"
            ),
            (
                ["--package", "package", "--app", "a", "--dialect", "meteo"], "--dialect",
                "did you mean 'meteor'"
            ),
            (
                ["--package", "package", "--app", "a", "--origin", "x.example"], "--origin can't be",
                "http://"
            ),
            (["--package", "package", "--app", "a", "--native", "one"], "--native can't be", "5.2.1"),
            (["--package", "package", "--app", "a", "--port", "70000"], "--port can't be", "65535"),
            (
                ["--package", "wrong", "--app", "com.example.real"], "differs from its manifest entry",
                "rebuild"
            ),
            (["--package", "lacking", "--app", "com.example.real"], "does not exist", "rebuild"),
            (
                ["--package", "wrong", "--app", "com.example.other"], "differs from its manifest entry",
                "rebuild"
            ),
            (
                ["--package", "for-an-app", "--app", "com.example.real"], "does not exist",
                "name the web build"
            ),
            (["scenario"], "serve app takes no 'scenario'", "--package"),
        ])
    func refusals(arguments: [String], message: String, help: String) throws {
        let app = try ServedProcess(package: ServeAppTests.package)
        try app.write("empty/readme.txt", "nothing")
        let files = ServeAppTests.version("v1")
        let manifest = RealApp.manifest("v1", serial: 1, files)
        for folder in ["wrong", "lacking", "for-an-app"] {
            try app.write(folder + "/manifest.json", manifest)
        }
        for file in files {
            try app.write("for-an-app/web" + file.route, String(decoding: file.bytes, as: UTF8.self))
        }
        try app.write("wrong/index.html", String(decoding: files[0].bytes, as: UTF8.self))
        try app.write("wrong/app.js", "console.log('vX')")
        try app.write("lacking/index.html", String(decoding: files[0].bytes, as: UTF8.self))
        let answer = try app.refused(arguments)
        #expect(answer.code == 2)
        #expect(answer.errors.contains(message) && answer.errors.contains(help), "\(answer.errors)")
    }

    @Test(
        "https: a build without it prints how to get one with it; a build with it prints why a request fails")
    func https() throws {
        let app = try ServedProcess(package: ServeAppTests.package)
        let flags = ["--package", "package", "--app", ServeAppTests.app, "--port", "0"]
        // No server listens there.
        let origin = "https://127.0.0.1:\(try RealApp.freePort())/"
        guard try ServeAppTests.speaksHTTPS(ServedProcess.program().path) else {
            let answer = try app.refused(flags + ["--origin", origin])
            #expect(answer.code == 2 && answer.errors.contains("this build cannot speak https"))
            #expect(answer.errors.contains("--traits HTTPS"))
            return
        }
        try app.begin(flags + ["--origin", origin])
        try app.line("origin", "127.0.0.1:")
        try app.line("check-failed", "refused")
    }

    /// By the libraries that the program was linked to.
    private static func speaksHTTPS(_ program: String) throws -> Bool {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: program), options: .mappedIfSafe)
        return bytes.range(of: Data("libFoundationNetworking".utf8)) != nil
    }

    @Test("Nothing to do is nothing done: an idle app with a page open is never scheduled")
    func idle() throws {
        let (app, _, origin) = try served()
        _ = try PageClient(
            try app.start(
                "--app", ServeAppTests.app, "--port", "0", "--origin", origin.url("/"), "--updates", "manual")
        )
        usleep(1_500_000)
        guard let before = app.switches else { return }
        usleep(2_000_000)
        #expect(app.switches == before)
    }
}
