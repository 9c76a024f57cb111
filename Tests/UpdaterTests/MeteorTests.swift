import Core
import HTTP1
import Testing

@testable import Updater

/// A version of Meteor's dialect with one script.
private struct MeteorVersion {
    var id: String
    var compatibility: String
    var app = "1waqgcidafgwubeqj8o"
    var root = "https://shop.example/"

    var script: [UInt8] { Array("let version = '\(id)'".utf8) }

    var manifest: [UInt8] {
        Array(
            """
            { "format": "web-program-pre1", "version": "\(id)",
              "cordovaCompatibilityVersions": { "ios": "\(compatibility)", "android": "other" },
              "manifest": [ { "path": "app.js", "where": "client", "type": "js", "cacheable": true,
                "url": "/app.js", "hash": "\(SHA1.hash(of: script).hex)" } ] }
            """.utf8)
    }

    var index: [UInt8] {
        MeteorVersion.page(#"{"appId":"\#(app)","ROOT_URL":"\#(root)","autoupdateVersionCordova":"\#(id)"}"#)
    }

    static func page(_ config: String) -> [UInt8] {
        let text = config.utf8.map { "%" + Hex.text([$0]) }.joined()
        return Array(
            "<script>__meteor_runtime_config__ = JSON.parse(decodeURIComponent(\"\(text)\"))</script>".utf8)
    }

    func reply(to request: OriginRequest) -> Reply {
        switch request.route {
        case nil: Reply(200, manifest)
        case "/app.js": Reply(200, script)
        default: Reply(200, index)
        }
    }
}

extension Harness {
    fileprivate static func meteor(embedded: MeteorVersion) throws -> Harness {
        var device = try Harness(embedded: nil, dialect: .meteor)
        device.settings.origin = "https://origin.example/"
        try device.disk.mountPackage(files: [
            (path: "web/manifest.json", bytes: embedded.manifest), ("web/index.html", embedded.index),
            ("web/app.js", embedded.script),
        ])
        device.hasEmbedded = true
        device.embeddedDialect = .meteor
        try device.start()
        return device
    }

    fileprivate mutating func check(_ offered: MeteorVersion) {
        script = { offered.reply(to: $0) }
        logged = []
        check()
    }
}

@Suite("Meteor's dialect: compatibility, and the index as the plugin checks it (U10)")
struct MeteorTests {
    @Test("U5: while a download waits for its confirmation, a check answered for another build counts")
    func refusedInsteadOfConfirmed() throws {
        var device = try Harness.meteor(embedded: MeteorVersion(id: "v1", compatibility: "A"))
        let v2 = MeteorVersion(id: "v2", compatibility: "A")
        let other = MeteorVersion(id: "v3", compatibility: "B")
        var hasFiles = false
        device.script = { request in
            if request.route != nil { hasFiles = true }
            return (hasFiles && request.route == nil ? other : v2).reply(to: request)
        }
        device.check()
        device.wait(.minutes(5))
        #expect(device.status.pending == nil && device.causes(.retriesExhausted) == 1)
        device.requests = []
        device.send(.background)
        device.send(.foreground)
        device.check()
        device.wait(.minutes(5))
        #expect(device.manifests == 8)
    }

