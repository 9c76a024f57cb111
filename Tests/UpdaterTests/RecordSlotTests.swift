import Core
import Testing
import World

@testable import Updater

@Suite("R8: the two slots of a record")
struct RecordSlotTests {
    private typealias Content = RecordSlots.Content

    /// A disk with a store, and files in the slots.
    private func disk(_ files: [(path: DiskPath, bytes: [UInt8])] = []) throws -> SimulatedDisk {
        var disk = SimulatedDisk(names: .anyCaseAndForm)
        try disk.makeDirectory(StorePaths.root)
        for file in files { try disk.place(file.path, file.bytes) }
        return disk
    }

    private func bytes(_ path: DiskPath, _ disk: SimulatedDisk) -> [UInt8]? {
        disk.content(of: path).map { $0.read(at: 0, count: $0.size) }
    }

    private func record(_ generation: UInt64) -> StoreRecord {
        var record = StoreRecord()
        record.generation = generation
        return record
    }

    private func write(
        _ slots: inout RecordSlots, _ record: StoreRecord, isBeside: Bool, _ disk: inout SimulatedDisk
    ) throws -> SlotWriting {
        var writing = try slots.begin(record, isBeside: isBeside, &disk)
        while try !writing.step(&disk) {}
        return writing
    }

    @Test("A commit overwrites the slot without a record, else the older one, and never the newest")
    func older() {
        let slots: [(a: Content, b: Content, older: DiskPath)] = [
            (.absent, .absent, StorePaths.recordA), (.valid(generation: 1), .absent, StorePaths.recordB),
            (.absent, .valid(generation: 1), StorePaths.recordA),
            (.valid(generation: 1), .valid(generation: 2), StorePaths.recordA),
            (.valid(generation: 2), .valid(generation: 1), StorePaths.recordB),
            (.valid(generation: 1), .valid(generation: 1), StorePaths.recordB),
            (.newer(generation: 9), .valid(generation: 1), StorePaths.recordB),
            (.newer(generation: 9), .invalid, StorePaths.recordB),
            (.invalid, .newer(generation: 9), StorePaths.recordA),
            (.invalid, .invalid, StorePaths.recordA), (.valid(generation: 3), .invalid, StorePaths.recordB),
        ]
        for (a, b, older) in slots { #expect(RecordSlots(a: a, b: b).older == older, "\(a) \(b)") }
    }

    @Test("A record is written whole into either slot, whatever was there, and counts after its sync")
    func written() throws {
        let long = [UInt8](repeating: 0x20, count: 100_000)
        let before: [(a: Content, b: Content)] = [
            (.absent, .absent), (.invalid, .absent), (.invalid, .valid(generation: 1)),
            (.valid(generation: 1), .valid(generation: 2)), (.valid(generation: 2), .valid(generation: 1)),
            (.valid(generation: 1), .invalid), (.valid(generation: 1), .absent),
        ]
        for (a, b) in before {
            let files = [(StorePaths.recordA, a), (StorePaths.recordB, b)].filter { $0.1 != .absent }
            var disk = try disk(files.map { (path: $0.0, bytes: long) })
            var slots = RecordSlots(a: a, b: b)
            let target = slots.older
            let isFirst = target == StorePaths.recordA
            let writing = try write(&slots, record(7), isBeside: false, &disk)
            #expect(writing.path == target && writing.writtenPath == target && !writing.isBeside)
            #expect(writing.isNew == ((isFirst ? a : b).generation == nil), "\(a) \(b)")
            #expect(
                (isFirst ? slots.a : slots.b) == .invalid
                    && (isFirst ? slots.b : slots.a) == (isFirst ? b : a))
            try slots.end(writing, after: nil, &disk)
            #expect((isFirst ? slots.a : slots.b) == .valid(generation: 7))
            #expect(bytes(target, disk) == RecordCoding.encode(record(7)), "\(a) \(b)")
            #expect(throws: DiskError.self) { try disk.close(writing.file) }
        }
    }

    @Test("After a failed sync what was written is removed, its file closed, and the other slot stays")
    func syncFailed() throws {
        for isBeside in [false, true] {
            var disk = try disk([(StorePaths.recordA, [1]), (StorePaths.recordB, [2])])
            var slots = RecordSlots(a: .valid(generation: 1), b: .valid(generation: 2))
            let writing = try write(&slots, record(3), isBeside: isBeside, &disk)
            let error = DiskError(.inputOutput, .sync)
            #expect(throws: error) { try slots.end(writing, after: error, &disk) }
            #expect(slots == RecordSlots(a: .invalid, b: .valid(generation: 2)))
            #expect(bytes(StorePaths.recordA, disk) == (isBeside ? [1] : nil))
            #expect(bytes(StorePaths.recordB, disk) == [2] && bytes(StorePaths.newRecord, disk) == nil)
            #expect(throws: DiskError.self) { try disk.close(writing.file) }
        }
    }

    @Test("A record beside the slots replaces the older one at its end, also where an earlier one was left")
    func beside() throws {
        for leftover in [nil, [UInt8](repeating: 9, count: 9_000)] {
            var disk = try disk([(StorePaths.recordA, [1]), (StorePaths.recordB, [2])])
            if let leftover { try disk.place(StorePaths.newRecord, leftover) }
            var slots = RecordSlots(a: .valid(generation: 2), b: .valid(generation: 1))
            let writing = try write(&slots, record(3), isBeside: true, &disk)
            #expect(writing.isBeside && writing.isNew && writing.writtenPath == StorePaths.newRecord)
            #expect(bytes(StorePaths.recordB, disk) == [2])
            try slots.end(writing, after: nil, &disk)
            #expect(slots == RecordSlots(a: .valid(generation: 2), b: .valid(generation: 3)))
            #expect(bytes(StorePaths.recordB, disk) == RecordCoding.encode(record(3)))
            #expect(bytes(StorePaths.newRecord, disk) == nil && bytes(StorePaths.recordA, disk) == [1])
            slots.remove(writing, &disk)
            #expect(slots.b == .invalid && bytes(StorePaths.recordB, disk) != nil, "it replaced a record")
        }
    }

    @Test("A slot whose new name may be lost is removed")
    func removed() throws {
        var disk = try disk()
        var slots = RecordSlots()
        let writing = try write(&slots, record(1), isBeside: false, &disk)
        try slots.end(writing, after: nil, &disk)
        slots.remove(writing, &disk)
        #expect(slots == RecordSlots(a: .invalid) && bytes(StorePaths.recordA, disk) == nil)
    }

    @Test("A write that fails closes its file, and the next commit makes the slot anew")
    func writeFailed() throws {
        for call in [DiskCall.write, .truncate] {
            var disk = try disk([(StorePaths.recordA, [UInt8](repeating: 1, count: 9_000))])
            var slots = RecordSlots(a: .valid(generation: 1), b: .valid(generation: 2))
            var writing = try slots.begin(record(3), isBeside: false, &disk)
            disk.add(DiskFault(call, .inputOutput))
            #expect(throws: DiskError.self) { while try !writing.step(&disk) {} }
            #expect(throws: DiskError.self) { try disk.close(writing.file) }
            #expect(slots == RecordSlots(a: .invalid, b: .valid(generation: 2)))
            let again = try write(&slots, record(3), isBeside: false, &disk)
            #expect(again.isNew)
            try slots.end(again, after: nil, &disk)
            #expect(bytes(StorePaths.recordA, disk) == RecordCoding.encode(record(3)))
        }
    }
}
