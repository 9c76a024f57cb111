import Backend
import Core
import ScenarioLanguage
import Testing
import Updater

@testable import World

@Suite("Content is generated as it is read")
struct GeneratedContentTests {
    private static let routes = ["/a.js", "/a.css", "/a.json", "/a.txt", "/a.png", "/a.html"]

    @Test("A range has the bytes that the whole content has there", arguments: routes)
    func ranges(route: String) {
        let key = ContentKey(version: "v1", route: route, size: 70_001)
        let content = ContentGenerator.make(key, kind: ContentGenerator.kind(ofRoute: route), head: "")
        let whole = content.bytes
        #expect(whole.count == 70_001)
        for start in [0, 1, 7, 8, 40, 63, 64, 65, 1_000, 65_535, 65_536, 69_990, 70_000, 70_001] {
            for count in [0, 1, 2, 8, 9, 64, 130, 4_096, 70_001] where start + count <= whole.count {
                #expect(content.read(start..<start + count) == Array(whole[start..<start + count]))
            }
        }
        #expect(content.hasBytes(whole) && content == PublishedContent(whole))
        var other = whole
        other[69_000] ^= 1
        #expect(!content.hasBytes(other) && content != PublishedContent(other))
        let file = FileContent(content, blockSize: 4_096)
        #expect(file == FileContent(whole, blockSize: 4_096) && content.isContent(of: file))
        var changed = file
        _ = changed.write([1, 2, 3], at: 10)
        #expect(changed.bytes == whole[..<10] + [1, 2, 3] + whole[13...])
    }

    private func setup(_ size: Int, _ change: (inout WorldSetup) -> Void = { _ in }) -> WorldSetup {
        var setup = Shop.setup()
        let film = ContentKey(version: "v2", route: "/film.mp4", size: size)
        setup.versions[1].files.append(FileSetup(route: "/film.mp4", content: .made(film)))
        change(&setup)
        return setup
    }

    @Test("A version with 3 GB is offered and refused, and none of it is generated")
    func refused() throws {
        let meter = ContentMeter()
        let setup = setup(3_000_000_000)
        let library = try VersionLibrary(setup, meter: meter)
        let before = meter.bytes
        var world = try World(setup, library: library)
        world.start()
        #expect(world.run(.seconds(10)) { $0.isReady("v1") })
        world.perform(.deploy(DeploySpec("v2")))
        world.perform(.check)
        _ = world.run(for: .seconds(30))
        let isRefused = world.count {
            if case .log(let entry) = $0 { entry.cause == .fileTooLarge } else { false }
        }
        #expect(isRefused > 0 && !world.requestedRoutes.contains("/film.mp4"))
        // The small files of the three versions, once.
        #expect(before < 300_000 && meter.bytes == before)
    }

    @Test(
        "An answer generates the requested range; a version that is embedded can't be larger than its app takes"
    )
    func answers() throws {
        let meter = ContentMeter()
        let setup = setup(3_000_000_000)
        let library = try VersionLibrary(setup, meter: meter)
        var origin = Origin(setup, library)
        _ = origin.deploy(
            1, edges: [0], parts: .all, command: .update, keepsOldFiles: false, now: setup.origin.epoch,
            library)
        let responder = OriginResponder(
            library: library, offer: origin.edges[0].offer, now: setup.origin.epoch)
        let before = meter.bytes
        func ask(_ range: String) -> OriginAnswer {
            responder.answer(
                OriginRequest(
                    kind: .file("/film.mp4"), url: setup.origin.root + "/film.mp4",
                    fields: ["Range": range]))
        }
        let last = ask("bytes=2999999000-")
        #expect(last.status == 206 && last.field("Content-Range") == "bytes 2999999000-2999999999/3000000000")
        #expect(last.body.count == 1_000 && meter.bytes == before)
        #expect(last.body.read(0..<1_000) == ask("bytes=2999998999-2999999999").body.read(1..<1_001))
        #expect(meter.bytes == before + 2_000)
        #expect(ask("bytes=0-").body.count == 3_000_000_000)
        #expect(throws: SetupError.self) {
            try VersionLibrary(self.setup(3_000_000_000) { $0.app.builds[0].embeds = "v2" })
        }
    }

    @Test("A download that is cut off has generated the file once for its hash, and what arrived")
    func interrupted() throws {
        let meter = ContentMeter()
        let size = 20_000_000
        let setup = setup(size)
        let library = try VersionLibrary(setup, meter: meter)
        let before = meter.bytes
        #expect(before >= size && before < size + 300_000)
        var world = try World(setup, library: library)
        world.start()
        #expect(world.run(.seconds(10)) { $0.isReady("v1") })
        world.perform(.deploy(DeploySpec("v2")))
        world.perform(.check)
        _ = world.run(for: .milliseconds(1_500))
        world.perform(.network(.offline))
        _ = world.run(for: .seconds(5))
        var arrived = 0
        for event in world.trace {
            if case .transferFailed(_, _, let bytes) = event.kind { arrived += bytes }
        }
        #expect(arrived > 0 && arrived < size / 10)
        #expect(meter.bytes == before + arrived)
    }

    @Test("The hash of a file is that of its bytes, up to the size that an updater takes")
    func hashes() throws {
        let library = try VersionLibrary(setup(2_000_000))
        for version in library.versions {
            for file in version.files {
                #expect(library.hash(of: file) == SHA256.hash(of: library.bytes(of: file)).hex)
                #expect(library.published(file).sha256?.hex == library.hash(of: file))
            }
        }
        let large = try VersionLibrary(setup(UpdaterLimits().fileBytes + 1))
        let film = try #require(large.versions[1].file("/film.mp4"))
        #expect(large.published(film).sha256 == nil && large.hash(of: film).count == 64)
    }
}
