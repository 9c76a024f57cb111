import Backend
import AppHost
import Core
import ScenarioLanguage
import TestSupport
import Testing
import Updater
import World

@testable import Oracle
@testable import Runner

@Suite("The invariants fire in a real world with one part broken, and not in a sound one")
struct SabotageTests {
    @Test("A sound world breaks no rule")
    func sound() throws {
        #expect(try SmallScenario.run(SmallScenario.text(SmallScenario.plain)) == [])
    }

    @Test("R2, U1: a disk that drops every sync")
    func lyingDisk() throws {
        let failures = try SmallScenario.run(
            SmallScenario.text(SmallScenario.plain), begin: [.fault(FaultSpec(.lyingSync))])
        let rules = SmallScenario.rules(failures)
        #expect(rules.contains("U1"))
        #expect(rules.contains("R2"))
    }

    @Test("S1, S2: a stored script that is another version's, put there behind the app's back")
    func exchangedBlob() throws {
        let failures = try SmallScenario.runTampering(SmallScenario.text(SmallScenario.plain)) {
            world, done in
            guard done == 0, world.view().status?.pending != nil else { return }
            done = 1
            exchange(&world, "/app.js", of: "v2", with: "v1")
        }
        let rules = SmallScenario.rules(failures)
        #expect(rules.contains("S1"))
        #expect(rules.contains("S2"))
    }

    @Test("R1, R7: content of a kept version disappears")
    func eatenBlob() throws {
        let failures = try SmallScenario.runTampering(SmallScenario.text(SmallScenario.plain)) {
            world, done in
            guard done == 0, world.view().status?.pending != nil, let path = blob("/app.js", of: "v2", world)
            else { return }
            done = 1
            world.changeDisk { disk in ignore { () throws(DiskError) in try disk.loseName(path) } }
        }
        let rules = SmallScenario.rules(failures)
        #expect(rules.contains("R1"))
        #expect(rules.contains("R7"))
    }

    @Test("R8: both generations of the record are overwritten")
    func brokenRecord() throws {
        let failures = try SmallScenario.runTampering(SmallScenario.text(SmallScenario.plain)) {
            world, done in
            guard done == 0, world.view().status?.pending != nil else { return }
            done = 1
            for path in [StorePaths.recordA, StorePaths.recordB] { put(&world, path, [1, 2, 3]) }
        }
        #expect(SmallScenario.rules(failures).contains("R8"))
    }

