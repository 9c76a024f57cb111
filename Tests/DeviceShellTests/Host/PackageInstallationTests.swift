import Core
import Testing
import World

@testable import OTAHost

@Suite("A package is installed as files where the platform ships it in another form")
struct PackageInstallationTests {
    private static let first = ["manifest.json": "one", "web/index.html": "<p>1", "web/a/b/c.js": "c"]
    private static let second = ["manifest.json": "two", "web/index.html": "<p>2", "www/otalab.js": "o"]

    private struct Refusal: Error, CustomStringConvertible {
        var description: String { "the asset is compressed" }
    }

    /// - Returns: whether anything was written.
    @discardableResult
    private static func install(
        _ files: [String: String], _ build: String, on disk: inout SimulatedDisk
    ) throws -> Bool {
        try PackageInstallation(files.keys.sorted(), stamp: build).perform(on: &disk) { path in
            Array((files[path] ?? "").utf8)
        }
    }

    /// Text by path, without the stamp.
    private static func content(of disk: SimulatedDisk) throws -> [String: String] {
        var disk = disk
        var content: [String: String] = [:]
        for path in disk.files(under: DiskPath(.data, "")) where !path.text.hasPrefix(".") {
            let file = try disk.open(path, .read)
            content[path.text] = String(
                decoding: try disk.read(file, at: 0, count: 1_000), as: UTF8.self)
        }
        return content
    }

    @Test("All files are there, a second call of the same build writes nothing, another build replaces all")
    func replaces() throws {
        var disk = SimulatedDisk()
        #expect(try Self.install(Self.first, "1", on: &disk))
        #expect(try Self.content(of: disk) == Self.first)
        #expect(try !Self.install(Self.first, "1", on: &disk))
        #expect(try Self.install(Self.second, "2", on: &disk))
        #expect(try Self.content(of: disk) == Self.second)
        disk.powerCut(keeping: try #require(disk.powerCutPlan().outcomes.first))
        #expect(try !Self.install(Self.second, "2", on: &disk))
        #expect(try Self.content(of: disk) == Self.second)
    }

    @Test("A file that can't be read is named, and nothing counts as installed")
    func unreadable() throws {
        var disk = SimulatedDisk()
        do {
            try PackageInstallation(["web/x.js"], stamp: "1").perform(on: &disk) { _ in throw Refusal() }
            Issue.record("it was installed")
        } catch {
            guard case .unreadable("web/x.js", "the asset is compressed") = error else {
                throw error
            }
        }
        #expect(try Self.install(Self.first, "1", on: &disk))
    }

    @Test("Interrupted at any call, by a kill or a power cut, it is never taken for a whole one")
    func interrupted() throws {
        var before = SimulatedDisk()
        try Self.install(Self.first, "1", on: &before)
        before.cleanShutdown()
        var (calls, again) = (0, 0)
        while true {
            calls += 1
            var disk = before
            disk.stop(atCall: calls)
            do { try Self.install(Self.second, "2", on: &disk) } catch is PackageInstallation.Failure {}
            guard disk.isStopped else { break }
            var ends = disk.powerCutPlan().outcomes.map { outcome in
                var end = disk
                end.powerCut(keeping: outcome)
                return end
            }
            disk.processEnded()
            ends.append(disk)
            for var end in ends {
                // The old build's app may come back as well, or the new one begin once more.
                for (files, build) in [(Self.first, "1"), (Self.second, "2")] {
                    var next = end
                    if try Self.install(files, build, on: &next) { again += 1 }
                    #expect(try Self.content(of: next) == files, "call \(calls)")
                }
                try Self.install(Self.second, "2", on: &end)
                #expect(try Self.content(of: end) == Self.second)
            }
        }
        #expect(calls > 20 && again > 100)
    }
}
