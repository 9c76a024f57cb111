import Core
import Testing

@testable import Updater

@Suite("U8: which publication counts, and what its orders do")
struct PublicationTests {
    private func table(_ id: String, _ order: PublicationOrder, _ command: ManifestCommand = .update)
        throws -> VersionTable
    {
        var table = try ManifestReader(dialect: .own).read(Version(id, serial: 1).manifest)
        table.metadata.order = order
        table.metadata.command = command
        return table
    }

    private func key(_ id: String) throws -> VersionKey { try table(id, .none).key }

    private func stored(_ id: String) throws -> StoredVersion {
        StoredVersion(
            table: try table(id, .none), storedAssets: [], verification: .everyByte, packageRoot: nil)
    }

    /// v2 is accepted under 20, v1 was settled under 10.
    private func updater() throws -> Updater {
        var updater = Updater()
        updater.record.newestAccepted = .serial(20)
        updater.record.accepted = try key("v2")
        updater.record.settled = AcceptedPublication(
            order: .serial(10), key: try key("v1"), recalled: ["x"])
        updater.record.embedded = try key("v0")
        updater.record.current = try key("v0")
        return updater
    }

    private typealias Comparison = Updater.PublicationComparison

    @Test("A publication that is settled, or whose version is complete, is compared by its number")
    func comparison() throws {
        var complete = try updater()
        complete.versions.addRead(try stored("v2"))
        var settled = try updater()
        settled.record.settled = nil
        for (id, order, unsettled, whenSettled) in [
            ("v2", .none, .unordered, .unordered), ("v2", .serial(20), .same, .same),
            ("v3", .serial(20), .contradicts, .older), ("v2", .serial(21), .newer, .newer),
            ("v3", .serial(21), .newer, .newer), ("v3", .serial(19), .older, .older),
            ("v2", .serial(19), .correctsOrder, .older), ("v2", .serial(11), .correctsOrder, .older),
            ("v2", .serial(10), .older, .older), ("v2", .serial(9), .older, .older),
            ("v1", .serial(10), .older, .older), ("v3", .date(OriginTime(seconds: 1)), .newer, .newer),
        ] as [(String, PublicationOrder, Comparison, Comparison)] {
            #expect(complete.comparison(of: try table(id, order)) == unsettled, "\(id) \(order)")
            #expect(settled.comparison(of: try table(id, order)) == whenSettled, "\(id) \(order)")
        }
        var unnamed = settled
        unnamed.record.accepted = nil
        #expect(unnamed.comparison(of: try table("v3", .serial(20))) == .same)
    }

    @Test("One that is in doubt is not compared, but the settled one is")
    func doubt() throws {
        let updater = try updater()
        #expect(updater.isAcceptanceInDoubt)
        for (id, order, expected) in [
            ("v1", .serial(10), .same), ("v2", .serial(10), .older), ("v2", .serial(9), .older),
            ("v3", .serial(11), .newer), ("v2", .serial(20), .newer),
        ] as [(String, PublicationOrder, Comparison)] {
            #expect(updater.comparison(of: try table(id, order)) == expected, "\(id) \(order)")
        }
    }

    @Test("It is in doubt while nothing of it is here and nothing was decided against it")
    func reasons() throws {
        let v2 = try key("v2")
        let entry = BlacklistEntry(
            key: v2, native: "", line: OriginLine(root: "", channel: ""), cause: .startFailedByPage,
            evidence: "", count: 1)
        let version = try stored("v2")
        let changes: [(reason: String, change: (inout Updater) -> Void)] = [
            ("settled", { $0.record.settled = nil }), ("nothing accepted", { $0.record.accepted = nil }),
            ("complete", { $0.versions.addRead(version) }),
            ("accepted in this process", { $0.checks.hasAccepted = true }),
            ("left", { $0.record.recordLeft(v2) }), ("recalled", { $0.record.recalled = ["v2"] }),
            ("blacklisted", { $0.record.blacklist = [entry] }),
        ]
        for (reason, change) in changes {
            var updater = try updater()
            change(&updater)
            #expect(!updater.isAcceptanceInDoubt, "\(reason)")
            updater.record.download = v2
            let hasDownload = !["settled", "nothing accepted", "complete"].contains(reason)
            #expect(updater.isAcceptanceInDoubt == hasDownload, "\(reason), and it is on its way")
        }
        var other = try updater()
        other.checks.hasAccepted = true
        other.record.download = try key("v3")
        #expect(!other.isAcceptanceInDoubt)
    }

