import Core
import Testing
import World

@testable import Updater

@Suite("Files of the store: written in steps, durable with their name, read in steps, closed in the end")
struct StoredFileTests {
    private static let path = StorePaths.tables / "a"
    private static let new = StorePaths.tables / "a.new"

    /// A disk with the folder of the tables.
    private func disk(_ content: [UInt8]? = nil) throws -> SimulatedDisk {
        var disk = SimulatedDisk()
        try disk.place(StorePaths.tables / "other", [0])
        if let content { try disk.place(Self.path, content) }
        return disk
    }

    private func bytes(_ disk: SimulatedDisk, _ path: DiskPath = path) -> [UInt8]? {
        disk.content(of: path).map { $0.read(at: 0, count: $0.size) }
    }

    /// Takes all steps; a sync has this error if it is the given one.
    /// - Returns: the targets of its syncs.
    private func write(
        _ file: DurableFile, _ disk: inout SimulatedDisk, failing: Int? = nil
    ) throws(DiskError) -> [SyncTarget] {
        var (file, error, targets) = (file, nil as DiskError?, [] as [SyncTarget])
        while true {
            let step = try file.step(after: error, &disk)
            error = nil
            switch step {
            case .done: return targets
            case .next(let rest): file = rest
            case .sync(let target, let rest):
                file = rest
                targets.append(target)
                error = targets.count == failing ? DiskError(.inputOutput, .sync) : disk.sync(target)
            }
        }
    }

    // MARK: Writing

    @Test("A new file has its name at once; an existing one is replaced when the new content is durable")
    func durable() throws {
        for old in [nil, [9, 9, 9]] as [[UInt8]?] {
            var disk = try disk(old)
            let content = Version.content("a", 150_000)
            let targets = try write(DurableFile(Self.path, content), &disk)
            #expect(targets.count == 2, "the file, then its folder")
            if case .file = targets[0] {} else { Issue.record("\(targets[0])") }
            #expect(targets.last == .directory(StorePaths.tables))
            #expect(disk.openCount == 0)
            var cut = disk
            cut.powerCut(keeping: .nothing)
            for disk in [disk, cut] {
                #expect(bytes(disk) == content)
                #expect(bytes(disk, Self.new) == nil)
            }
        }
    }

    @Test("What a crash left under the temporary name does not matter")
    func leftOver() throws {
        var disk = try disk([9])
        try disk.place(Self.new, [7, 7, 7, 7])
        _ = try write(DurableFile(Self.path, [1, 2]), &disk)
        #expect(bytes(disk) == [1, 2] && bytes(disk, Self.new) == nil)
    }

    @Test("After an error at any call or sync the old file is there, nothing else is, and no file is open")
    func errors() throws {
        let content = Version.content("a", 150_000)
        for old in [nil, [9, 9, 9]] as [[UInt8]?] {
            for call in [DiskCall.status, .open, .write, .close, .rename] {
                for nth in 1...3 {
                    var disk = try disk(old)
                    disk.add(DiskFault(call, nth: nth, .inputOutput, path: StorePaths.tables))
                    do throws(DiskError) {
                        _ = try write(DurableFile(Self.path, content), &disk)
                        #expect(bytes(disk) == content, "\(call) \(nth)")
                    } catch {
                        #expect(error.code == .inputOutput)
                        if old != nil { #expect(bytes(disk) == old, "\(call) \(nth)") }
                    }
                    #expect(disk.openCount == 0, "\(call) \(nth)")
                }
            }
            for failing in 1...2 {
                var disk = try disk(old)
                #expect(throws: DiskError.self) {
                    _ = try write(DurableFile(Self.path, content), &disk, failing: failing)
                }
                #expect(disk.openCount == 0)
                if failing == 1 {
                    #expect(bytes(disk) == old, "its content is unknown, so it is removed")
                    #expect(bytes(disk, Self.new) == nil)
                }
            }
        }
    }

    @Test("A file that is no longer wanted is closed, and removed unless it has its name")
    func abandoned() throws {
        for stop in 0...4 {
            var disk = try disk()
            var file = DurableFile(Self.path, Version.content("a", 100_000))
            var steps = 0
            loop: while steps < stop {
                steps += 1
                switch try file.step(after: nil, &disk) {
                case .done: break loop
                case .next(let rest), .sync(_, let rest): file = rest
                }
            }
            file.abandon(&disk)
            #expect(disk.openCount == 0, "after \(stop) steps")
            // Open, two steps of writing, the sync of the file; then it has its name.
            #expect((bytes(disk) == nil) == (stop < 4), "after \(stop) steps")
        }
    }

    @Test("A step writes at most 64 KiB, in eight calls, and continues where it stopped")
    func steps() throws {
        for count in [0, 1, 65_535, 65_536, 65_537, 200_000] {
            var disk = try disk()
            let content = Version.content("a", count)
            var writing = FileWriting(try disk.open(Self.path, .create), content)
            #expect(writing.count == count)
            var steps = 1
            while try !writing.step(&disk) { steps += 1 }
            #expect(steps == max(1, (count + 65_535) / 65_536), "\(count) bytes")
            #expect(bytes(disk) == content)
        }
    }

