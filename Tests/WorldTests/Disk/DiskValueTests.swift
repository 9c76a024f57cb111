import Backend
import Core
import ScenarioLanguage
import Testing
import World

@Suite("The simulated disk is a value")
struct DiskValueTests {
    @Test("A copy and its original go separate ways")
    func copies() throws {
        var disk = SimulatedDisk()
        let file = try disk.open(data("a"), .create)
        try disk.append(file, "one")
        var fork = disk
        try fork.append(file, "two")
        try disk.remove(data("a"))
        #expect(fork.picture == "a=onetwo")
        #expect(disk.picture == "")
        #expect(try fork.read(file, at: 0, count: 9) == Array("onetwo".utf8))
    }

    @Test("Disks are equal when they come to the same, by whatever way and under whatever numbers")
    func equality() throws {
        var one = SimulatedDisk()
        try one.make("x", "temporary")
        try one.remove(data("x"))
        try one.make("b", "2", isSynced: true)
        try one.make("a", "1", isSynced: true)
        one.flush()
        var other = SimulatedDisk()
        try other.make("a", "1")
        try other.make("b", "2")
        #expect(one != other)
        #expect(one.picture == other.picture)
        other.flush()
        #expect(one == other)
        #expect(one.fingerprint() == other.fingerprint())
    }

    @Test(
        "Anything that can still make a difference makes disks unequal",
        arguments: ["content", "name", "sync", "handle", "fault", "damage", "directory", "order", "mode"])
    func inequality(difference: String) throws {
        var start = try SimulatedDisk.holding([("a", "x"), ("b", "y")])
        var other = start
        _ = try start.open(data("a"), .update)
        let file = try other.open(data("a"), difference == "mode" ? .read : .update)
        #expect((start == other) == (difference != "mode"))
        switch difference {
        case "content": try other.overwrite("a", "z")
        case "name": try other.rename(data("a"), to: data("c"))
        case "sync":
            try start.overwrite("a", "z")
            try other.overwrite("a", "z")
            #expect(start == other)
            try other.sync(file)
        case "handle": try other.close(file)
        case "fault": other.add(DiskFault(.read, .inputOutput))
        case "damage": try other.damage(data("a"), .flipped(at: 0))
        case "directory": try other.makeDirectory(data("d"))
        case "order":
            try start.overwrite("a", "1")
            try start.overwrite("b", "2")
            try other.overwrite("b", "2")
            try other.overwrite("a", "1")
        default: break
        }
        #expect(start != other)
        #expect(start == start)
    }

    @Test("Random disks: the same calls give equal disks and sums, one call more hardly ever does")
    func randomEquality() {
        var sums: Set<UInt64> = []
        for seed in 0..<100 {
            var one = DiskWorkload(seed: UInt64(seed), profile: .strict)
            var other = one
            one.run(calls: 25)
            other.run(calls: 25)
            #expect(one.disk == other.disk)
            #expect(one.disk.fingerprint() == other.disk.fingerprint())
            sums.insert(one.disk.fingerprint())
        }
        #expect(sums.count > 95)
    }

    @Test("Names are listed in an order that is not theirs, the same each time, another under another key")
    func listing() throws {
        let names = (0..<20).map { "f\($0 / 10)\($0 % 10)" }
        func listed(_ key: UInt64) throws -> [String] {
            var disk = SimulatedDisk(key: key)
            for name in names { try disk.make(name, "") }
            #expect(try disk.list(data("")) == disk.list(data("")))
            return try disk.list(data(""))
        }
        let first = try listed(1)
        #expect(first != names)
        #expect(first.sorted() == names)
        #expect(try listed(1) == first)
        #expect(try listed(2) != first)
    }

    @Test("Every call counts and costs; looking at the disk for a check does neither")
    func costs() throws {
        let cost = DiskCost(
            perCall: .microseconds(10), sync: .milliseconds(1), syncDirectory: .milliseconds(2),
            readRate: 1_000_000, writeRate: 500_000)
        var disk = SimulatedDisk(cost: cost)
        let file = try disk.open(data("a"), .create)
        #expect(disk.takeCost() == .microseconds(10))
        _ = try disk.write(file, [UInt8](repeating: 1, count: 1_000)[...], at: 0)
        #expect(disk.takeCost() == .microseconds(10 + 2_000))
        _ = try disk.read(file, at: 0, count: 500)
        #expect(disk.takeCost() == .microseconds(10 + 500))
        try disk.sync(file)
        try disk.syncDirectory(data(""))
        #expect(disk.takeCost() == .microseconds(10 + 1_000 + 10 + 2_000))
        disk.slow(.sync, by: .milliseconds(50))
        try disk.sync(file)
        #expect(disk.takeCost() == .microseconds(10 + 1_000 + 50_000))
        #expect(throws: DiskError.self) { try disk.status(data("none")) }
        #expect(disk.operations == 7)
        #expect(disk.takeCost() == .microseconds(10))
        _ = disk.files(under: data(""))
        _ = disk.content(of: data("a"))
        _ = disk.worstDurableImage()
        #expect(disk.operations == 7)
        #expect(disk.takeCost() == .zero)
    }

