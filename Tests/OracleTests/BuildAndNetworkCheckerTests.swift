import AppHost
import Backend
import Core
import Testing
import Updater

@testable import Oracle

@Suite("U10, N1: what was not made for the installed build, seen to be noticed")
struct FitsTheBuildTests {
    private static func stage(
        _ dialect: ManifestDialect = .own, native: [String: String?],
        _ change: (inout AppSetup) -> Void = { _ in }
    ) -> Stage {
        var app = Stage.app
        app.dialect = dialect
        change(&app)
        var versions = Stage.versions
        for index in versions.indices { versions[index].native = native[versions[index].name] ?? nil }
        var stage = Stage([FitsTheBuild()], app: app, versions: versions)
        stage.launch()
        stage.answer("v2")
        return stage
    }

    @Test("Own dialect: a file of a version for another build is requested, it becomes pending, or is shown")
    func own() {
        for version in [Stage.v2, Stage.v3] {
            var stages = [Stage](repeating: Self.stage(native: ["v2": "B"]), count: 3)
            stages[0].emit(Stage.sent(9, .file("/app.js"), version: version))
            stages[1].becomePending(version)
            stages[2].open(version, Stage.token(1))
            // Nothing was heard of v3, and it names no range.
            let expected = version == Stage.v2 ? ["U10"] : []
            #expect(stages.map(\.broken) == [expected, expected, expected])
        }
        var fitting = Self.stage(native: ["v2": "A"])
        fitting.emit(Stage.sent(9, .file("/app.js"), version: Stage.v2))
        fitting.open(Stage.v2, Stage.token(1))
        #expect(fitting.broken == [])
    }

    @Test("A download for the build before is not shown after a store update")
    func storeUpdate() {
        var stage = Self.stage(native: ["v2": "A"])
        stage.open(Stage.v2, Stage.token(1))
        #expect(stage.broken == [])
        stage.emit(.processEnded(.user), .installed(build: "1.1"))
        stage.launch()
        stage.open(Stage.v2, Stage.token(2))
        #expect(stage.broken == ["U10"])
        #expect(stage.headline == "v2 is shown, and was not made for the installed build")
    }

    @Test("Meteor: the build's own compatibility version counts, else that of its package")
    func meteor() {
        var foreign = Self.stage(.meteor, native: ["v2": "B"])
        foreign.becomePending(Stage.v2)
        #expect(foreign.broken == ["U10"])
        var unnamed = Self.stage(.meteor, native: [:])
        unnamed.becomePending(Stage.v2)
        #expect(unnamed.broken == [])
        var packaged = Self.stage(.meteor, native: ["v2": "B"]) { $0.builds[0].native = nil }
        packaged.becomePending(Stage.v2)
        #expect(packaged.broken == ["U10"])
        var nothing = Self.stage(.meteor, native: ["v2": "B"]) {
            ($0.builds[0].native, $0.builds[0].embeds) = (nil, nil)
        }
        nothing.becomePending(Stage.v2)
        #expect(nothing.broken == [])
    }

    @Test("What no intact answer has offered, the package's version, and a dialect without ranges")
    func silent() {
        var unknown = Self.stage(native: ["v3": "B"])
        unknown.becomePending(Stage.v3)
        #expect(unknown.broken == [])
        var embedded = Self.stage(native: ["v1": "B"])
        embedded.answer("v1")
        embedded.open(Stage.v1, Stage.token(1))
        #expect(embedded.broken == [])
        var frontend = Self.stage(.frontend, native: ["v2": "B"])
        frontend.becomePending(Stage.v2)
        #expect(frontend.broken == [])
    }
}

@Suite("U15: downloads on a network that the app does not allow, seen to be noticed")
struct AllowedNetworksTests {
    private static func stage(_ change: (inout AppSetup) -> Void = { $0.settings.usesMeteredNetwork = false })
        -> Stage
    {
        Stage.running(AllowedNetworks(), change)
    }

