import Core
import Foundation
import Testing

@testable import Updater

/// Meteor manifests from outside the project: those of a samples folder if there is one, and fixtures of the
/// same shape, which `Tests/Tools/meteor-manifests` writes.
struct MeteorSample: CustomTestStringConvertible {
    var path: String
    var bytes: [UInt8]
    /// The manifest as read by another JSON reader.
    var stated: [String: Any]

    var testDescription: String { path.split(separator: "/").suffix(2).joined(separator: "/") }

    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static let fixtures = package.appendingPathComponent("Tests/Fixtures/manifests").path

    /// `OTALAB_SAMPLES`, otherwise `../shared/samples` beside the package; nil if neither exists.
    static var samples: String? {
        let named = ProcessInfo.processInfo.environment["OTALAB_SAMPLES"]
        let folder =
            (named ?? package.deletingLastPathComponent().appendingPathComponent("shared/samples").path)
            + "/meteor"
        return FileManager.default.fileExists(atPath: folder) ? folder : nil
    }

    static func all(in folder: String) throws -> [MeteorSample] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.hasSuffix(".json")
        }
        return try names.sorted().map { name in
            let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
            let stated = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            return MeteorSample(path: folder + "/" + name, bytes: Array(data), stated: stated ?? [:])
        }
    }

    var entries: [[String: Any]] { stated["manifest"] as? [[String: Any]] ?? [] }
    var clients: [[String: Any]] { entries.filter { $0["where"] as? String == "client" } }
    var table: VersionTable { get throws { try ManifestReader(dialect: .meteor).read(bytes) } }

    /// The decoded path of an entry's URL, by Foundation.
    static func route(_ entry: [String: Any], _ key: String = "url") throws -> String {
        let url = try #require(entry[key] as? String)
        return try #require(URLComponents(string: url)?.path)
    }
}

@Suite("Meteor manifests as its build tool writes them")
struct MeteorSampleTests {
    /// The files of each folder; samples are read in place.
    private static var all: [MeteorSample] {
        get throws {
            var found = try MeteorSample.all(in: MeteorSample.fixtures)
            #expect(found.count == 3)
            if let folder = MeteorSample.samples {
                let samples = try MeteorSample.all(in: folder)
                #expect(!samples.isEmpty, "\(folder) holds no manifest")
                found += samples
            }
            return found
        }
    }

    @Test("each is accepted unchanged, with its version, its platforms and no order")
    func accepted() throws {
        for sample in try MeteorSampleTests.all {
            let table = try sample.table
            #expect(table.key.id == sample.stated["version"] as? String, "\(sample.path)")
            #expect(table.metadata.order == .none && table.metadata.command == .update)
            let platforms = sample.stated["cordovaCompatibilityVersions"] as? [String: String] ?? [:]
            #expect(!platforms.isEmpty)
            #expect(table.metadata.compatibility.map(\.platform) == platforms.keys.sorted())
            for stated in table.metadata.compatibility { #expect(stated.text == platforms[stated.platform]) }
        }
    }

    @Test("the assets are the client's files and their maps, each once, and the index; nothing internal")
    func rows() throws {
        for sample in try MeteorSampleTests.all {
            let files = try sample.clients.map { try MeteorSample.route($0) }
            let maps = try sample.clients.filter { $0["sourceMapUrl"] != nil }
                .map { try MeteorSample.route($0, "sourceMapUrl") }
            let table = try sample.table
            #expect(Set(table.assets.map(\.route)) == Set(files + maps + ["/"]), "\(sample.path)")
            #expect(table.assets.count == Set(files + maps).count + 1)
            let internals = sample.entries.filter { $0["where"] as? String != "client" }
            #expect(!internals.isEmpty, "\(sample.path) has nothing that is to be left out")
            for entry in internals {
                #expect(!table.assets.contains { $0.packagePath == entry["path"] as? String })
            }
        }
    }

    @Test("an asset has the entry's SHA-1, its package path, and a URL that is never answered by the index")
    func hashes() throws {
        for sample in try MeteorSampleTests.all {
            let table = try sample.table
            for entry in sample.clients {
                let path = try #require(entry["path"] as? String)
                let route = try MeteorSample.route(entry)
                let asset = try #require(table.assets.first { $0.route == route })
                let stated = try #require(entry["hash"] as? String)
                let digest = try #require(Digest160(hex: stated))
                #expect(asset.packagePath == path)
                #expect(asset.size == nil, "size is a hint")
                #expect(asset.url.hasSuffix("?meteor_dont_serve_index=true"))
                let fetched = URL(string: asset.url, relativeTo: URL(string: "http://a.b/__cordova/"))
                #expect(fetched?.absoluteURL.path == "/__cordova" + route)
                if path.hasSuffix(".map") {
                    #expect(
                        asset.hash == .none && asset.isOptional, "a map's entry carries its module's hash")
                } else {
                    #expect(asset.hash == .sha1(digest) && !asset.isOptional, "\(path)")
                }
                #expect(!asset.isImmutable || route.contains(digest.hex))
                #expect(asset.sourceMap == entry["sourceMapUrl"] as? String)
            }
        }
    }