    @Test("A step's counts tell syncs from other calls and add up what was read")
    func stepCounts() throws {
        var disk = try SimulatedDisk.holding([("a", String(repeating: "x", count: 300_000))])
        let file = try disk.open(data("a"), .read)
        disk.beginStep()
        for place in 0..<4 { _ = try disk.read(file, at: place * 65_536, count: 65_536) }
        #expect(disk.stepCounts.bytesRead == 262_144)
        #expect(disk.stepCounts.isWithinBounds)
        #expect(!disk.stepCounts.isWithinBackgroundBounds)
        var synced = disk
        try synced.sync(file)
        #expect(!synced.stepCounts.isWithinBounds)
        _ = try disk.read(file, at: 0, count: 1)
        #expect(!disk.stepCounts.isWithinBounds)
        disk.beginStep()
        try disk.sync(file)
        try disk.syncDirectory(data(""))
        #expect(disk.stepCounts.syncs == 2)
        #expect(!disk.stepCounts.isWithinBounds)
        disk.beginStep()
        for _ in 0..<16 { _ = try disk.size(file) }
        #expect(disk.stepCounts.isWithinBounds)
        _ = try disk.size(file)
        #expect(!disk.stepCounts.isWithinBounds)
    }

    @Test("Checkers see both images, sorted, with names told apart by their bytes")
    func inspection() throws {
        var disk = SimulatedDisk()
        try disk.makeDirectory(data("d"))
        for name in ["d/\u{e9}", "d/e\u{301}", "d/b", "c"] { try disk.make(name, name) }
        #expect(disk.files(under: data("")).map(\.text.utf8.count) == [1, 3, 5, 4])
        #expect(disk.files(under: data("d")).count == 3)
        #expect(disk.files(under: data("c")) == [data("c")])
        #expect(disk.files(under: data("none")).isEmpty)
        #expect(disk.directories(under: data("")) == [data("d")])
        #expect(disk.files(under: data(""), in: .durable).isEmpty)
        #expect(disk.content(of: data("c"), in: .durable) == nil)
        #expect(disk.content(of: data("d")) == nil)
        disk.flush()
        #expect(disk.files(under: data(""), in: .durable) == disk.files(under: data("")))
        #expect(disk.content(of: data("d/e\u{301}"), in: .durable)?.size == 5)
    }

    @Test("A package is replaced as a whole, and a name can't be a file and a directory")
    func package() throws {
        var disk = SimulatedDisk()
        let root = DiskPath(.package, "")
        try disk.mountPackage(files: [("index.html", [1]), ("lib/x.js", [2])])
        try disk.mountPackage(files: [("index.html", [3])])
        #expect(disk.files(under: root) == [DiskPath(.package, "index.html")])
        #expect(disk.content(of: DiskPath(.package, "index.html"), in: .durable)?.bytes == [3])
        #expect(throws: DiskError(.notADirectory, .open, DiskPath(.package, "a/b"))) {
            try disk.mountPackage(files: [("a", [1]), ("a/b", [2])])
        }
        #expect(throws: DiskError(.invalid, .open, DiskPath(.package, "../x"))) {
            try disk.mountPackage(files: [("../x", [1])])
        }
    }

    @Test("Long files written in pieces read back whole, whatever the pieces and places")
    func longFiles() throws {
        var disk = SimulatedDisk()
        let file = try disk.open(data("a"), .create)
        var expected: [UInt8] = []
        for (index, count) in [65_536, 65_536, 1, 4095, 70_000, 8192, 3].enumerated() {
            let piece = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) }
            #expect(try disk.write(file, piece[...], at: expected.count) == count)
            expected += piece
        }
        #expect(disk.content(of: data("a"))?.bytes == expected)
        #expect(try disk.read(file, at: 65_536, count: 65_536) == Array(expected[65_536..<131_072]))
        #expect(try disk.read(file, at: 100, count: 100_000) == Array(expected[100..<100_100]))
        #expect(try disk.read(file, at: expected.count, count: 5).isEmpty)
        try disk.sync(file)
        disk.powerCut(keeping: .nothing)
        #expect(disk.picture == "")
    }
}
