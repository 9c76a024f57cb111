import Core
import Testing
import World

@testable import Updater

/// A version of the frontend dialect, whose manifest states hashes for some files and no sizes.
private struct FrontendVersion {
    var id: String
    var day: Int
    var files: [(route: String, bytes: [UInt8])]
    /// Routes of files whose SHA-256 is stated.
    var hashed: [String] = []

    var manifest: [UInt8] {
        let rows = files.map { file in
            let hash = hashed.contains(file.route) ? ", \"hash\": \"\(SHA256.hash(of: file.bytes).hex)\"" : ""
            return "{ \"path\": \"\(file.route.dropFirst())\", \"route\": \"\(file.route)\"\(hash) }"
        }
        return Array(
            """
            { "commit": "\(id)", "date": "2026-11-1\(day)T12:00:00Z", "files": [ \(rows.joined(separator: ",")) ] }
            """.utf8)
    }

    func reply(to request: OriginRequest) -> Reply {
        guard let route = request.route else { return Reply(200, manifest) }
        return files.first { $0.route == route }.map { Reply(200, $0.bytes) } ?? Reply(404)
    }
}

@Suite("Content that is here is recognised, whatever the manifests said of it (U2)")
struct RecognisedContentTests {
    private static let script = Version.content("script", 150_000)

    private func version(
        _ id: String, _ day: Int, _ route: String, _ bytes: [UInt8], hashed: [String] = []
    ) -> FrontendVersion {
        let index = ("/index.html", Version.content(id, 300))
        return FrontendVersion(id: id, day: day, files: [index, (route, bytes)], hashed: hashed)
    }

    private func started(embedded: FrontendVersion?) throws -> Harness {
        var device = try Harness(embedded: nil, dialect: .frontend)
        if let embedded {
            let files = embedded.files.map { (path: "web" + $0.route, bytes: $0.bytes) }
            try device.disk.mountPackage(
                files: [(path: "web/manifest.json", bytes: embedded.manifest)] + files)
            device.hasEmbedded = true
            device.embeddedDialect = .frontend
        }
        try device.start()
        return device
    }

    /// Checks for the version; returns the routes that were requested.
    private func fetched(_ version: FrontendVersion, _ device: inout Harness) -> [String] {
        device.script = { version.reply(to: $0) }
        device.requests = []
        device.check()
        #expect(device.status.pending?.id == version.id)
        return device.requests.compactMap(\.route)
    }

    @Test("A hash that a later manifest states is that of content taken without one")
    func statedLater() throws {
        var device = try started(embedded: version("v1", 1, "/a.js", [1]))
        #expect(fetched(version("v2", 2, "/app.js", Self.script), &device).contains("/app.js"))
        let hashed = version("v3", 3, "/app.js", Self.script, hashed: ["/app.js"])
        #expect(fetched(hashed, &device) == ["/index.html"])
        let other = version("v4", 4, "/app.js", Version.content("other", 150_000), hashed: ["/app.js"])
        #expect(fetched(other, &device) == ["/app.js", "/index.html"])
    }

    @Test("A hash that a manifest states is that of a file embedded without one")
    func embedded() throws {
        var device = try started(embedded: version("v1", 1, "/app.js", Self.script))
        let same = version("v2", 2, "/app.js", Self.script, hashed: ["/app.js"])
        #expect(fetched(same, &device) == ["/index.html"])
        let longer = version("v3", 3, "/app.js", Self.script + [0], hashed: ["/app.js"])
        #expect(fetched(longer, &device) == ["/app.js", "/index.html"])
    }

    @Test("A URL that carries the content's hash names it; a URL with another hash names nothing")
    func hashInURL() throws {
        let sha1 = SHA1.hash(of: Self.script).hex
        let sha256 = SHA256.hash(of: Self.script).hex
        for name in [sha1, sha256] {
            var device = try started(embedded: version("v1", 1, "/a.js", [1]))
            #expect(fetched(version("v2", 2, "/app.\(name).js", Self.script), &device).count == 2)
            #expect(fetched(version("v3", 3, "/app.\(name).js", Self.script), &device) == ["/index.html"])
        }
        for name in [SHA1.hash(of: [1]).hex, SHA256.hash(of: [1]).hex, String(sha1.dropLast()), sha256 + "0"]
        {
            var device = try started(embedded: version("v1", 1, "/a.js", [1]))
            #expect(fetched(version("v2", 2, "/app.\(name).js", Self.script), &device).count == 2)
            #expect(fetched(version("v3", 3, "/app.\(name).js", Self.script), &device).count == 2)
        }
    }

    @Test("Embedded content that can't be read is requested")
    func unreadable() throws {
        var device = try started(embedded: version("v1", 1, "/app.js", Self.script))
        device.disk.add(DiskFault(.read, .inputOutput, times: 1, path: DiskPath(.package, "web/app.js")))
        let same = version("v2", 2, "/app.js", Self.script, hashed: ["/app.js"])
        #expect(fetched(same, &device) == ["/app.js", "/index.html"])
        #expect(device.causes(.diskFailed) == 0)
    }
}
