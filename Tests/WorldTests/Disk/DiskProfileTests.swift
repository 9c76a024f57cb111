import Backend
import Core
import ScenarioLanguage
import Testing
import World

@Suite("Crash profiles")
struct DiskProfileTests {
    /// New content under a temporary name, put over the old one, nothing synced.
    private func carelessReplacement(_ profile: CrashProfile) throws -> SimulatedDisk {
        var disk = try SimulatedDisk.holding([("b", "old")], profile: profile)
        try disk.make("a", "new")
        try disk.rename(data("a"), to: data("b"))
        return disk
    }

    @Test("strict: a careless replacement can lose both contents, and leave the temporary name")
    func strict() throws {
        let pictures = try carelessReplacement(.strict).pictures
        #expect(pictures.isSuperset(of: ["b=old", "a= b=old", "b=", "b=...", "a=new b=new", "b=new"]))
        #expect(pictures.allSatisfy { $0.contains("b=") })
    }

    @Test("journal: names go in order, lengths have their data, a replacement waits for the data")
    func journal() throws {
        #expect(try carelessReplacement(.journal).pictures == ["b=old", "a= b=old", "a=new b=old", "b=new"])
    }

    @Test("journal: without a target to replace the rename does not wait, and its length brings the data")
    func journalNewName() throws {
        var disk = SimulatedDisk(profile: .journal)
        let file = try disk.open(data("a"), .create)
        try disk.rename(data("a"), to: data("b"))
        try disk.append(file, "new")
        #expect(disk.pictures == ["", "a=", "b=", "b=new"])
    }

    @Test("journal: overwritten blocks are free, as no length changes")
    func journalOverwrite() throws {
        var disk = try SimulatedDisk.holding([("a", "old")], profile: .journal)
        try disk.overwrite("a", "new")
        try disk.make("b", "")
        #expect(disk.pictures == ["a=old", "a=new", "a=old b=", "a=new b="])
    }

    @Test("journal: a file's sync brings all earlier names with it")
    func journalSync() throws {
        var disk = SimulatedDisk(profile: .journal)
        try disk.make("a", "1")
        try disk.make("b", "2", isSynced: true)
        #expect(disk.pictures == ["a=1 b=2"])
    }

    @Test("writeback: as journal, but a length can come without its data")
    func writeback() throws {
        var disk = SimulatedDisk(profile: .writeback)
        try disk.make("a", "new")
        #expect(disk.pictures == ["", "a=", "a=...", "a=new"])
        #expect(try carelessReplacement(.writeback).pictures.contains("b=...") == false)
    }

    @Test("apple: metadata is a prefix, data is free, and a replacement waits for nothing")
    func apple() throws {
        let pictures = try carelessReplacement(.apple).pictures
        #expect(pictures == ["b=old", "a= b=old", "a=... b=old", "a=new b=old", "b=...", "b=new"])
    }

    @Test("apple: a plain sync reaches only the device's cache, which a panic keeps and a power cut does not")
    func applePlainSync() throws {
        var disk = try SimulatedDisk.holding([("a", "old")], profile: .apple)
        disk.syncsReachMedium = false
        let file = try disk.open(data("a"), .update)
        _ = try disk.write(file, Array("new".utf8)[...], at: 0)
        try disk.sync(file)
        #expect(disk.pictures == ["a=old", "a=new"])
        var panicked = disk
        panicked.kernelPanic(keeping: .nothing)
        #expect(panicked.picture == "a=new")
        disk.powerCut(keeping: .nothing)
        #expect(disk.picture == "a=old")
    }

    @Test("apple: a full sync brings what other files left in the device's cache")
    func appleFullSync() throws {
        var disk = try SimulatedDisk.holding([("a", "old"), ("b", "")], profile: .apple)
        disk.syncsReachMedium = false
        let file = try disk.open(data("a"), .update)
        _ = try disk.write(file, Array("new".utf8)[...], at: 0)
        try disk.sync(file)
        disk.syncsReachMedium = true
        let other = try disk.open(data("b"), .update)
        try disk.append(other, "1")
        try disk.sync(other)
        #expect(disk.pictures == ["a=new b=1"])
    }

    @Test("prefix: every outcome is a state that the live disk had been in")
    func prefix() throws {
        let disk = try carelessReplacement(.prefix)
        #expect(disk.pictures == ["b=old", "a= b=old", "a=new b=old", "a=new b=new", "b=new"])
        #expect(disk.powerCutPlan().outcomes.count == disk.pendingCount + 1)
    }

    @Test("alice: a rename over a file may lose the target's name, but not the file that is renamed")
    func alice() throws {
        var disk = try SimulatedDisk.holding([("a", "new"), ("b", "old")], profile: .alice)
        try disk.rename(data("a"), to: data("b"))
        #expect(disk.pictures == ["a=new b=old", "a=new", "a=new b=new", "b=new"])
    }

    @Test("Garbage stands for lost data only where it is switched on and the profile allows it")
    func garbage() throws {
        for profile in CrashProfile.allCases {
            var disk = try SimulatedDisk.holding([("a", "old")], profile: profile)
            try disk.overwrite("a", "new")
            #expect(disk.pictures == ["a=old", "a=new"])
            disk.leaveGarbage(true)
            let pictures = disk.pictures.subtracting(["a=old", "a=new", "a=..."])
            #expect(pictures.isEmpty == (profile == .journal || profile == .prefix), "\(profile)")
        }
    }

    @Test("A torn write leaves zeros in its block and all else whole")
    func torn() throws {
        var disk = try SimulatedDisk.holding([("a", String(repeating: "o", count: 1024))])
        try disk.overwrite("a", String(repeating: "n", count: 1024))
        disk.powerCut(keeping: .torn(1))
        #expect(disk.picture == "a=n*512.*512")
    }
}
