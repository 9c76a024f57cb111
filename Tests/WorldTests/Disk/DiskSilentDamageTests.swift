import Core
import ScenarioLanguage
import Testing
import World

@Suite("Silent damage of the simulated disk")
struct DiskSilentDamageTests {
    private func text(_ disk: SimulatedDisk) -> [UInt8]? { disk.content(of: data("a"))?.bytes }

    @Test("A block whose write was lost reads as zeros, each time, until it is written over whole")
    func zeroed() throws {
        var disk = SimulatedDisk()
        let bytes = [UInt8](repeating: 1, count: 4_096) + [UInt8](repeating: 2, count: 100)
        try disk.place(data("a"), bytes)
        try disk.damage(data("a"), .zeroed(at: 4_100))
        let file = try disk.open(data("a"), .update)
        for _ in 0..<2 {
            let read = try disk.read(file, at: 0, count: 5_000)
            #expect(read == [UInt8](repeating: 1, count: 4_096) + [UInt8](repeating: 0, count: 100))
        }
        _ = try disk.write(file, [9][...], at: 4_096)
        #expect(try disk.read(file, at: 4_096, count: 1) == [0])
        _ = try disk.write(file, [UInt8](repeating: 3, count: 4_096)[...], at: 4_096)
        #expect(try disk.read(file, at: 4_096, count: 2) == [3, 3])
    }

    @Test("A misdirected write: the block holds what belongs to another one, the size stays")
    func misdirected() throws {
        var disk = SimulatedDisk()
        try disk.place(data("a"), [UInt8](repeating: 1, count: 4_096) + [UInt8](repeating: 2, count: 5_000))
        try disk.damage(data("a"), .misdirected(at: 0, from: 4_096))
        let bytes = try #require(disk.content(of: data("a"))).bytes
        #expect(bytes == [UInt8](repeating: 2, count: 9_096))
        disk.healDamage()
        #expect(disk.content(of: data("a"))?.bytes.first == 1)
    }

    @Test("A purged folder is empty, in both images and for good, and can be filled again")
    func purge() throws {
        var disk = SimulatedDisk()
        try disk.makeDirectory(data("store"))
        try disk.place(data("store/b/ab/x"), [1, 2, 3])
        let file = try disk.open(data("store/y"), .create)
        _ = try disk.write(file, [1][...], at: 0)
        try disk.purge(under: data("store"))
        #expect(disk.files(under: data("")) == [])
        #expect(disk.directories(under: data("")).map(\.text) == ["store"])
        #expect(throws: DiskError(.notFound, .status, data("store/b"))) { try disk.status(data("store/b")) }
        disk.powerCut(keeping: .everything)
        #expect(disk.files(under: data(""), in: .durable) == [])
        try disk.makeDirectory(data("store/b"))
        #expect(try disk.list(data("store")) == ["b"])
    }

    @Test("Syncs of one kind and place can be left out, as if the caller had forgotten them")
    func leftOut() throws {
        var disk = SimulatedDisk()
        disk.leaveOut(.sync, under: data("d"))
        for folder in ["c", "d"] {
            try disk.makeDirectory(data(folder))
            let file = try disk.open(data(folder + "/a"), .create)
            _ = try disk.write(file, [7][...], at: 0)
            try disk.sync(file)
            try disk.syncDirectory(data(folder))
        }
        try disk.syncDirectory(data(""))
        disk.powerCut(keeping: .nothing)
        #expect(disk.content(of: data("c/a"))?.bytes == [7])
        #expect(disk.content(of: data("d/a"))?.bytes == [])
    }

    @Test("A stop that was set outlives the process that it did not meet")
    func armed() throws {
        var disk = SimulatedDisk()
        disk.stop(atCall: 1)
        disk.processEnded()
        #expect(throws: DiskError(.inputOutput, .status, data("a"))) { try disk.status(data("a")) }
        disk.processEnded()
        #expect(throws: DiskError(.notFound, .status, data("a"))) { try disk.status(data("a")) }
    }
}
