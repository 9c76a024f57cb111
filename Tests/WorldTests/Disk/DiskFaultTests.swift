import Core
import ScenarioLanguage
import Testing
import World

@Suite("Faults of the simulated disk")
struct DiskFaultTests {
    @Test("The call that stops the disk happens and throws, and so does every later one until a restart")
    func stop() throws {
        var disk = SimulatedDisk()
        disk.stop(atCall: 2)
        let file = try disk.open(data("a"), .create)
        #expect(throws: DiskError(.inputOutput, .write)) { try disk.write(file, [1, 2, 3], at: 0) }
        #expect(disk.isStopped)
        #expect(throws: DiskError(.inputOutput, .sync)) { try disk.sync(file) }
        #expect(throws: DiskError(.inputOutput, .status, data("a"))) { try disk.status(data("a")) }
        #expect(disk.callsAfterStop == 2)
        #expect(disk.operations == 4)
        disk.processEnded()
        #expect(try disk.status(data("a")) == FileStatus(kind: .file, size: 3))
        #expect(disk.callsAfterStop == 0)
    }

    @Test("The last call can be a write of which only a beginning happens")
    func stopInWrite() throws {
        var disk = SimulatedDisk()
        let file = try disk.open(data("a"), .create)
        disk.stop(atCall: 1, writing: 2)
        #expect(throws: DiskError(.inputOutput, .write)) { try disk.write(file, [7, 8, 9], at: 0) }
        disk.processEnded()
        #expect(disk.content(of: data("a"))?.bytes == [7, 8])
    }

    @Test("The n-th call of a kind fails, once or from then on, and only where it is aimed")
    func nthCall() throws {
        var disk = SimulatedDisk()
        disk.add(DiskFault(.write, nth: 2, .noSpace, path: data("d")))
        disk.add(DiskFault(.status, nth: 2, .denied, times: nil))
        try disk.makeDirectory(data("d"))
        let inside = try disk.open(data("d/a"), .create)
        let outside = try disk.open(data("da"), .create)
        _ = try disk.write(inside, [1], at: 0)
        _ = try disk.write(outside, [1], at: 0)
        #expect(throws: DiskError(.noSpace, .write)) { try disk.write(inside, [2], at: 1) }
        _ = try disk.write(inside, [2], at: 1)
        _ = try disk.status(data("d"))
        for _ in 0..<3 {
            #expect(throws: DiskError(.denied, .status, data("d"))) { try disk.status(data("d")) }
        }
        disk.removeFaults()
        _ = try disk.status(data("d"))
    }

    @Test("A close that fails closes all the same, and what it should have brought to the medium is lost")
    func failedClose() throws {
        var disk = try SimulatedDisk.holding([("a", "old")])
        let file = try disk.open(data("a"), .update)
        _ = try disk.write(file, Array("new".utf8)[...], at: 0)
        disk.add(DiskFault(.close, .noSpace))
        #expect(throws: DiskError(.noSpace, .close)) { try disk.close(file) }
        #expect(throws: DiskError(.badHandle, .close)) { try disk.close(file) }
        #expect(disk.pictures == ["a=old"])
    }

    @Test("After a failed sync a keyed part of the content may be there, and nothing brings the rest")
    func partOfFailedSync() throws {
        var seen: Set<String> = []
        for key in 0..<100 {
            var disk = try SimulatedDisk.holding([("a", String(repeating: "o", count: 1024))])
            let file = try disk.open(data("a"), .update)
            try disk.overwrite("a", String(repeating: "n", count: 1024))
            disk.add(DiskFault(.sync, .inputOutput, survivorsKey: UInt64(key)))
            #expect(throws: DiskError.self) { try disk.sync(file) }
            try disk.sync(file)
            #expect(disk.pendingCount == 0)
            disk.powerCut(keeping: .everything)
            seen.insert(disk.picture)
        }
        #expect(seen == ["a=o*1024", "a=n*512o*512", "a=o*512n*512", "a=n*1024"])
    }

    @Test("A full volume takes the beginning of a write, then nothing, and takes again what a removal frees")
    func noSpace() throws {
        var disk = SimulatedDisk()
        try disk.make("old", String(repeating: "o", count: 8192))
        disk.limitFreeSpace(to: 5_000)
        #expect(try disk.freeSpace(.data) == 5_000)
        let file = try disk.open(data("a"), .create)
        #expect(try disk.write(file, [UInt8](repeating: 1, count: 9_000)[...], at: 0) == 4096)
        #expect(throws: DiskError(.noSpace, .write)) { try disk.write(file, [1], at: 4096) }
        #expect(throws: DiskError(.noSpace, .truncate)) { try disk.truncate(file, to: 5_000) }
        #expect(throws: DiskError(.noSpace, .open, data("b"))) { try disk.open(data("b"), .create) }
        #expect(try disk.write(file, [2], at: 0) == 1)
        try disk.remove(data("old"))
        #expect(try disk.write(file, [1], at: 4096) == 1)
    }

