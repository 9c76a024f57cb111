import Backend
import Core
import HTTP1
import ScenarioLanguage
import Testing
import Updater

@testable import World

@Suite("The origin")
struct OriginTests {
    private let root = "https://updates.example.com"

    private struct Stage {
        var origin: Origin
        let library: VersionLibrary

        init(_ dialect: ManifestDialect = .own, _ change: (inout WorldSetup) -> Void = { _ in }) throws {
            var setup = Shop.setup(dialect: dialect)
            if dialect == .meteor {
                for index in setup.versions.indices { setup.versions[index].files.removeFirst() }
            }
            setup.origin.edges = ["a", "b"]
            setup.origin.route = "a"
            change(&setup)
            library = try VersionLibrary(setup)
            origin = Origin(setup, library)
        }

        mutating func deploy(
            _ version: Int, edges: [Int] = [0, 1], parts: DeployParts = .all, keeps: Bool = false
        ) {
            _ = origin.deploy(
                version, edges: edges, parts: parts, command: .update, keepsOldFiles: keeps,
                now: OriginTime(seconds: 1_795_000_100), library)
        }

        func ask(
            _ path: String, edge: Int = 0, _ fields: HeaderFields = [:], isStale: Bool = false
        ) -> OriginAnswer {
            let offer = isStale ? origin.edges[edge].previous : origin.edges[edge].offer
            let answers = OriginResponder(
                library: library, offer: offer, now: OriginTime(seconds: 1_795_000_200))
            return answers.answer(
                OriginRequest(kind: .manifest, url: "https://updates.example.com" + path, fields: fields))
        }

        func bytes(_ version: Int, _ route: String) throws -> [UInt8] {
            library.bytes(of: try #require(library.versions[version].file(route)))
        }
    }

    @Test(
        "A publication for some devices is offered to them alone, with its own serial, until a newer for all"
    )
    func targeting() throws {
        var stage = try Stage()
        func offered(_ stage: Stage, _ fields: HeaderFields = [:]) throws -> (String?, Int?) {
            let request = OriginRequest(
                kind: .manifest, url: root + "/ota/manifest.json", fields: fields)
            let edge = stage.origin.edges[0]
            var answers = OriginResponder(
                library: stage.library, offer: edge.offer(answering: request),
                now: OriginTime(seconds: 1_795_000_200))
            answers.isTargeting = !edge.targeted.isEmpty
            let answer = answers.answer(request)
            #expect((answer.field("Vary") != nil) == answers.isTargeting)
            let order = try ManifestReader(dialect: .own).read(answer.body.bytes).metadata.order
            guard case .serial(let serial) = order else { return (answer.offered, nil) }
            return (answer.offered, serial.bounded(by: 0...Int.max))
        }
        let jo: HeaderFields = ["ota-user": "jo"]
        let beta: HeaderFields = ["OTA-Cohort": "beta", "OTA-User": "max"]
        let time = OriginTime(seconds: 1_795_000_100)
        #expect(
            stage.origin.deploy(
                1, for: Audience(user: "jo"), edges: [0], command: .update, now: time, stage.library) == 2)
        #expect(try offered(stage) == ("v1", 1))
        #expect(try offered(stage, jo) == ("v2", 2))
        #expect(try offered(stage, beta) == ("v1", 1))
        _ = stage.origin.deploy(
            2, for: Audience(cohort: "beta"), edges: [0], command: .update, now: time, stage.library)
        #expect(try offered(stage, beta) == ("v3", 3))
        #expect(try offered(stage, ["ota-user": "jo", "OTA-Cohort": "beta"]) == ("v3", 3))
        #expect(try offered(stage, jo) == ("v2", 2))
        stage.deploy(0)
        for fields in [[:], jo, beta] { #expect(try offered(stage, fields) == ("v1", 4)) }
    }

    @Test("Its files lie under their hashes, for every client; under their routes are those for all")
    func targetedFiles() throws {
        var stage = try Stage()
        _ = stage.origin.deploy(
            1, for: Audience(user: "jo"), edges: [0], command: .update, now: OriginTime(seconds: 1),
            stage.library)
        let file = try #require(stage.library.versions[1].file("/app.js"))
        let hash = stage.library.hash(of: file)
        func ask(_ path: String, edge: Int) -> OriginAnswer {
            let request = OriginRequest(kind: .file("/app.js"), url: root + path)
            return OriginResponder(
                library: stage.library, offer: stage.origin.edges[edge].offer(answering: request),
                now: OriginTime(seconds: 1)
            ).answer(request)
        }
        #expect(ask("/ota/content/" + hash, edge: 0).body.bytes == (try stage.bytes(1, "/app.js")))
        #expect(ask("/ota/content/" + hash, edge: 1).status == 404)
        #expect(ask("/app.js", edge: 0).body.bytes == (try stage.bytes(0, "/app.js")))
    }

    @Test("Until the first deploy the embedded version is offered, without one 204")
    func beforeTheFirstDeploy() throws {
        let stage = try Stage()
        #expect(stage.ask("/ota/manifest.json").offered == "v1")
        let bare = try Stage { $0.app.builds[0].embeds = nil }
        #expect(bare.ask("/ota/manifest.json").status == 204)
    }