    @Test("A file is requested on a metered network, and one that was under way is not cancelled")
    func metered() {
        var requested = Self.stage()
        requested.emit(.networkChanged(.metered))
        requested.wait(.seconds(2))
        requested.emit(Stage.sent(1, .manifest))
        #expect(requested.broken == [])
        requested.emit(Stage.sent(2, .file("/app.js"), version: Stage.v2))
        #expect(requested.broken == ["U15"])
        var underWay = Self.stage()
        underWay.emit(Stage.sent(2, .file("/app.js"), version: Stage.v2), .networkChanged(.metered))
        underWay.wait(.seconds(1))
        #expect(underWay.broken == [])
        underWay.wait(.milliseconds(1))
        #expect(underWay.broken == ["U15"])
    }

    @Test("A file over a metered network is no larger than the app allows")
    func size() {
        for (bytes, isCancelled, broken) in [
            (300_000, false, ["U15"]), (300_000, true, ["U15"]), (150_000, false, [String]()),
        ] {
            var stage = Self.stage { $0.settings.meteredBytes = 100_000 }
            stage.emit(.networkChanged(.metered))
            stage.wait(.seconds(2))
            stage.emit(Stage.sent(1, .manifest), Stage.ended(1, bytes: 900_000))
            stage.emit(Stage.sent(2, .file("/app.js"), version: Stage.v2))
            if isCancelled {
                stage.emit(.transferCancelled(TransferID(2), bytes: bytes))
            } else {
                stage.emit(Stage.ended(2, bytes: bytes))
            }
            #expect(stage.broken == broken, "\(bytes)")
        }
    }

    @Test("Not where the settings allow it, whole or up to a size, and not after the network is back")
    func allowed() {
        for change: (inout AppSetup) -> Void in [
            { $0.settings.usesMeteredNetwork = true },
            {
                $0.settings.usesMeteredNetwork = true
                $0.settings.meteredBytes = 10
            },
        ] {
            var stage = Self.stage(change)
            stage.emit(.networkChanged(.metered), Stage.sent(2, .file("/app.js"), version: Stage.v2))
            stage.wait(.seconds(9))
            #expect(stage.broken == [])
        }
        var back = Self.stage()
        back.emit(.networkChanged(.metered), .networkChanged(.online))
        back.emit(Stage.sent(2, .file("/app.js"), version: Stage.v2))
        back.wait(.seconds(9))
        #expect(back.broken == [])
    }
}

@Suite("U11: a download that begins without room for it, seen to be noticed")
struct RoomForDownloadsTests {
    private static let full = TraceEvent.Kind.faultBegan("full", failsDisk: true, freeSpace: 30_000_000)

    private static func request(_ stage: inout Stage) -> [String] {
        stage.wait(.seconds(1))
        stage.emit(Stage.sent(2, .file("/app.js"), version: Stage.v2))
        return stage.broken
    }

    @Test("A file is requested of a download that began on a full disk")
    func began() {
        var stage = Stage.running(RoomForDownloads())
        stage.emit(Self.full)
        stage.wait(.seconds(1))
        stage.emit(Stage.sent(1, .manifest))
        stage.log(.downloadStarted, Stage.v2)
        #expect(Self.request(&stage) == ["U11"])
    }

    @Test("Not of one that began before, where there is room, or after the disk has room again")
    func allowed() {
        var before = Stage.running(RoomForDownloads())
        before.log(.downloadStarted, Stage.v2)
        before.wait(.seconds(1))
        before.emit(Self.full)
        #expect(Self.request(&before) == [])
        for space in [60_000_000, nil] {
            var stage = Stage.running(RoomForDownloads())
            stage.emit(.faultBegan("room", failsDisk: true, freeSpace: space))
            stage.wait(.seconds(1))
            stage.log(.downloadStarted, Stage.v2)
            #expect(Self.request(&stage) == [])
        }
        var healed = Stage.running(RoomForDownloads())
        healed.emit(Self.full)
        healed.wait(.seconds(1))
        healed.log(.downloadStarted, Stage.v2)
        healed.emit(.faultHealed("full"))
        #expect(Self.request(&healed) == [])
    }

    @Test("Not while other calls of the disk fail, too: the question for its room may be one")
    func otherFault() {
        var stage = Stage.running(RoomForDownloads())
        stage.emit(Self.full, .faultBegan("error", failsDisk: true))
        stage.wait(.seconds(1))
        stage.log(.downloadStarted, Stage.v2)
        #expect(Self.request(&stage) == [])
    }
}