    @Test(
        "B54: a public manifest.json, at whose URL the server gives its own manifest, is requested without a prefix",
        arguments: ["/manifest.json", "/__cordova/manifest.json", "/app/manifest.json"])
    func publicManifest(url: String) throws {
        let text = #"""
            {"format":"web-program-pre1","version":"v1","cordovaCompatibilityVersions":{"android":"A"},
            "manifest":[{"where":"client","path":"app/manifest.json","type":"asset","url":"\#(url)",
            "cacheable":false,"hash":"\#(SHA1.hash(of: []).hex)","size":0}]}
            """#
        let table = try ManifestReader(dialect: .meteor).read(Array(text.utf8))
        let asset = try #require(table.assets.first { $0.route == url })
        let fetched = OriginURL.resolve(
            asset.url, against: "http://a.b/shop/__cordova/", allowed: ["http://a.b"])
        let path = url == "/app/manifest.json" ? "/shop/__cordova/app/manifest.json" : "/shop/manifest.json"
        #expect(fetched == "http://a.b\(path)?meteor_dont_serve_index=true")
    }

    @Test("An app without a compatibility version of its own has that of its embedded manifest")
    func compatibility() throws {
        var device = try Harness.meteor(embedded: MeteorVersion(id: "v1", compatibility: "A"))
        device.check(MeteorVersion(id: "v2", compatibility: "B"))
        #expect(device.causes(.nativeOutsideRange) == 1 && device.status.pending == nil)
        device.check(MeteorVersion(id: "v2", compatibility: "A"))
        #expect(device.status.pending?.id == "v2")
        let entry = device.logged.first { $0.cause == .becamePending }
        #expect(entry?.detail.hasSuffix("native=equal-string") == true)
    }

    @Test("Where nothing states a compatibility version nothing is compared, and the log does not claim it")
    func nothingToCompare() throws {
        var device = try Harness(embedded: nil, dialect: .meteor)
        device.settings.origin = "https://origin.example/"
        device.settings.app = "1waqgcidafgwubeqj8o"
        try device.launch()
        device.check(MeteorVersion(id: "v1", compatibility: "B"))
        #expect(device.show(.processStart) == "v1")
        let entry = device.logged.first { $0.cause == .becamePending }
        #expect(entry?.detail.hasSuffix("native=none") == true)
    }

    @Test("The app's id is that of the settings or of the embedded index; any other is refused")
    func appID() throws {
        var device = try Harness.meteor(embedded: MeteorVersion(id: "v1", compatibility: "A"))
        device.check(MeteorVersion(id: "v2", compatibility: "A", app: "another"))
        #expect(device.causes(.indexOfOtherApp) > 0 && device.status.pending == nil)
        device.check(MeteorVersion(id: "v2", compatibility: "A"))
        #expect(device.status.pending?.id == "v2")
        device.check(MeteorVersion(id: "v3", compatibility: "A", app: "com.example.shop"))
        #expect(device.status.pending?.id == "v3")
    }

    @Test("A ROOT_URL on the device itself is refused, except where the one before is there too")
    func localRoot() throws {
        let local = "http://localhost:3000/"
        var device = try Harness.meteor(embedded: MeteorVersion(id: "v1", compatibility: "A"))
        device.check(MeteorVersion(id: "v2", compatibility: "A", root: local))
        #expect(device.causes(.indexRootURLLocal) > 0 && device.status.pending == nil)
        device = try Harness.meteor(embedded: MeteorVersion(id: "v1", compatibility: "A", root: local))
        device.check(MeteorVersion(id: "v2", compatibility: "A", root: local))
        #expect(device.status.pending?.id == "v2")
    }

    @Test("Each check of the index has a cause")
    func causes() throws {
        let required = MeteorIndex.Requirements(version: "v2", apps: ["a"], allowsLocalRoot: false)
        func cause(_ page: [UInt8]) -> LogCause? {
            do throws(ManifestRefusal) {
                try MeteorIndex.check(page, required)
                return nil
            } catch {
                return error.cause
            }
        }
        let root = #""ROOT_URL":"https://shop.example""#
        let pages: [(config: String, cause: LogCause?)] = [
            (#"{"appId":"a",\#(root)}"#, nil),
            (#"{"appId":"a",\#(root),"autoupdateVersionCordova":"v2"}"#, nil),
            (#"{"appId":"a",\#(root),"autoupdate":{"versions":{"web.cordova":{"version":"v2"}}}}"#, nil),
            (#"{"appId":"a",\#(root),"autoupdateVersionCordova":"v1"}"#, .indexOfOtherVersion),
            (#"{"appId":"b",\#(root)}"#, .indexOfOtherApp), (#"{\#(root)}"#, .indexOfOtherApp),
            (#"{"appId":1,\#(root)}"#, .indexOfOtherApp), (#"{"appId":"a"}"#, .indexWithoutRootURL),
            (#"{"appId":"a","ROOT_URL":"//shop"}"#, .indexWithoutRootURL),
            (#"{"appId":"a","ROOT_URL":"http://u@LOCALHOST/"}"#, .indexRootURLLocal),
            (#"{"appId":"a","ROOT_URL":"http://127.1.2.3:80/"}"#, .indexRootURLLocal),
            (#"{"appId":"a","ROOT_URL":"http://[::1]:80/"}"#, .indexRootURLLocal),
            (#"{"appId":"a","ROOT_URL":"https://localhost.example/"}"#, nil),
            ("[]", .indexWithoutConfiguration), ("", .indexWithoutConfiguration),
        ]
        for page in pages { #expect(cause(MeteorVersion.page(page.config)) == page.cause, "\(page.config)") }
        #expect(cause(Array("<h1>Maintenance</h1>".utf8)) == .indexWithoutConfiguration)
    }

    @Test("An origin that names the folder of the manifest itself is the same as its root")
    func origins() {
        var settings = UpdaterSettings(app: "a", origin: "")
        settings.dialect = .meteor
        for origin in ["https://h", "https://h/", "https://h/__cordova", "https://h/__cordova/"] {
            settings.origin = origin
            #expect(settings.manifestURL == "https://h/__cordova/manifest.json")
            #expect(settings.fileBase == "https://h/__cordova/")
        }
        settings.origin = "https://h/shop/"
        #expect(settings.manifestURL == "https://h/shop/__cordova/manifest.json")
    }

    @Test("A file without a path is refused")
    func path() {
        for path in ["", "app/"] {
            let text = """
                { "version": "v", "cordovaCompatibilityVersions": { "ios": "A" }, "manifest": [ {
                  "path": "\(path)", "where": "client", "type": "js", "cacheable": true,
                  "url": "/a.js" } ] }
                """
            #expect(throws: ManifestRefusal.self) {
                try ManifestReader(dialect: .meteor).read(Array(text.utf8))
            }
        }
    }
}