    @Test("Serials and dates follow the order of the deploys, the embedded version first")
    func order() throws {
        var stage = try Stage()
        func serial(_ stage: Stage) throws -> PublicationOrder {
            try ManifestReader(dialect: .own).read(stage.ask("/ota/manifest.json").body.bytes).metadata.order
        }
        #expect(try serial(stage) == .serial(1))
        stage.deploy(1)
        #expect(try serial(stage) == .serial(2))
        stage.deploy(0)
        #expect(try serial(stage) == .serial(3))
        stage.origin.recall(["v2"], now: OriginTime(seconds: 1_795_000_100), stage.library)
        #expect(try serial(stage) == .serial(4))
        var dated = try Stage(.frontend)
        var last = OriginTime(seconds: 0)
        for version in [1, 2, 1] {
            dated.deploy(version)
            let answer = dated.ask("/ota/manifest.json")
            let metadata = try ManifestReader(dialect: .frontend).read(answer.body.bytes)
                .metadata
            guard case .date(let date) = metadata.order else { return #expect(Bool(false), "no date") }
            #expect(date > last)
            last = date
        }
    }

    @Test("A deploy removes the previous files unless they are kept")
    func previousFiles() throws {
        var stage = try Stage {
            let only = ContentKey(version: "v1", route: "/only1.js", size: 100)
            $0.versions[0].files.append(FileSetup(route: "/only1.js", content: .made(only)))
        }
        #expect(stage.ask("/only1.js").status == 200)
        var kept = stage
        stage.deploy(1)
        #expect(stage.ask("/only1.js").status == 404)
        #expect(stage.ask("/app.js").body.bytes == (try stage.bytes(1, "/app.js")))
        kept.deploy(1, keeps: true)
        #expect(kept.ask("/only1.js").status == 200)
        #expect(kept.ask("/app.js").body.bytes == (try kept.bytes(1, "/app.js")))
    }

    @Test("Files and manifest can be deployed apart, and edges disagree until each has its deploy")
    func parts() throws {
        var stage = try Stage()
        stage.deploy(1, edges: [0], parts: .files)
        #expect(stage.ask("/ota/manifest.json").offered == "v1")
        #expect(stage.ask("/app.js").body.bytes == (try stage.bytes(1, "/app.js")))
        #expect(stage.ask("/app.js", edge: 1).body.bytes == (try stage.bytes(0, "/app.js")))
        stage.deploy(1, edges: [0], parts: .manifest)
        #expect(stage.ask("/ota/manifest.json").offered == "v2")
        #expect(stage.ask("/ota/manifest.json", edge: 1).offered == "v1")
        #expect(stage.ask("/ota/manifest.json", isStale: true).offered == "v1")
    }

    @Test("An entity tag is honoured: 304 for equal content, the whole for other")
    func conditions() throws {
        let stage = try Stage()
        let tag = try #require(stage.ask("/app.js").field("ETag"))
        #expect(stage.ask("/app.js", ["If-None-Match": tag]).status == 304)
        #expect(stage.ask("/app.js", ["if-none-match": "\"other\""]).status == 200)
        let manifest = try #require(stage.ask("/ota/manifest.json").field("ETag"))
        #expect(stage.ask("/ota/manifest.json", ["If-None-Match": manifest]).status == 304)
    }

    @Test(
        "A range gets its part, one beyond the end 416, and If-Range of other content the whole file"
    )
    func ranges() throws {
        let stage = try Stage()
        let whole = stage.ask("/app.js")
        let tag = try #require(whole.field("ETag"))
        let part = stage.ask("/app.js", ["Range": "bytes=59000-", "If-Range": tag])
        #expect(part.status == 206)
        #expect(part.body.bytes == Array(whole.body.bytes[59_000...]))
        #expect(part.field("Content-Range") == "bytes 59000-59999/60000")
        #expect(part.field("Content-Length") == "1000")
        let other = stage.ask(
            "/app.js", ["Range": "bytes=59000-", "If-Range": "\"x\""])
        #expect(other.status == 200)
        #expect(other.body.count == 60_000)
        let beyond = stage.ask("/app.js", ["Range": "bytes=60000-"])
        #expect(beyond.status == 416)
        #expect(beyond.field("Content-Range") == "bytes */60000")
    }

    @Test(
        "Meteor: unknown paths get the index unless meteor_dont_serve_index is set, and one prefix is removed"
    )
    func meteor() throws {
        let stage = try Stage(.meteor)
        let manifest = stage.ask("/__cordova/manifest.json")
        #expect(manifest.field("ETag") == "\"v1\"")
        #expect(manifest.field("Cache-Control") == nil)
        let index = stage.ask("/__cordova/")
        #expect(index.status == 200)
        #expect(index.field("ETag") == nil)
        #expect(
            String(decoding: index.body.bytes, as: UTF8.self).contains(
                "__meteor_runtime_config__ = JSON.parse("))
        #expect(stage.ask("/__cordova/nowhere").body == index.body)
        #expect(stage.ask("/__cordova/nowhere?meteor_dont_serve_index=true").status == 404)
        #expect(stage.ask("/__cordova/favicon.ico").status == 404)
        let script = stage.ask("/__cordova/app.js?meteor_dont_serve_index=true")
        #expect(script.body.bytes == (try stage.bytes(0, "/app.js")))
        #expect(script.field("ETag") == "\"\(SHA1.hash(of: script.body.bytes).hex)\"")
    }
}
