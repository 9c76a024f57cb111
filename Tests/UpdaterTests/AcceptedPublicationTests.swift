import Core
import Foundation
import Testing

@testable import Updater

@Suite("U8 against U3: a manifest that was damaged in transit and is still valid")
struct AcceptedPublicationTests {
    /// The manifest with some of its text replaced.
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

    @Test("A damaged hash delays the correct manifest of the same number only until the next check")
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

    @Test("The same after the process died during the download")
    func damagedHashAndKill() throws {
        let v2 = Version("v2", serial: 2)
        let wrong = String(repeating: "ab", count: 32)
        var device = try device(offering: v2, damaged: damaged(v2, hash(v2, "/app.js"), wrong))
        device.kill()
        try device.launch()
        device.check()
        #expect(device.status.pending?.id == "v2")
    }

    @Test("A damaged hash under a damaged, higher number counts only until a file contradicts it")
    func damagedHashAndNumber() throws {
        let v2 = Version("v2", serial: 2)
        var altered = Version("v2", serial: 900)
        altered.files[1].bytes[0] ^= 1
        var device = try device(offering: v2, damaged: altered.manifest)
        device.wait(.seconds(5))
        #expect(device.status.pending?.id == "v2")
        device.offered = Version("v3", serial: 3)
        device.check()
        #expect(device.status.pending?.id == "v3")
    }

    @Test("A damaged number in an otherwise correct manifest is corrected by the next response")
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

    @Test("A damaged id is replaced by the correct one if a second check a minute later offers it too")
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

    @Test("Nothing contradicts under its number what two responses have stated")
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

    @Test("An accepted number that is not settled still rejects a stale edge's older version")
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

    @Test("The unsettled publication, and the one to fall back to, are known to the next process")
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
        "The record's publications and requested switches are read back as they were written"
    )
    func coding() {
        let key = VersionKey(id: "v2", digest: SHA256.hash(of: [2]))
        var record = StoreRecord()
        record.newestAccepted = .serial(9)
        record.accepted = key
        record.switches = [
            RequestedSwitch(key: key, at: OriginTime(seconds: 5)), RequestedSwitch(key: key, at: nil),
        ]
        for order in [PublicationOrder.none, .serial(3), .date(OriginTime(seconds: 7))] {
            record.settled = AcceptedPublication(order: order, key: key, recalled: ["v0"])
            #expect(RecordCoding.decode(RecordCoding.encode(record)) == record)
        }
        record.settled = nil
        #expect(RecordCoding.decode(RecordCoding.encode(record)) == record)
    }
}
