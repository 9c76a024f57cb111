import Core
import Foundation
import ScenarioLanguage
import Testing

@Suite("Device profiles as people write them")
struct ProfileReaderTests {
    private static func bytes(_ name: String) throws -> [UInt8] {
        let path = LibraryTests.root.appendingPathComponent("Scenarios/profiles/\(name).json5")
        return Array(try Data(contentsOf: path))
    }

    private func text(_ name: String = "android-14") throws -> String {
        String(decoding: try ProfileReaderTests.bytes(name), as: UTF8.self)
    }

    private func rendered(_ text: String) -> String {
        let reading = ProfileReader.read(path: "Scenarios/profiles/demo.json5", bytes: Array(text.utf8))
        #expect((reading.profile == nil) == !reading.diagnostics.isEmpty)
        return DiagnosticRenderer.render(reading.diagnostics)
    }

    @Test("each profile of the library reads without a diagnostic, with evidence for every key")
    func library() throws {
        #expect(
            LibraryTests.devices == [
                "android-14", "android-8-go", "ios-15", "ios-17", "plain", "slow-line",
            ])
        for name in LibraryTests.devices {
            let reading = ProfileReader.read(
                path: "profiles/\(name).json5", bytes: try ProfileReaderTests.bytes(name))
            #expect(reading.diagnostics.isEmpty, "\(DiagnosticRenderer.render(reading.diagnostics))")
            let profile = try #require(reading.profile)
            #expect(profile.name == name)
            #expect(
                profile.evidence.map(\.key)
                    == ObjectSchema.profile.fields.map(\.key).filter {
                        !["$schema", "schema", "title"].contains($0)
                    })
        }
    }

    @Test("a profile has the values of the file")
    func values() throws {
        let reading = ProfileReader.read(
            path: "a/android-8-go.json5", bytes: try ProfileReaderTests.bytes("android-8-go"))
        let profile = try #require(reading.profile)
        #expect(profile.platform == .android && profile.exits == [] && profile.sectors == .small)
        #expect(profile.names == .exact)
        #expect(profile.bandwidth == 2_000_000 && profile.diskWrites == 8_000_000)
        #expect(profile.fileSync == .milliseconds(90) && profile.storage == 4 << 30)
        let other = try #require(
            ProfileReader.read(path: "a.json5", bytes: try ProfileReaderTests.bytes("android-14")).profile)
        #expect(other.exits.contains { $0.end == .user && $0.record == .userRequested })
        #expect(other.evidence.first.map { [$0.key, $0.because] } == ["platform", "by definition"])
    }

    @Test("a mistyped key is reported with its position and the key that was meant")
    func unknownKey() throws {
        let wrong = try text("plain").replacing("latency:", with: "latencee:")
        #expect(
            rendered(wrong).hasPrefix(
                """
                error: unknown key 'latencee' in device profile
                  --> Scenarios/profiles/demo.json5:20:3
                   |
                20 |   latencee: { is: "50ms", because: "an assumption: a fair mobile network" },
                   |   ^^^^^^^^ not a device profile key
                   = help: did you mean 'latency'?
                """))
    }

    @Test("a key without evidence is reported, and so is a key without a value")
    func evidence() throws {
        let line = #"latency: { is: "50ms", because: "an assumption, as plain" }"#
        let bare = rendered(try text().replacing(line, with: #"latency: { is: "50ms" }"#))
        #expect(bare.contains("missing key 'because' in line of a profile"))
        let empty = rendered(try text().replacing(line, with: #"latency: { is: "50ms", because: "" }"#))
        #expect(empty.contains("an empty text"))
        let plain = rendered(try text().replacing(line, with: #"latency: "50ms""#))
        #expect(plain.contains(#"expected { is: …, because: "…" }"#))
    }

    @Test(
        "other mistakes are reported at once",
        arguments: [
            (#"is: "10 Mbit/s""#, #"is: "10 Mbit""#, #"expected "/s" after the unit"#),
            (#"is: "10 Mbit/s""#, #"is: "10 MBit/s""#, "did you mean 'Mbit'?"),
            (#"is: "60s""#, #"is: "60""#, "a number without its unit"),
            (#"is: "journal""#, #"is: "jornal""#, "did you mean 'journal'?"),
            (#""low memory":"#, #""lo memory":"#, "did you mean 'low memory'?"),
            (#""user requested""#, #""user""#, "'user' is not a keyword here"),
            ("tellsReload: {", "schema2: 1, tellsReload: {", "unknown key 'schema2'"),
            ("schema: 1", "schema: 2", "out of range"),
            ("platform: {", "platfrm: {", "did you mean 'platform'?"),
        ])
    func mistakes(_ old: String, _ new: String, _ message: String) throws {
        let right = try text()
        #expect(right.contains(old))
        let report = rendered(right.replacing(old, with: new))
        #expect(report.contains(message), "\(report)")
        let two = rendered(right.replacing(old, with: new).replacing(#"is: "4 KiB""#, with: "is: 4"))
        #expect(two.contains(message) && two.contains("'is' can't be"))
    }

    @Test("a scenario with an unknown profile is reported with its position and the most similar name")
    func unknownProfile() throws {
        let story = """
            { schema: 1, title: 'A title', device: 'ios17', app: { embeds: 'v1' },
              versions: { v1: { files: { 'index.html': '2 KB' } } },
              steps: [ { launch: true }, { expect: { running: 'v1' } } ] }
            """
        let reading = ScenarioReader.read(
            path: "Scenarios/demo.json5", bytes: Array(story.utf8), devices: LibraryTests.devices)
        #expect(reading.scenarios.isEmpty)
        let report = DiagnosticRenderer.render(reading.diagnostics)
        #expect(report.contains("no device is named 'ios17'"))
        #expect(report.contains("--> Scenarios/demo.json5:1:40"))
        #expect(report.contains("did you mean 'ios-17'?"))
    }

    @Test("no text crashes the reader")
    func robust() throws {
        let bytes = try ProfileReaderTests.bytes("plain")
        for length in stride(from: 0, to: bytes.count - 2, by: 7) {
            #expect(ProfileReader.read(path: "p.json5", bytes: Array(bytes[..<length])).profile == nil)
        }
        for text in ["", "[]", "null", "{ schema: 1, exits: { is: [], because: 1 } }"] {
            #expect(!rendered(text).isEmpty)
        }
    }
}