    @Test(
        "The settled publication comes back with its recalls; the accepted one is settled by a second answer")
    func settling() throws {
        var back = try updater()
        back.record.recalled = ["y"]
        back.settleAcceptance(try table("v1", .serial(10)))
        #expect(back.record.newestAccepted == .serial(10) && back.record.accepted?.id == "v1")
        #expect(back.record.recalled == ["x"] && back.record.settled == nil)
        var second = try updater()
        second.record.recalled = ["y"]
        second.settleAcceptance(try table("v2", .serial(20)))
        #expect(second.record.settled == nil && second.record.recalled == ["y"])
        for (id, serial) in [("v3", 20), ("v2", 21), ("v1", 11), ("v2", 10)] as [(String, UntrustedInteger)] {
            var other = try updater()
            let before = other.record
            other.settleAcceptance(try table(id, .serial(serial)))
            #expect(other.record == before, "\(id) \(serial)")
        }
    }

    @Test("What is accepted is settled once its version is complete or leaves the device as such")
    func completion() throws {
        for (id, isRead, isNamed, isSettled) in [
            ("v2", true, false, true), ("v2", false, true, true), ("v2", false, false, false),
            ("v3", true, true, false),
        ] {
            var updater = try updater()
            if isRead { updater.versions.addRead(try stored(id)) }
            if isNamed { updater.record.versions = [VersionEntry(key: try key(id))] }
            updater.settleIfComplete(try key(id))
            #expect((updater.record.settled == nil) == isSettled, "\(id)")
        }
    }

    @Test("A newer publication leaves the one to fall back to, unless the one before it is complete")
    func fallback() throws {
        var incomplete = try updater()
        incomplete.acceptPublication(try table("v3", .serial(30)))
        #expect(incomplete.record.settled?.order == .serial(10) && incomplete.checks.hasAccepted)
        #expect(incomplete.record.newestAccepted == .serial(30) && incomplete.record.accepted?.id == "v3")
        var complete = try updater()
        complete.record.recalled = ["y"]
        complete.versions.addRead(try stored("v2"))
        complete.acceptPublication(try table("v3", .serial(30)))
        let expected = AcceptedPublication(order: .serial(20), key: try key("v2"), recalled: ["y"])
        #expect(complete.record.settled == expected)
        var settled = try updater()
        settled.record.settled = nil
        settled.acceptPublication(try table("v3", .serial(30)))
        #expect(settled.record.settled?.order == .serial(20))
    }

    @Test("Without an order the number stays, and what was offered before has been left unless it is in use")
    func unordered() throws {
        for (previous, isLeft) in [("v2", true), ("v0", false), ("v4", false), ("v3", false)] {
            var updater = try updater()
            updater.record.newestAccepted = .none
            updater.record.accepted = try key(previous)
            updater.record.pending = try key("v4")
            updater.acceptPublication(try table("v3", .none))
            #expect(updater.record.leftVersions.map(\.id) == (isLeft ? [previous] : []), "\(previous)")
            #expect(updater.record.accepted?.id == "v3" && updater.record.settled?.order == .serial(10))
        }
        var ordered = try updater()
        ordered.acceptPublication(try table("v3", .none))
        #expect(ordered.record.accepted?.id == "v2" && ordered.record.newestAccepted == .serial(20))
        var first = Updater()
        first.acceptPublication(try table("v3", .none))
        #expect(first.record.leftVersions.isEmpty && first.record.accepted?.id == "v3")
    }