    @Test("A write accepts no more than it is limited to")
    func shortWrites() throws {
        var disk = SimulatedDisk()
        disk.limitWrites(to: 2)
        try disk.make("a", "12345")
        #expect(try disk.text("a") == "12345")
        #expect(disk.stepCounts.others == 12)
    }

    @Test("While the device is locked its files can't be reached; unlocked they are unharmed")
    func denied() throws {
        var disk = try SimulatedDisk.holding([("a", "x")])
        try disk.mountPackage(files: [("index.html", [1])])
        let file = try disk.open(data("a"), .read)
        disk.deny(true)
        #expect(throws: DiskError(.denied, .open, data("a"))) { try disk.open(data("a"), .read) }
        #expect(throws: DiskError(.denied, .read)) { try disk.read(file, at: 0, count: 1) }
        _ = try disk.open(DiskPath(.package, "index.html"), .read)
        disk.deny(false)
        #expect(try disk.text("a") == "x")
        try disk.close(file)
    }

    @Test("A read-only volume and the package take no change, and are read as before")
    func readOnly() throws {
        var disk = try SimulatedDisk.holding([("a", "x")])
        try disk.mountPackage(files: [("lib/x.js", [1, 2])])
        disk.makeReadOnly(true)
        #expect(throws: DiskError(.readOnly, .open, data("b"))) { try disk.open(data("b"), .create) }
        #expect(throws: DiskError(.readOnly, .remove, data("a"))) { try disk.remove(data("a")) }
        #expect(try disk.text("a") == "x")
        disk.makeReadOnly(false)
        let path = DiskPath(.package, "lib/x.js")
        #expect(throws: DiskError(.readOnly, .remove, path)) { try disk.remove(path) }
        #expect(throws: DiskError(.crossDevice, .rename, path)) { try disk.rename(path, to: data("b")) }
        let file = try disk.open(path, .read)
        #expect(try disk.read(file, at: 1, count: 9) == [2])
    }

    @Test("Damage lies over the pristine content, for readers and checkers alike, until it is healed")
    func damage() throws {
        var disk = try SimulatedDisk.holding([("a", "abcd"), ("b", "abcd"), ("c", "abcd")])
        try disk.damage(data("a"), .flipped(at: 1))
        try disk.damage(data("b"), .truncated(to: 2))
        try disk.damage(data("c"), .unreadable(at: 2))
        #expect(try disk.text("a") == "accd")
        #expect(try disk.text("b") == "ab")
        #expect(try disk.status(data("b")).size == 2)
        let file = try disk.open(data("c"), .read)
        #expect(try disk.read(file, at: 0, count: 2) == Array("ab".utf8))
        for _ in 0..<2 {
            #expect(throws: DiskError(.inputOutput, .read)) { try disk.read(file, at: 1, count: 2) }
        }
        #expect(disk.content(of: data("a"))?.bytes == Array("accd".utf8))
        #expect(disk.content(of: data("a"), isPristine: true)?.bytes == Array("abcd".utf8))
        disk.powerCut(keeping: .nothing)
        #expect(try disk.text("b") == "ab")
        disk.healDamage()
        #expect(disk.picture == "a=abcd b=abcd c=abcd")
        #expect(throws: DiskError(.notFound, .status, data("x"))) {
            try disk.damage(data("x"), .flipped(at: 0))
        }
    }

    @Test("A new file under a damaged one's name is sound, and so is what is written over the damage")
    func damageReplaced() throws {
        var disk = try SimulatedDisk.holding([("a", "abcd"), ("b", "abcd")])
        try disk.damage(data("a"), .flipped(at: 1))
        try disk.damage(data("b"), .truncated(to: 1))
        try disk.make("new", "new!")
        try disk.rename(data("new"), to: data("a"))
        try disk.overwrite("b", "x", at: 1)
        #expect(disk.picture == "a=new! b=ax")
    }

    @Test("A lost name is gone from both images, and no crash brings it back")
    func lostName() throws {
        var disk = try SimulatedDisk.holding([("a", "x"), ("b", "y")])
        try disk.overwrite("a", "z")
        try disk.loseName(data("a"))
        #expect(disk.pictures == ["b=y"])
        #expect(throws: DiskError(.notFound, .open, data("a"))) { try disk.open(data("a"), .read) }
    }
}