    @Test("A write continues after short writes and interruptions, and gives up when there is no end of them")
    func interruptions() throws {
        let content = Version.content("a", 7_000)
        var disk = try disk()
        disk.limitWrites(to: 1_000)
        let file = try disk.open(Self.path, .create)
        let longer = Version.content("b", 9_000)
        let written = [
            try disk.writeSome(file, content[...], at: 0), try disk.writeSome(file, longer[...], at: 0),
            try disk.writeSome(file, [], at: 0),
        ]
        #expect(written == [7_000, 8_000, 0], "eight calls of a thousand bytes")
        try disk.writeAll(file, longer, at: 3)
        #expect(bytes(disk).map { Array($0.dropFirst(3)) } == longer)
        for count in 1...9 {
            var disk = disk
            disk.add(DiskFault(.write, .interrupted, times: count, path: StorePaths.tables))
            let some = Result { () throws(DiskError) in try disk.writeSome(file, content[...], at: 0) }
            switch some {
            case .success(let written): #expect(count < 8 && written == min(8 - count, 7) * 1_000)
            case .failure(let error): #expect(count >= 8 && error.code == .interrupted)
            }
        }
        for count in 1...6 {
            var disk = disk
            disk.limitWrites(to: nil)
            disk.add(DiskFault(.write, .interrupted, times: count, path: StorePaths.tables))
            let all = Result { () throws(DiskError) in try disk.writeAll(file, content, at: 0) }
            if case .success = all { #expect(count <= 4) } else { #expect(count > 4) }
        }
        // An interruption after some bytes ends the step, not the file.
        disk.add(DiskFault(.write, nth: 2, .interrupted, times: 7, path: StorePaths.tables))
        let beforeIt = try disk.writeSome(file, content[...], at: 0)
        #expect(beforeIt == 1_000)
        for code in [DiskError.Code.noSpace, .inputOutput] {
            var disk = disk
            disk.add(DiskFault(.write, code, path: StorePaths.tables))
            #expect(throws: DiskError.self) { try disk.writeSome(file, content[...], at: 0) }
            disk.removeFaults()
            disk.add(DiskFault(.write, code, path: StorePaths.tables))
            #expect(throws: DiskError.self) { try disk.writeAll(file, content, at: 0) }
        }
    }

    // MARK: Reading

    @Test("A file is read in steps of 256 KiB where a page waits, else of 64 KiB, and then closed")
    func reading() throws {
        for (isUrgent, chunk) in [(true, 256 << 10), (false, 64 << 10)] {
            for count in [0, 1, chunk - 1, chunk, chunk + 1] {
                var disk = try disk(Version.content("a", count))
                var reading = FileReading(Self.path, limit: 1 << 20, isUrgent: isUrgent)
                var steps = 1
                while try !reading.step(&disk) {
                    steps += 1
                    #expect(disk.openCount == 1)
                }
                #expect(steps == count / chunk + 1)
                #expect(reading.bytes == Version.content("a", count))
                #expect(disk.openCount == 0)
            }
        }
    }

    @Test("A file above its limit is refused, one of that length is not; after any error it is closed")
    func limit() throws {
        for count in [99, 100, 101] {
            var disk = try disk(Version.content("a", count))
            var reading = FileReading(Self.path, limit: 100)
            do throws(DiskError) {
                let isRead = try reading.step(&disk)
                #expect(isRead && count <= 100)
            } catch {
                #expect(count > 100 && error.isTooLong)
            }
            #expect(disk.openCount == 0)
        }
        for call in [DiskCall.open, .read] {
            var disk = try disk([1])
            disk.add(DiskFault(call, .inputOutput, path: Self.path))
            var reading = FileReading(Self.path, limit: 100)
            #expect(throws: DiskError.self) { _ = try reading.step(&disk) }
            #expect(disk.openCount == 0)
            // A further step opens it anew.
            let isRead = try reading.step(&disk)
            #expect(isRead && reading.bytes == [1])
        }
        // It was only read: an error of the close says nothing about its bytes.
        var disk = try disk([1])
        disk.add(DiskFault(.close, .inputOutput, path: Self.path))
        var reading = FileReading(Self.path, limit: 100)
        let isRead = try reading.step(&disk)
        #expect(isRead && reading.bytes == [1])
    }

    // MARK: Names

    @Test("A name that is given anew is the same file, whatever fails on the way")
    func renameAnew() throws {
        for failing in [nil, 1, 2] {
            var disk = try disk([5])
            if let failing {
                disk.add(DiskFault(.rename, nth: failing, .inputOutput, path: StorePaths.tables))
            }
            disk.renameAnew(Self.path)
            let names = disk.files(under: StorePaths.tables).map(\.name)
            #expect(names.contains(failing == 2 ? "a.again" : "a") && names.count == 2)
        }
        // After a sync that forgot the name, the next one covers it.
        var disk = try disk()
        try disk.close(try disk.open(Self.path, .create))
        disk.add(DiskFault(.syncDirectory, .inputOutput, path: StorePaths.tables))
        _ = disk.sync(.directory(StorePaths.tables))
        disk.renameAnew(Self.path)
        _ = disk.sync(.directory(StorePaths.tables))
        disk.powerCut(keeping: .nothing)
        #expect(bytes(disk) != nil)
    }

    @Test("A name that may be absent: removed, absent, or still there")
    func removeQuietly() throws {
        var disk = try disk([5])
        let size = try disk.statusIfPresent(Self.path)?.size
        #expect(size == 1)
        disk.add(DiskFault(.remove, .inputOutput, path: Self.path))
        let outcomes = (0..<3).map { _ in disk.removeQuietly(Self.path) }
        #expect(outcomes == [false, true, true])
        let gone = try disk.statusIfPresent(Self.path)
        #expect(gone == nil)
        disk.add(DiskFault(.status, .inputOutput, path: Self.path))
        #expect(throws: DiskError.self) { _ = try disk.statusIfPresent(Self.path) }
    }
}
