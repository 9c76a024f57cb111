import Core
import Foundation
import Testing

@testable import Updater

@Suite("U8 against U3: a manifest that was damaged on its way and still reads")
struct AcceptanceTests {
    /// The manifest with some text of it changed.
    private func damaged(_ version: Version, _ text: String, _ other: String) -> [UInt8] {
        Array(
            String(decoding: version.manifest, as: UTF8.self).replacingOccurrences(of: text, with: other).utf8
        )
    }

    private func hash(_ version: Version, _ route: String) -> String {
        version.files.first { $0.route == route }.map { SHA256.hash(of: $0.bytes).hex } ?? ""
    }

    private func device(offering version: Version, damaged manifest: [UInt8]) throws -> Harness {
        var device = try Harness.started()
        device.offered = version
        device.answers = [("manifest.json", 200, manifest)]
        device.check()
        device.answers = []
        return device
    }

    @Test("A damaged hash holds the true manifest of the same number back only until it is asked for again")
    func damagedHash() throws {
        let v2 = Version("v2", serial: 2)
        let wrong = String(repeating: "ab", count: 32)
        var device = try device(offering: v2, damaged: damaged(v2, hash(v2, "/app.js"), wrong))
        #expect(device.status.pending == nil)
        #expect(device.causes(.contentMismatch) == 1)
        device.wait(.seconds(5))
        #expect(device.status.pending?.id == "v2")
        #expect(device.causes(.olderThanAccepted) == 0)
    }

    @Test("The same after the process died in the download")
    func damagedHashAndKill() throws {
        let v2 = Version("v2", serial: 2)
        let wrong = String(repeating: "ab", count: 32)
        var device = try device(offering: v2, damaged: damaged(v2, hash(v2, "/app.js"), wrong))
        device.kill()
        try device.launch()
        device.check()
        #expect(device.status.pending?.id == "v2")
    }

    @Test("A damaged hash under a damaged, higher number does not outlive the file that contradicts it")
    func damagedHashAndNumber() throws {
        let v2 = Version("v2", serial: 2)
        var lie = Version("v2", serial: 900)
        lie.files[1].bytes[0] ^= 1
        var device = try device(offering: v2, damaged: lie.manifest)
        device.wait(.seconds(5))
        #expect(device.status.pending?.id == "v2")
        device.offered = Version("v3", serial: 3)
        device.check()
        #expect(device.status.pending?.id == "v3")
    }

    @Test("A damaged number on an otherwise whole manifest is corrected by the next answer")
    func damagedNumber() throws {
        let v2 = Version("v2", serial: 2)
        var device = try device(offering: v2, damaged: damaged(v2, "\"serial\": 2", "\"serial\": 900"))
        #expect(device.status.pending?.id == "v2")
        device.check()
        #expect(device.causes(.numberCorrected) == 1)
        device.offered = Version("v3", serial: 3)
        device.check()
        #expect(device.status.pending?.id == "v3")
    }

    @Test("A damaged id is left for the true one when a second check a minute later offers it too")
    func damagedID() throws {
        let v2 = Version("v2", serial: 2)
        var device = try device(offering: v2, damaged: damaged(v2, "\"v2\"", "\"w2\""))
        #expect(device.status.pending?.id == "w2")
        device.check()
        #expect(device.status.pending?.id == "w2")
        #expect(device.causes(.contradictsAccepted) == 1)
        device.wait(.seconds(70))
        #expect(device.status.pending?.id == "v2")
    }

    @Test("What two answers have said alike is contradicted by nothing under its number")
    func settled() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.check()
        device.offered = Version("x2", serial: 2)
        device.check()
        device.wait(.minutes(3))
        device.check()
        #expect(device.status.pending?.id == "v2")
        #expect(device.causes(.olderThanAccepted) == 2)
    }

    @Test("An accepted number that is not settled still keeps a stale edge's older version away")
    func staleEdge() throws {
        var device = try Harness.started()
        device.offered = Version("v3", serial: 3)
        device.check()
        for _ in 0..<3 {
            device.offered = Version("v2", serial: 2)
            device.check()
            device.wait(.minutes(2))
        }
        device.offered = Version("v1", serial: 1)
        device.check()
        #expect(device.status.pending?.id == "v3")
        #expect(device.causes(.olderThanAccepted) == 4)
    }

    @Test("What is not settled, and what it would fall back to, is known to the next process")
    func acrossProcesses() throws {
        let v2 = Version("v2", serial: 2)
        var device = try device(offering: v2, damaged: damaged(v2, "\"serial\": 2", "\"serial\": 900"))
        device.kill()
        try device.start()
        #expect(device.updater.record.settled?.order == .serial(1))
        #expect(device.updater.record.newestAccepted == .serial(900))
        device.check()
        #expect(device.updater.record.newestAccepted == .serial(2))
    }

    @Test(
        "What the record keeps of publications and of switches that pages asked for is read as it was written"
    )
    func coding() {
        let key = VersionKey(id: "v2", digest: SHA256.hash(of: [2]))
        var record = Record()
        record.newestAccepted = .serial(9)
        record.accepted = key
        record.switches = [
            RequestedSwitch(key: key, at: OriginTime(seconds: 5)), RequestedSwitch(key: key, at: nil),
        ]
        for order in [PublicationOrder.none, .serial(3), .date(OriginTime(seconds: 7))] {
            record.settled = Acceptance(order: order, key: key, recalled: ["v0"])
            #expect(RecordCoding.decode(RecordCoding.encode(record)) == record)
        }
        record.settled = nil
        #expect(RecordCoding.decode(RecordCoding.encode(record)) == record)
    }
}