    @Test("U6, U8: each order leaves its entry, and a forced version is announced unless it runs")
    func orders() throws {
        for (id, command, causes, isForced, isAnnounced, isLeft) in [
            ("v3", .update, [], false, false, false), ("v3", .force, [.forced], true, true, false),
            ("v0", .force, [.forced], true, false, false),
            ("v3", .rollBack, [.rolledBackByOrder], false, false, false),
            ("v3", .embedded, [.embeddedByOrder], false, false, true),
        ] as [(String, ManifestCommand, [LogCause], Bool, Bool, Bool)] {
            var updater = try updater()
            updater.record.forced = try key("v9")
            updater.acceptPublication(try table(id, .serial(30), command))
            #expect(updater.record.log.map(\.cause) == causes, "\(command)")
            #expect(updater.record.forced?.id == (isForced ? id : nil))
            let notices = updater.effects.count { if case .notice(.forced) = $0 { true } else { false } }
            #expect(notices == (isAnnounced ? 1 : 0), "\(command)")
            #expect(updater.record.leftVersions.map(\.id) == (isLeft ? [id] : []))
        }
    }

    @Test("R5: an order unblocks what it names when it is first seen, under this build and line")
    func unblock() throws {
        func entry(_ id: String, native: String = "1") throws -> BlacklistEntry {
            BlacklistEntry(
                key: try key(id), native: native, line: OriginLine(root: "", channel: ""),
                cause: .startFailedByPage, evidence: "", count: 1)
        }
        var updater = try updater()
        updater.record.native = "1"
        updater.record.blacklist = [
            try entry("v5"), try entry("v6"), try entry("v5", native: "2"), try entry("v7"),
        ]
        updater.record.blacklist[3].hasEnded = true
        var offer = try table("v3", .serial(30))
        offer.metadata.unblock = ["v5", "v7"]
        updater.acceptPublication(offer)
        #expect(updater.record.blacklist.map(\.hasEnded) == [true, false, false, true])
        #expect(updater.record.log.map(\.cause) == [.unblocked] && updater.record.log[0].version == "v5")
        #expect(updater.record.unblocked == ["v5", "v7"])
        updater.record.blacklist[0].hasEnded = false
        updater.acceptPublication(offer)
        #expect(!updater.record.blacklist[0].hasEnded, "it was seen before")
        offer.metadata.unblock = []
        updater.acceptPublication(offer)
        offer.metadata.unblock = ["v5"]
        updater.acceptPublication(offer)
        #expect(updater.record.blacklist[0].hasEnded, "it is seen anew")
    }

    @Test("U13: a recall drops what is pending or on its way, and says so of what runs")
    func recalls() throws {
        for (id, causes, isPending, isDownload) in [
            ("v4", [.recalled], false, true), ("v5", [.recalled], true, false), ("v0", [], true, true),
            ("v6", [.recalled], true, true), ("v9", [], true, true),
        ] as [(String, [LogCause], Bool, Bool)] {
            var updater = try updater()
            updater.record.pending = try key("v4")
            updater.record.download = try key("v5")
            updater.record.current = try key("v6")
            updater.record.recalled = [id]
            updater.applyRecall()
            #expect(updater.record.log.map(\.cause) == causes, "\(id)")
            #expect((updater.record.pending != nil) == isPending, "\(id)")
            #expect((updater.record.download != nil) == isDownload, "\(id)")
            let notices = updater.effects.count { if case .notice(.recalled) = $0 { true } else { false } }
            #expect(notices == (id == "v6" ? 1 : 0))
        }
    }

    @Test("Numbers are below each other only within their kind")
    func below() {
        let orders: [PublicationOrder] = [
            .none, .serial(1), .serial(2), .date(OriginTime(seconds: 1)), .date(OriginTime(seconds: 2)),
        ]
        let below = orders.indices.flatMap { left in
            orders.indices.filter { orders[left].isBelow(orders[$0]) }.map { "\(left)\($0)" }
        }
        #expect(below == ["12", "34"])
    }
}
