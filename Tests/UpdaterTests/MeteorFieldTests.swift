import Core
import Testing

@testable import Updater

@Suite("The fields of a Meteor manifest")
struct MeteorFieldTests {
    private static let hash = String(repeating: "0a", count: 20)

    private func read(_ files: String, compatibility: String = "\"ios\": \"x\"") throws(ManifestRefusal)
        -> VersionTable
    {
        let text =
            "{ \"version\": \"v\", \"cordovaCompatibilityVersions\": { \(compatibility) }, \"manifest\": [\(files)] }"
        return try ManifestReader(dialect: .meteor).read(Array(text.utf8))
    }

    private func file(_ url: String, _ other: String = "", path: String = "app/a.js") -> String {
        "{ \"where\": \"client\", \"path\": \"\(path)\", \"url\": \"\(url)\" \(other) }"
    }

    private func sha1() throws -> AssetHash { .sha1(try #require(Digest160(hex: Self.hash))) }

    private let index = Asset(
        route: "/", size: nil, hash: .none, url: "", packagePath: "index.html", type: "text/html")

    private let noIndex = "?meteor_dont_serve_index=true"

    @Test("The index is an asset of every version, a listed one or a file of the server is not")
    func listed() throws {
        #expect(try read("").assets == [index])
        let others = ["internal", "server"].map {
            "{ \"where\": \"\($0)\", \"path\": \"p\", \"url\": \"/p\" }"
        }
        #expect(
            try read((others + ["{ \"path\": \"q\" }", file("/"), file("/?x")]).joined(separator: ",")).assets
                == [index])
    }

    @Test("A file has its hash, its route without the query, and is immutable if both it and its URL say so")
    func files() throws {
        let withHash = ", \"hash\": \"\(Self.hash)\", \"cacheable\": "
        for (url, other, hash, isImmutable) in [
            ("/\(Self.hash).js?q", withHash + "true", try sha1(), true),
            ("/\(Self.hash).js", withHash + "false", try sha1(), false),
            ("/a.js", withHash + "true", try sha1(), false),
            ("/\(Self.hash).js", ", \"cacheable\": true", .none, false),
        ] {
            let route = String(url.prefix { $0 != "?" })
            let asset = Asset(
                route: route, size: nil, hash: hash, url: route.dropFirst() + noIndex,
                packagePath: "app/a.js",
                isImmutable: isImmutable)
            #expect(try read(file(url, other)).assets == [index, asset], "\(url) \(other)")
        }
    }

    @Test("A source map needs its URL and its path; it may be missing and has no hash of its own")
    func maps() throws {
        func asset(_ sourceMap: String?) -> Asset {
            Asset(
                route: "/a.js", size: nil, hash: .none, url: "a.js" + noIndex, packagePath: "app/a.js",
                sourceMap: sourceMap)
        }
        let map = Asset(
            route: "/m.map", size: nil, hash: .none, url: "m.map" + noIndex, packagePath: "app/m.map",
            type: "application/json", isOptional: true)
        for (other, assets) in [
            (
                ", \"sourceMapUrl\": \"/m.map?q\", \"sourceMap\": \"app/m.map\"",
                [index, asset("/m.map"), map]
            ),
            (", \"sourceMapUrl\": \"/m.map\"", [index, asset("/m.map")]),
            (", \"sourceMap\": \"app/m.map\"", [index, asset(nil)]),
        ] {
            #expect(try read(file("/a.js", other)).assets == assets, "\(other)")
        }
        let listed = try read(file("/m.map", ", \"hash\": \"\(Self.hash)\"", path: "app/m.map"))
        #expect(listed.assets.last?.hash == AssetHash.none && listed.assets.last?.isOptional == true)
    }

    @Test("A size is a hint up to 4 GiB, and no size")
    func hints() throws {
        for (size, hint) in [
            ("0", 0), ("4294967296", 1 << 32), ("4294967297", nil), ("-1", nil), ("\"5\"", nil), ("1.5", nil),
        ] as [(String, Int?)] {
            let asset = try #require(try read(file("/a.js", ", \"size\": \(size)")).assets.last)
            #expect(asset.sizeHint == hint && asset.size == nil, "\(size)")
        }
    }

    @Test(
        "A URL is decoded as the server does; one that can't be decoded is used unchanged",
        arguments: [
            ("/a%20b", "/a b"), ("/%C3%BC", "/ü"), ("/ü", "/ü"), ("/%c3%bc?%zz", "/ü"), ("/100%", "/100%"),
            ("/a%2", "/a%2"), ("/%zz", "/%zz"), ("/%ff", "/%ff"), ("/%41%", "/%41%"),
        ])
    func decoded(url: String, route: String) throws {
        #expect(try read(file(url)).assets.last?.route == route)
    }

    @Test("Compatibility is known of each platform, in the order of their names")
    func compatibility() throws {
        let table = try read("", compatibility: "\"ios\": \"x\", \"android\": \"y\", \"z\": \"w\"")
        #expect(table.metadata.compatibility.map(\.platform) == ["android", "ios", "z"])
        #expect(table.metadata.compatibility.map(\.text) == ["y", "x", "w"])
        #expect(table.key.id == "v" && table.index == "/" && table.metadata.order == .none)
        #expect(try read("", compatibility: "").metadata.compatibility.isEmpty)
    }

    @Test("One file that is listed twice is one, two with different hashes are refused")
    func duplicates() throws {
        let one = file("/a.js", ", \"hash\": \"\(Self.hash)\"")
        let other = file("/a.js", ", \"hash\": \"\(String(repeating: "0b", count: 20))\"")
        #expect(try read("\(one),\(one)").assets.map(\.route) == ["/", "/a.js"])
        #expect(throws: ManifestRefusal.self) { try self.read("\(one),\(other)") }
    }

    @Test("The format may be absent, and is no other")
    func format() {
        for (format, isRead) in [
            ("\"web-program-pre1\"", true), ("null", true), ("\"web-program-pre2\"", false),
        ] {
            let text =
                "{ \"format\": \(format), \"version\": \"v\", \"cordovaCompatibilityVersions\": {}, \"manifest\": [] }"
            do {
                _ = try ManifestReader(dialect: .meteor).read(Array(text.utf8))
                #expect(isRead, "\(format)")
            } catch {
                #expect(!isRead && error.cause == .manifestUnknownFormat, "\(format)")
            }
        }
    }
}
