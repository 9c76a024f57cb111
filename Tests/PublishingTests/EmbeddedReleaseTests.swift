import Core
import Testing
import Updater
import World

@testable import Publishing

@Suite("What is published is embedded into the next native build")
struct EmbeddedReleaseTests {
    private typealias Fixture = PublishingFixture

    private func text(_ path: String, on disk: SimulatedDisk) throws -> String {
        var disk = disk
        let file = try disk.open(DiskPath(.data, path), .read)
        return String(decoding: try disk.read(file, at: 0, count: 1 << 20), as: UTF8.self)
    }

    @Test("Manifest, files under their paths, and the page's scripts; with id and serial of the publication")
    func whole() throws {
        var fixture = Fixture()
        let files = ["index.html": "<p>1", "js/app.js": "one", "js/deep/a b.js": "two"]
        try fixture.publish(files) { $0.version = "1.0.0" }
        var package = SimulatedDisk()
        let summary = try EmbeddedRelease.write(
            from: &fixture.disk, to: &package, www: [("otalab.js", Array("bridge".utf8))])
        #expect(summary == EmbeddedRelease.Summary(version: "1.0.0", serial: 1, files: 3))
        for (path, content) in files { #expect(try text("web/" + path, on: package) == content) }
        #expect(try text("www/otalab.js", on: package) == "bridge")
        let manifest = Array(try text("manifest.json", on: package).utf8)
        #expect(try ManifestReader(dialect: .own).read(manifest) == fixture.offered)
        // All of it is durable when the call has returned.
        for outcome in package.powerCutPlan().outcomes {
            var cut = package
            cut.powerCut(keeping: outcome)
            #expect(cut.files(under: DiskPath(.data, "")).count == 5)
        }
    }

    @Test("Nothing published, no files, a missing and a damaged file are errors that say so")
    func refusals() throws {
        var fixture = Fixture()
        var package = SimulatedDisk()
        #expect(throws: PublishError.noRelease) {
            try EmbeddedRelease.write(from: &fixture.disk, to: &package, www: [])
        }
        try fixture.publish(Fixture.first)
        let asset = try #require(fixture.offered?.assets.first)
        let path = DiskPath(.data, asset.url)
        var missing = fixture
        try missing.disk.remove(path)
        #expect(throws: PublishError.damaged(asset.url)) {
            try EmbeddedRelease.write(from: &missing.disk, to: &package, www: [])
        }
        var damaged = fixture
        let file = try damaged.disk.open(path, .update)
        _ = try damaged.disk.write(file, Array("x".utf8)[...], at: 0)
        var second = SimulatedDisk()
        #expect(throws: PublishError.damaged(asset.url)) {
            try EmbeddedRelease.write(from: &damaged.disk, to: &second, www: [])
        }
        try fixture.publish(nil) { request in request.terms = { $0.order = .embedded } }
        var third = SimulatedDisk()
        #expect(throws: PublishError.nothingToEmbed) {
            try EmbeddedRelease.write(from: &fixture.disk, to: &third, www: [])
        }
    }
}
