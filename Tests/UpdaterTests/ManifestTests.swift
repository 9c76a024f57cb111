import Core
import Foundation
import Testing

@testable import Updater

@Suite("Manifests")
struct ManifestTests {
    private func refusal(_ text: String, _ dialect: ManifestDialect = .own) -> LogCause? {
        do {
            _ = try ManifestReader(dialect: dialect).read(Array(text.utf8))
            return nil
        } catch {
            return error.cause
        }
    }

    private func own(_ change: (String, String)) -> String {
        String(decoding: Version("v1", serial: 1).manifest, as: UTF8.self)
            .replacingOccurrences(of: change.0, with: change.1)
    }

    @Test("N1: a build number consists of digits and dots; an unfilled placeholder is none")
    func buildNumbers() throws {
        for text in ["$(MARKETING_VERSION)", "", "1.", ".1", "1..2", "1.0-beta", "１.0", "1.0 ", "1234567890"]
        {
            #expect(NativeBuild(text) == nil, "\(text)")
        }
        #expect(try #require(NativeBuild("5.2")) == #require(NativeBuild("5.2.0")))
        #expect(try #require(NativeBuild("5.10")) > #require(NativeBuild("5.9")))
    }

    @Test("U10: each error of an own manifest has a distinct cause")
    func flaws() {
        #expect(refusal(own(("", ""))) == nil)
        #expect(refusal("{ \"format\": ") == .manifestUnreadable)
        #expect(refusal("[]") == .manifestFieldMalformed)
        #expect(refusal(own(("otalab-manifest-1", "otalab-manifest-9"))) == .manifestUnknownFormat)
        #expect(refusal(own(("\"version\": \"v1\"", "\"version\": \"\""))) == .manifestWithoutVersion)
        #expect(refusal(own(("\"size\": 700, ", ""))) == .manifestFieldMissing)
        #expect(refusal(own(("\"serial\": 1", "\"serial\": -1"))) == .manifestFieldMalformed)
        #expect(refusal(own(("/logo.png", "/../logo.png"))) == .manifestUnsafeRoute)
        #expect(refusal(own(("/logo.png", "/app.js"))) == .manifestRoutesClash)
        #expect(refusal(own(("\"size\": 700", "\"size\": 700000000"))) == .fileTooLarge)
        #expect(refusal(own(("/logo.png", "/APP.js"))) == .manifestPathsClash)
        for type in ["text", "text/html\\r\\nX: y", "/", "text/\\u00e9"] {
            let typed = own(("\"size\": 700", "\"type\": \"\(type)\", \"size\": 700"))
            #expect(refusal(typed) == .manifestFieldMalformed)
        }
        let map = own(("\"size\": 700", "\"sourceMap\": \"../x\", \"size\": 700"))
        #expect(refusal(map) == .manifestUnsafeRoute)
    }

    @Test("U13: recalled ids are limited to what the record can hold: all of them count, or none")
    func recalledIDs() throws {
        func listed(_ ids: [String]) -> String { ids.map { "\"\($0)\"" }.joined(separator: ",") }
        func list(_ ids: [String]) -> String {
            own(("\"index\":", "\"recalled\": [\(listed(ids))], \"index\":"))
        }
        let most = (0..<256).map { "v-\(String(repeating: "x", count: 120))-\($0)" }
        #expect(refusal(list(most)) == nil)
        #expect(refusal(list(most + ["one-more"])) == .manifestFieldMalformed)
        #expect(refusal(list([String(repeating: "x", count: 129)])) == .manifestFieldMalformed)
        #expect(refusal(list([""])) == .manifestFieldMalformed)
        var device = try Harness.started()
        var version = Version("v2", serial: 2)
        version.extra = "\"recalled\": [\(listed(most))],"
        device.offered = version
        device.check()
        device.kill()
        try device.launch()
        #expect(device.updater.record.recalled.count == 256)
        #expect(device.show(.processStart) == "v2")
    }

    @Test("The content digest covers id and assets and nothing else")
    func digest() throws {
        let first = try ManifestReader(dialect: .own).read(Version("v1", serial: 1).manifest)
        let again = try ManifestReader(dialect: .own).read(Version("v1", serial: 7).manifest)
        let other = try ManifestReader(dialect: .own).read(Version("v1", serial: 1, app: "x").manifest)
        #expect(first.key == again.key)
        #expect(first.key != other.key)
    }

    @Test("A Meteor manifest is read with its index, source maps and query-less routes")
    func meteor() throws {
        let text = """
            { "format": "web-program-pre1", "version": "abc", "cordovaCompatibilityVersions": { "ios": "x" },
              "manifest": [
                { "path": "app/a.js", "where": "client", "type": "js", "cacheable": true,
                  "url": "/a.js?0123456789012345678901234567890123456789", "size": 5,
                  "sourceMap": "app/a.js.map", "sourceMapUrl": "/0123.map",
                  "hash": "0123456789012345678901234567890123456789" },
                { "path": "head.html", "where": "internal", "type": "head", "hash": "00" } ] }
            """
        let table = try ManifestReader(dialect: .meteor).read(Array(text.utf8))
        #expect(table.assets.map(\.route) == ["/", "/0123.map", "/a.js"])
        #expect(table.index == "/")
        #expect(table.assets[1].isOptional)
        #expect(table.assets[2].url == "a.js?meteor_dont_serve_index=true")
    }

    @Test("A frontend manifest is ordered by its date")
    func frontend() throws {
        let text = """
            { "commit": "9f3a61c", "date": "2026-11-20T12:00:00Z",
              "files": [ { "path": "public/index.html", "route": "/" } ] }
            """
        let table = try ManifestReader(dialect: .frontend).read(Array(text.utf8))
        #expect(table.metadata.order == .date(OriginTime(seconds: 1_795_176_000)))
        #expect(table.assets[0].url == "/public/index.html")
    }
}