    @Test("index and source maps have no usable hash; maps may be missing, the index not")
    func unhashed() throws {
        for sample in try MeteorSampleTests.all {
            let table = try sample.table
            let index = try #require(table.assets.first { $0.route == table.index })
            #expect(table.index == "/" && index.hash == .none && !index.isOptional)
            #expect(index.packagePath == "index.html")
            for entry in sample.clients where entry["sourceMapUrl"] != nil {
                let route = try MeteorSample.route(entry, "sourceMapUrl")
                let map = try #require(table.assets.first { $0.route == route })
                #expect(
                    map.hash == .none && map.isOptional && map.packagePath == entry["sourceMap"] as? String)
            }
        }
    }

    @Test("in a later build only changed content is new, by hash")
    func next() throws {
        var pairs = [("embedded.json", "next.json", MeteorSample.fixtures)]
        if let folder = MeteorSample.samples {
            pairs.append(("embedded-program.json", "next-manifest.json", folder))
        }
        for (first, second, folder) in pairs {
            let all = try MeteorSample.all(in: folder)
            let old = try #require(all.first { $0.path.hasSuffix("/" + first) })
            let new = try #require(all.first { $0.path.hasSuffix("/" + second) })
            #expect(try old.table.key != new.table.key)
            let known = Set(old.clients.compactMap { $0["hash"] as? String })
            let changed = try new.clients.filter { !known.contains($0["hash"] as? String ?? "") }
                .map { try MeteorSample.route($0) }
            #expect(!changed.isEmpty && changed.count < new.clients.count)
            let held = try old.table.assets.map(\.hash)
            let wanted = try new.table.assets.filter { $0.hash != .none && !held.contains($0.hash) }
            #expect(Set(wanted.map(\.route)) == Set(changed))
        }
    }

    @Test(
        "a manifest with one change is refused with a distinct cause",
        arguments: [
            (
                "\"format\": \"web-program-pre1\"", "\"format\": \"web-program-pre2\"",
                LogCause.manifestUnknownFormat
            ),
            ("\"version\"", "\"versoin\"", .manifestWithoutVersion),
            ("\"cordovaCompatibilityVersions\"", "\"compatibility\"", .manifestFieldMissing),
            ("\"url\": \"/", "\"url\": \"/../", .manifestUnsafeRoute),
            ("\"path\": \"app/", "\"path\": \"../app/", .manifestUnsafeRoute),
            ("\"hash\": \"", "\"hash\": \"x", .manifestFieldMalformed),
            ("/prices.json\"", "/licence\"", .manifestRoutesClash),
            ("\"manifest\": [", "\"manifest\": {", .manifestUnreadable),
        ])
    func flaws(_ old: String, _ new: String, _ cause: LogCause) throws {
        let sample = try #require(
            MeteorSample.all(in: MeteorSample.fixtures).first { $0.path.hasSuffix("/next.json") })
        let text = String(decoding: sample.bytes, as: UTF8.self)
        #expect(text.contains(old))
        do {
            _ = try ManifestReader(dialect: .meteor).read(Array(text.replacing(old, with: new).utf8))
            Issue.record("accepted")
        } catch {
            #expect(error.cause == cause, "\(error.detail)")
        }
    }

    @Test("the fixtures are what the script writes")
    func script() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "otalab-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "bash", MeteorSample.fixtures + "/../../Tools/meteor-manifests", folder.path,
        ]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        for sample in try MeteorSample.all(in: MeteorSample.fixtures) {
            let name = try #require(sample.path.split(separator: "/").last)
            let written = try Data(contentsOf: folder.appendingPathComponent(String(name)))
            #expect(Array(written) == sample.bytes, "\(name)")
        }
    }
}
