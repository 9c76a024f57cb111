import Backend
import Core
import Testing
import World

@testable import Updater

@Suite("Names that differ in case or Unicode form only")
struct SpellingTests {
    private static let composed = "/caf\u{e9}.png"
    private static let decomposed = "/cafe\u{301}.png"

    private func version(_ id: String, serial: Int, _ files: [(String, String)]) -> Version {
        var version = Version(id, serial: serial)
        for (route, content) in files { version.files.append((route, Version.content(content, 400))) }
        return version
    }

    private func read(_ version: Version, _ dialect: ManifestDialect = .own) -> Result<
        VersionTable, ManifestRefusal
    > {
        Result { () throws(ManifestRefusal) in try ManifestReader(dialect: dialect).read(version.manifest) }
    }

    private func cause(_ result: Result<VersionTable, ManifestRefusal>) -> LogCause? {
        if case .failure(let refusal) = result { return refusal.cause }
        return nil
    }

    @Test(
        "U10: two contents whose paths are equal on some volume are refused on every device",
        arguments: [
            ("/Logo.png", LogCause.manifestPathsClash), ("/LOGO.PNG", .manifestPathsClash),
            ("/logo.png", .manifestRoutesClash), ("/logo1.png", nil),
        ])
    func clash(route: String, expected: LogCause?) {
        #expect(cause(read(version("v2", serial: 2, [(route, "other")]))) == expected)
    }

    @Test("U10: neither the order of the assets nor entries between them change the result")
    func order() {
        let pairs = [
            (SpellingTests.composed, SpellingTests.decomposed),
            (SpellingTests.decomposed, SpellingTests.composed),
        ]
        for (first, second) in pairs {
            let two = version("v2", serial: 2, [(first, "a"), ("/cafezzz.png", "c"), (second, "b")])
            #expect(cause(read(two)) == .manifestPathsClash)
            let one = version("v2", serial: 2, [(first, "a"), ("/cafezzz.png", "c"), (second, "a")])
            #expect(cause(read(one)) == nil)
        }
    }

    @Test("U10: many non-ASCII names are compared in bounded time")
    func many() {
        let files = (0..<2_000).map { ("/\u{6f22}\u{5b57}\($0)\u{e9}.txt", "c") }
        #expect(cause(read(version("v2", serial: 2, files))) == nil)
        #expect(
            cause(read(version("v2", serial: 2, files + [("/\u{6f22}\u{5b57}7e\u{301}.txt", "d")]))) != nil)
    }

    @Test("U10: one path with two routes is one file; with two hashes it is refused")
    func onePath() {
        func frontend(_ hash: String) -> LogCause? {
            let text = """
                { "commit": "c1", "date": "2026-11-20T12:00:00Z", "files": [
                  { "path": "index.html", "route": "/", "hash": "\(SHA256.hash(of: [1]).hex)" },
                  { "path": "index.html", "route": "/start", "hash": "\(hash)" } ] }
                """
            do throws(ManifestRefusal) {
                _ = try ManifestReader(dialect: .frontend).read(Array(text.utf8))
            } catch {
                return error.cause
            }
            return nil
        }
        #expect(frontend(SHA256.hash(of: [1]).hex) == nil)
        #expect(frontend(SHA256.hash(of: [2]).hex) == .manifestPathsClash)
    }

    @Test("S2: two spellings of a route are two files of one content, on every kind of volume")
    func twoRoutes() throws {
        for rule in NameRule.allCases {
            var device = try Harness(embedded: Version("v1", serial: 1), names: rule)
            try device.start()
            device.offered = version(
                "v2", serial: 2,
                [
                    ("/LOGO.png", "logo two"), ("/Logo.png", "logo two"), (SpellingTests.decomposed, "c"),
                    (SpellingTests.composed, "c"),
                ])
            device.offered?.files.removeAll { $0.route == "/logo.png" }
            device.check()
            #expect(device.status.pending?.id == "v2", "\(rule)")
            device.kill()
            try device.launch()
            let token = device.load(.processStart)
            let files = try #require(device.served[token]).files
            for route in ["/LOGO.png", "/Logo.png", SpellingTests.composed, SpellingTests.decomposed] {
                let file = try #require(TextBytes.element(route, in: files, by: \.route))
                #expect(device.bytes(of: file.path).count == 400, "\(rule) \(route)")
            }
        }
    }

    @Test("U10, U7: an app package in which one file replaced another starts from the origin")
    func package() throws {
        for rule in NameRule.allCases {
            var device = try Harness(
                embedded: version("v1", serial: 1, [("/Logo.png", "the other logo")]), names: rule)
            device.offered = Version("v2", serial: 2)
            try device.launch()
            #expect(device.causes(.manifestPathsClash) == 1, "\(rule)")
            device.check()
            #expect(device.show(.processStart) == "v2")
        }
    }

    /// Names that the store makes from digests: small letters, digits and constants.
    @Test("No two names of the store are equal on any volume")
    func store() throws {
        var device = try Harness(embedded: Version("v1", serial: 1), names: .anyCaseAndForm)
        try device.start()
        device.offered = Version("v2", serial: 2)
        device.check()
        let root = StorePaths.root
        let paths = device.disk.files(under: root) + device.disk.directories(under: root)
        #expect(paths.count > 6)
        for path in paths where path != StorePaths.lock {
            #expect(path.text.utf8.allSatisfy { $0 < 0x80 && !(0x41...0x5a).contains($0) }, "\(path)")
            #expect(path.text.lowercased() != StorePaths.lock.text.lowercased())
        }
    }
}
