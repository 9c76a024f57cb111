import Backend
import Core
import Testing
import Updater

@testable import World

@Suite("Made content and manifests")
struct ContentTests {
    private func key(_ version: String, _ route: String, _ size: Int) -> ContentKey {
        ContentKey(version: version, route: route, size: size)
    }

    private func made(_ key: ContentKey, _ head: String = "") -> [UInt8] {
        ContentGenerator.make(key, kind: ContentGenerator.kind(ofRoute: key.route), head: head).bytes
    }

    @Test(
        "Content is exactly as long as asked, whatever it is",
        arguments: ["/a.js", "/a.css", "/a.json", "/a.txt", "/a.png", "/a"], [0, 1, 7, 64, 1_000, 100_003])
    func sizes(route: String, size: Int) {
        #expect(made(key("v1", route, size)).count == size)
    }

    @Test("Equal keys give equal bytes; another version, route or size gives others")
    func keys() {
        for route in ["/a.js", "/a.png"] {
            let bytes = made(key("v1", route, 5_000))
            #expect(bytes == made(key("v1", route, 5_000)))
            #expect(bytes != made(key("v2", route, 5_000)))
            #expect(bytes != made(key("v1", "/b" + route, 5_000)))
            #expect(bytes.prefix(4_000) != made(key("v1", route, 5_001)).prefix(4_000))
        }
    }

    @Test("An index grows when its references need more room, and refers to every script, style and image")
    func index() throws {
        var version = Shop.version("v1", script: "v1")
        version.files[0] = FileSetup(route: "/index.html", content: .made(key("v1", "/index.html", 10)))
        version.files.append(FileSetup(route: "/a b.css", content: .made(key("v1", "/a b.css", 500))))
        version.files.append(FileSetup(route: "/f.woff2", content: .made(key("v1", "/f.woff2", 500))))
        var setup = Shop.setup()
        setup.versions = [version]
        let library = try VersionLibrary(setup)
        let index = try #require(library.versions[0].file("/index.html"))
        #expect(index.size > 10)
        let text = String(decoding: library.bytes(of: index), as: UTF8.self)
        for reference in ["src=\"/app.js\"", "href=\"/a%20b.css\"", "src=\"/logo.png\""] {
            #expect(text.contains(reference), "\(reference)")
        }
        #expect(!text.contains("woff2"))
        let style = try #require(library.versions[0].file("/a b.css"))
        #expect(String(decoding: library.bytes(of: style), as: UTF8.self).contains("url(\"/f.woff2\")"))
    }

    @Test("A route with {hash} carries the content's hash, and what refers to it is new content with it")
    func hashed() throws {
        func version(_ name: String, script: String) -> VersionSetup {
            VersionSetup(
                name: name,
                files: [
                    FileSetup(route: "/index.html", content: .made(key("v1", "/index.html", 900))),
                    FileSetup(route: "/{hash}.js", content: .made(key(script, "/{hash}.js", 900))),
                ])
        }
        var setup = Shop.setup()
        setup.versions = [
            version("v1", script: "v1"), version("v2", script: "v2"), version("v3", script: "v2"),
        ]
        let library = try VersionLibrary(setup)
        let scripts = library.versions.map { $0.file(template: "/{hash}.js") }
        let script = try #require(scripts[0])
        #expect(script.route == "/\(SHA256.hash(of: library.bytes(of: script)).hex).js")
        let indexes = library.versions.map { $0.file("/index.html")?.content }
        #expect(indexes[0] != indexes[1])
        #expect(indexes[1] == indexes[2])
        #expect(library.keys[1].digest != library.keys[2].digest, "the id is part of a content digest")
    }

    @Test(
        "The updater reads every dialect's manifest as the version it was made from",
        arguments: ManifestDialect.allCases)
    func manifests(dialect: ManifestDialect) throws {
        var setup = Shop.setup(dialect: dialect)
        if dialect == .meteor {
            for index in setup.versions.indices { setup.versions[index].files.removeFirst() }
        }
        let library = try VersionLibrary(setup)
        let publication = ManifestWriter.Publication(
            version: 1, serial: 7, date: setup.origin.epoch, recalled: ["v0"], unblock: ["v9"])
        let bytes = ManifestWriter(library: library).bytes(publication)
        let table = try ManifestReader(dialect: dialect).read(bytes)
        #expect(table.key == library.keys[1])
        #expect(table.assets.map(\.route) == library.versions[1].files.map(\.route))
        switch dialect {
        case .own:
            #expect(table.metadata.order == .serial(7))
            #expect(table.metadata.recalled == ["v0"])
            #expect(table.metadata.unblock == ["v9"])
        case .frontend: #expect(table.metadata.order == .date(setup.origin.epoch))
        case .meteor: #expect(table.metadata.compatibility.map(\.platform) == ["android", "ios"])
        }
    }

    @Test("A native label stands for the range from its first build up to the next one of another")
    func native() throws {
        var app = Shop.setup().app
        app.builds = [
            BuildSetup(name: "1.0", embeds: nil, native: "A"),
            BuildSetup(name: "1.2", embeds: nil, native: "A"),
            BuildSetup(name: "2.0", embeds: nil, native: "B"),
        ]
        let range = try app.range(ofNative: "A")
        #expect(range.minimum?.text == "1.0")
        #expect(range.below?.text == "2.0")
        #expect(throws: SetupError.unknownNative("C")) { try app.range(ofNative: "C") }
    }

    @Test("Build numbers are compared number by number, and zeros at the end mean nothing")
    func buildNumbers() throws {
        let ascending = try ["0", "0.9", "1", "1.0.1", "1.9", "1.10", "2.0", "10"].map {
            try #require(BuildNumber($0))
        }
        #expect(ascending.sorted() == ascending)
        #expect(BuildNumber("5.2") == BuildNumber("5.2.0"))
        for text in ["", ".", "1.", ".1", "1..2", "1.a", "-1", "1234567890", "1.1.1.1.1.1.1.1.1"] {
            #expect(BuildNumber(text) == nil)
        }
    }

    @Test("An invalid setup is reported by name")
    func errors() {
        var setup = Shop.setup()
        setup.app.builds[0].embeds = "v9"
        #expect(throws: SetupError.unknownVersion("v9")) { try World(setup) }
        setup = Shop.setup()
        setup.versions[1].name = "v1"
        #expect(throws: SetupError.duplicateName(kind: "version", name: "v1")) { try World(setup) }
        setup = Shop.setup()
        setup.versions[2].files.removeFirst()
        #expect(throws: SetupError.noIndex(version: "v3")) { try World(setup) }
        setup = Shop.setup()
        setup.origin.route = "nowhere"
        #expect(throws: SetupError.unknownEdge("nowhere")) { try World(setup) }
    }
}