    @Test("R4: a platform that calls every kill a crash")
    func lyingPlatform() throws {
        let story = SmallScenario.text(
            """
            { launch: true }, { deploy: "v2" }, { check: true },
            { expect: { pending: "v2" }, within: "10s" },
            { relaunch: true }, { wait: "1s" }, { kill: "low memory" },
            { launch: true }, { wait: "5s" },
            """, v2: #", startup: "hangs""#)
        let failures = try SmallScenario.run(
            story,
            changeWorld: {
                $0.devices[0].exits = [ExitReport(.lowMemory, .crash), ExitReport(.user, .crash)]
            })
        #expect(SmallScenario.rules(failures).contains("R4"))
    }

    @Test("R5: a record from before the blame comes back")
    func forgottenBlame() throws {
        let story = SmallScenario.text(
            """
            { launch: true }, { deploy: "v2" }, { check: true },
            { expect: { pending: "v2" }, within: "10s" },
            { relaunch: true }, { wait: "5s" }, { relaunch: true }, { wait: "5s" },
            { relaunch: true }, { wait: "5s" },
            { expect: { blacklist: ["v2"] } },
            { network: "offline" }, { kill: "user" }, { launch: true }, { wait: "5s" },
            """, v2: #", startup: { throws: "after 1s" }"#)
        let failures = try SmallScenario.runTampering(story) { world, done in
            let isBlamed = world.view().status?.blacklist.isEmpty == false
            guard done == 0, isBlamed, world.view().process == nil else { return }
            done = 1
            forgetBlame(&world)
        }
        #expect(SmallScenario.rules(failures).contains("R5"))
    }

    @Test("R6: confirmations that no page sent")
    func noSignal() throws {
        let failures = try SmallScenario.run(
            SmallScenario.text(SmallScenario.plain),
            shown: { if case .called = $0.kind { [] } else { [$0.kind] } })
        #expect(SmallScenario.rules(failures).contains("R6"))
    }

    @Test("S4: a server on a port that is not the build's")
    func otherPort() throws {
        let failures = try SmallScenario.run(
            SmallScenario.text(SmallScenario.plain), changeWorld: { $0.app.port = 12_999 })
        #expect(SmallScenario.rules(failures).contains("S4"))
    }

    @Test("T1: log entries that get lost")
    func lostEntries() throws {
        let failures = try SmallScenario.run(
            SmallScenario.text(SmallScenario.plain),
            shown: { if case .log = $0.kind { [] } else { [$0.kind] } })
        #expect(SmallScenario.rules(failures).contains("T1"))
    }

    @Test("T4: nothing is in front of the user for a moment")
    func white() throws {
        let failures = try SmallScenario.run(
            SmallScenario.text(SmallScenario.plain),
            shown: { event in
                if case .contentShown = event.kind {
                    return [.whiteBegan, .whiteEnded(.milliseconds(16)), event.kind]
                }
                return [event.kind]
            })
        #expect(SmallScenario.rules(failures).contains("T4"))
    }

    @Test("U2, U4: every request is sent twice")
    func twice() throws {
        let failures = try SmallScenario.run(
            SmallScenario.text(SmallScenario.plain),
            shown: { event in
                guard case .requestSent(var request) = event.kind else { return [event.kind] }
                request.transfer = TransferID(request.transfer.rawValue + 1_000)
                return [event.kind, .requestSent(request)]
            })
        let rules = SmallScenario.rules(failures)
        #expect(rules.contains("U2"))
        #expect(rules.contains("U4"))
    }

    @Test("U5: an app that fetches twelve files at once")
    func tooManyAtOnce() throws {
        let files = (1...12).map { "\"f\($0).png\": \"20 KB\"" }.joined(separator: ", ")
        let failures = try SmallScenario.run(
            SmallScenario.text(SmallScenario.plain, v2: ", files: { \(files) }"),
            changeWorld: { $0.app.settings.parallelTransfers = 12 })
        #expect(SmallScenario.rules(failures).contains("U5"))
    }

    @Test("U8: an origin whose second publication has the lower number")
    func lowerNumber() throws {
        let failures = try SmallScenario.run(
            SmallScenario.text(
                SmallScenario.plain + #"{ deploy: "v3" }, { check: true }, { wait: "30s" },"#),
            shown: { event in
                guard case .answerHead(let id, let status, let offered, var note) = event.kind,
                    offered == "v3"
                else { return [event.kind] }
                note.serial = 1
                return [.answerHead(id, status: status, offered: offered, note)]
            })
        #expect(SmallScenario.rules(failures).contains("U8"))
    }

    @Test("Liveness: a device that never comes to confirm the version that every edge offers")
    func neverConfirms() throws {
        let story = SmallScenario.text(#"{ launch: true }, { deploy: "v2" }, { wait: "1s" },"#)
        let failures = try SmallScenario.run(
            story,
            shown: { event in
                if case .log(let entry) = event.kind, entry.cause == .startConfirmed { return [] }
                return [event.kind]
            })
        let failure = failures.first { $0.kind == .liveness }
        #expect(failure?.headline == "The device did not come to run and confirm v2")
        #expect(failure?.lists.expected == ["running v2, confirmed, within 8 rounds of use"])
    }

    @Test("Liveness requires nothing if the origin is unreachable on purpose")
    func goneOnPurpose() throws {
        let story = SmallScenario.text(
            #"{ launch: true }, { deploy: "v2", parts: "manifest" }, { wait: "1s" },"#,
            head: #"liveness: "none", because: "the files never come","#)
        #expect(try SmallScenario.run(story) == [])
    }
}

// MARK: - Hands that reach into a disk

private func ignore(_ body: () throws(DiskError) -> Void) {
    do throws(DiskError) { try body() } catch { Issue.record("the disk refused: \(error)") }
}

private func content(_ route: String, of version: String, _ world: World) -> [UInt8]? {
    world.library.versions.first { $0.name == version }?.file(route).map { world.library.bytes(of: $0) }
}

private func blob(_ route: String, of version: String, _ world: World) -> DiskPath? {
    content(route, of: version, world).map { StorePaths.blob(SHA256.hash(of: $0)) }
}

private func put(_ world: inout World, _ path: DiskPath, _ bytes: [UInt8]) {
    world.changeDisk { disk in ignore { () throws(DiskError) in try disk.place(path, bytes) } }
}

private func exchange(_ world: inout World, _ route: String, of version: String, with other: String) {
    guard let path = blob(route, of: version, world), let bytes = content(route, of: other, world) else {
        return
    }
    put(&world, path, bytes)
}

/// Writes both generations of the record anew, without the blacklist.
private func forgetBlame(_ world: inout World) {
    for path in [StorePaths.recordA, StorePaths.recordB] {
        guard let bytes = world.disk().content(of: path)?.bytes,
            let file = HeadedFile(bytes, format: RecordImage.format, numbers: 2)
        else { continue }
        let text = String(decoding: file.body, as: UTF8.self)
        guard let (before, after) = text.components(around: "\"blacklist\"") else { continue }
        let body = Array((before + "\"forgotten\"" + after).utf8)
        let head = "\(RecordImage.format) \(file.numbers[0]) \(body.count) "
        let sum = SHA256.hash(of: Array(head.utf8) + body).hex
        put(&world, path, Array((head + sum + "\n").utf8) + body)
    }
}
