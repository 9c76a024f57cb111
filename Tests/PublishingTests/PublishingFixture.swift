import Core
import Testing
import Updater
import World

@testable import Publishing

/// A simulated folder that is served (the data volume), and builds in the package volume.
struct PublishingFixture {
    var disk = SimulatedDisk()
    var now = OriginTime(seconds: 1_790_000_000)

    static let first = ["index.html": "<script src=app.js>", "app.js": "one", "app.js.map": "{}"]
    static let second = ["index.html": "<script src=app.js>", "app.js": "two", "style.css": "p{}"]

    mutating func build(_ files: [String: String]) throws -> WebBuild {
        let sorted = files.sorted { $0.key < $1.key }
        try disk.mountPackage(files: sorted.map { (path: $0.key, bytes: Array($0.value.utf8)) })
        return try WebBuild.read(&disk)
    }

    /// Publishes a build, the files of before if it is nil.
    @discardableResult
    mutating func publish(
        _ files: [String: String]?, _ change: (inout Publication.Request) -> Void = { _ in }
    ) throws -> Publication.Summary {
        var request = Publication.Request(now: now)
        request.app = "com.example.shop"
        if let files { request.build = try build(files) }
        change(&request)
        return try Publication.publish(request, on: &disk)
    }

    /// What an app would read.
    var offered: VersionTable? { table("manifest.json") }

    /// What a kill and each power cut leave when a publication is stopped at one of its disk calls; nil: it has
    /// ended before.
    func ends(
        stoppedAt call: Int, _ files: [String: String], _ change: (inout Publication.Request) -> Void
    ) throws -> [PublishingFixture]? {
        var stopped = self
        stopped.disk.stop(atCall: call)
        do { try stopped.publish(files, change) } catch is PublishError {}
        guard stopped.disk.isStopped else { return nil }
        var ends = stopped.disk.powerCutPlan().outcomes.map { outcome in
            var end = stopped
            end.disk.powerCut(keeping: outcome)
            return end
        }
        stopped.disk.processEnded()
        ends.append(stopped)
        return ends
    }

    /// The bytes of the manifest.
    var offeredBytes: [UInt8]? { bytes(PublishedFolder.manifest) }

    func table(_ name: String) -> VersionTable? {
        guard let bytes = bytes(PublishedFolder.root / name) else { return nil }
        do { return try ManifestReader(dialect: .own).read(bytes) } catch { return nil }
    }

    func bytes(_ path: DiskPath) -> [UInt8]? {
        var disk = disk
        do {
            let file = try disk.open(path, .read)
            return try disk.read(file, at: 0, count: 1 << 20)
        } catch {
            return nil
        }
    }

    /// Names in the folder that is served, with `files/`.
    var names: [String] { disk.files(under: PublishedFolder.root).map(\.text) }

    /// Whether an app can take all that is offered: the manifest, and each file with its bytes.
    func isWhole(_ table: VersionTable) -> Bool {
        table.assets.allSatisfy { asset in
            guard let bytes = bytes(DiskPath(.data, asset.url)) else { return false }
            return asset.hash == .sha256(SHA256.hash(of: bytes))
        }
    }
}
