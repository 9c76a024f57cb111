import Backend
import Core
import DeviceShell
import Foundation
import Testing
import World

private typealias FileHandle = Core.FileHandle

@Suite("The simulated disk answers as a real one")
struct DiskDifferentialTests {
    /// Some seconds of a debug build in memory; `Tests/Tools/compare-disks` asks for more, elsewhere.
    static let sequences = variable("OTALAB_DISK_SEQUENCES").flatMap { Int($0) } ?? 10_000
    static let callsPerSequence = 20
    static let parts = 4
    /// The real file system takes large and small letters for the same, and has a spelling of its own.
    static let foldsCase = variable("OTALAB_DISK_NAMES") == "any-case"
    static let names: NameRule = foldsCase ? .anyCaseAndForm : .exactBytes

    static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    @Test("Random calls give the same results and error codes on a real file system", arguments: 0..<parts)
    func differential(part: Int) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var answered = 0
        let sequences = DiskDifferentialTests.sequences / DiskDifferentialTests.parts
        sequences: for sequence in 0..<sequences {
            let seed = UInt64(sequence * DiskDifferentialTests.parts + part)
            var simulated = RecordedRun(
                disk: SimulatedDisk(key: seed, names: DiskDifferentialTests.names), seed: seed)
            try simulated.disk.mountPackage(files: folder.packageFiles)
            var real = RecordedRun(disk: try folder.freshDisk(), seed: seed)
            try simulated.begin()
            try real.begin()
            for step in 0..<DiskDifferentialTests.callsPerSequence {
                let one = simulated.step()
                let other = real.step()
                if one.hasSuffix("!") == false { answered += 1 }
                if one == other { continue }
                guard let known = KnownDifference.all.first(where: { $0.explains(one, other) }) else {
                    Issue.record("seed \(seed), call \(step):\n  simulated \(one)\n  real      \(other)")
                    return
                }
                // From here on the two are different disks.
                if known.isLasting { continue sequences }
            }
            #expect(simulated.listing() == real.listing(), "seed \(seed)")
        }
        // A suite of nothing but errors would compare little.
        let calls = sequences * DiskDifferentialTests.callsPerSequence
        #expect(answered > calls / 4, "only \(answered) of \(calls) calls succeeded")
    }
}

/// What POSIX leaves open and a file system answers otherwise than Linux's own; listed beside
/// `Tests/Tools/compare-disks` as well.
private struct KnownDifference {
    var simulated: String
    var real: String
    /// One succeeded, the other did not.
    var isLasting = false

    static let all =
        [
            // rename(2) over a directory that is not empty: POSIX allows both, XFS says EEXIST.
            KnownDifference(simulated: "ENOTEMPTY in rename of", real: "EEXIST in rename of")
        ]
        + (DiskDifferentialTests.foldsCase
            ? [
                // What a FUSE file system keeps as a ghost for an open handle keeps its directory full.
                KnownDifference(simulated: "rename", real: "ENOTEMPTY in rename of", isLasting: true),
                KnownDifference(
                    simulated: "remove directory", real: "ENOTEMPTY in removeDirectory of", isLasting: true),
            ] : [])

    /// The same call of the same path.
    func explains(_ one: String, _ other: String) -> Bool {
        guard one.hasPrefix(simulated), other.hasPrefix(real) else { return false }
        let (rest, path) = (one.dropFirst(simulated.count), other.dropFirst(real.count).filter { $0 != "!" })
        return rest.hasPrefix(path)
    }
}

/// Draws calls from a seed and writes down what a disk answered to each.
private struct RecordedRun<Tested: SyncingDisk> {
    var disk: Tested
    private var generator: UInt64
    private var handles: [FileHandle] = []
    private var written: UInt8 = 0

    /// Some differ in case or in Unicode form alone.
    private static var names: [String] {
        [
            "a", "b", "d", "d/a", "d/e", "d/e/f", "g", "g/a", "a", "d/a", "A", "D", "D/a", "d/E",
        ] + (DiskDifferentialTests.foldsCase ? [] : ["caf\u{e9}", "cafe\u{301}"])
    }

    init(disk: Tested, seed: UInt64) {
        self.disk = disk
        generator = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    /// Xorshift64 (Marsaglia 2003), enough to draw test cases.
    private mutating func draw(_ bound: Int) -> Int {
        generator ^= generator << 13
        generator ^= generator >> 7
        generator ^= generator << 17
        return Int((generator >> 16) % UInt64(bound))
    }

    private mutating func drawPath() -> DiskPath {
        switch draw(40) {
        case 0: return DiskPath(.data, "")
        case 1: return DiskPath(.data, draw(2) == 0 ? "a/../b" : "d//a")
        case 2: return DiskPath(.data, (draw(2) == 0 ? "d/" : "") + String(repeating: "n", count: 256))
        case 3, 4: return DiskPath(.package, ["index.html", "lib", "lib/x.js", "none"][draw(4)])
        default: return DiskPath(.data, RecordedRun.names[draw(RecordedRun.names.count)])
        }
    }

    /// Mostly one that is open.
    private mutating func drawHandle() -> FileHandle {
        if handles.isEmpty || draw(10) == 0 { return FileHandle(id: 9_999) }
        return handles[draw(handles.count)]
    }

    private mutating func drawPlace() -> Int { [0, 1, 3, 100, 4095, 4096, 9_000, -1][draw(8)] }

    private mutating func drawBytes() -> [UInt8] {
        written &+= 1
        return [UInt8](repeating: written, count: [1, 5, 4096, 5_000, 0][draw(5)])
    }

    /// Something to work on: most calls of an empty disk would only say that nothing is there.
    mutating func begin() throws {
        for name in ["d", "d/e", "g"] where draw(4) > 0 {
            do { try disk.makeDirectory(DiskPath(.data, name)) } catch { #expect(error.code == .notFound) }
        }
        for name in ["a", "d/a"] where draw(4) > 0 {
            do { handles.append(try disk.open(DiskPath(.data, name), .create)) } catch {
                #expect(error.code == .notFound)
            }
        }
    }

    /// Makes the next call; what it was and what came of it, with `!` at the end of an error.
    mutating func step() -> String {
        let kind = draw(20)
        do throws(DiskError) {
            switch kind {
            case 0, 1, 2: return try opening()
            case 3, 4, 5, 6, 7: return try writing()
            case 8: return try closing()
            case 9, 10, 11, 12: return try naming(kind)
            default: return try asking(kind)
            }
        } catch {
            return "\(error)!"
        }
    }

    private mutating func opening() throws(DiskError) -> String {
        let mode = [OpenMode.create, .create, .read, .update][draw(4)]
        let path = drawPath()
        handles.append(try disk.open(path, mode))
        return "open \(mode) \(path)"
    }

    private mutating func writing() throws(DiskError) -> String {
        switch draw(5) {
        case 0:
            let size = drawPlace()
            let file = drawHandle()
            try disk.truncate(file, to: size)
            return "truncate \(size)"
        case 1:
            try disk.sync(drawHandle())
            return "sync"
        default:
            let file = drawHandle()
            let place = drawPlace()
            let bytes = drawBytes()
            return "write \(bytes.count) at \(place): \(try disk.write(file, bytes[...], at: place))"
        }
    }

    private mutating func closing() throws(DiskError) -> String {
        let file = drawHandle()
        handles.removeAll { $0 == file }
        try disk.close(file)
        return "close"
    }

    private mutating func naming(_ kind: Int) throws(DiskError) -> String {
        let path = drawPath()
        switch kind {
        case 9:
            try disk.makeDirectory(path)
            return "make \(path)"
        case 10:
            try disk.remove(path)
            return "remove \(path)"
        case 11:
            try disk.removeDirectory(path)
            return "remove directory \(path)"
        default:
            let target = drawPath()
            try disk.rename(path, to: target)
            return "rename \(path) to \(target)"
        }
    }

    private mutating func asking(_ kind: Int) throws(DiskError) -> String {
        switch kind {
        case 13, 14: return "status \(try disk.status(drawPath()))"
        case 15: return "list \(try names(in: drawPath()).sorted())"
        case 16: return "size \(try disk.size(drawHandle()))"
        case 17:
            try disk.syncDirectory(drawPath())
            return "sync directory"
        case 18:
            let path = drawPath()
            handles.append(try disk.lock(path))
            return "lock \(path)"
        default:
            let file = drawHandle()
            let place = drawPlace()
            let count = [0, 1, 4096, 100_000, -1][draw(5)]
            return "read \(count) at \(place): \(digest(try disk.read(file, at: place, count: count)))"
        }
    }

    /// A file system that folds case lists small letters, and keeps removed files that are open as ghosts.
    private mutating func names(in path: DiskPath) throws(DiskError) -> [String] {
        let names = try disk.list(path)
        guard DiskDifferentialTests.foldsCase else { return names }
        return names.filter { !$0.hasPrefix(".ghost-") }.map { $0.lowercased() }
    }

    private func digest(_ bytes: [UInt8]) -> String {
        var sum: UInt64 = 0
        for byte in bytes { sum = sum &* 31 &+ UInt64(byte) }
        return "\(bytes.count) bytes, sum \(sum)"
    }

    /// The whole data volume at the end.
    mutating func listing() -> String {
        var lines: [String] = []
        var waiting = [DiskPath(.data, "")]
        do {
            while let path = waiting.popLast() {
                let status = try disk.status(path)
                lines.append("\(path) \(status)")
                if status.kind == .directory {
                    for name in try names(in: path) { waiting.append(path / name) }
                } else {
                    let file = try disk.open(path, .read)
                    lines.append(digest(try disk.read(file, at: 0, count: status.size)))
                    try disk.close(file)
                }
            }
        } catch {
            lines.append("\(error)")
        }
        return lines.sorted().joined(separator: "\n")
    }
}

/// Folders in memory where the system has such a place, for the real disk to work in.
private struct TemporaryFolder {
    let root: URL
    let packageFiles: [(path: String, bytes: [UInt8])] = [
        ("index.html", [1, 2, 3]), ("lib/x.js", [UInt8](repeating: 7, count: 5_000)),
    ]

    init() throws {
        let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        let hasMemory = FileManager.default.isWritableFile(atPath: memory.path)
        var parent = hasMemory ? memory : FileManager.default.temporaryDirectory
        if let asked = DiskDifferentialTests.variable("OTALAB_DISK_FOLDER") {
            parent = URL(fileURLWithPath: asked, isDirectory: true)
        }
        root = parent.appendingPathComponent("otalab-disk-\(UUID().uuidString)", isDirectory: true)
        for file in packageFiles {
            let url = root.appendingPathComponent("package/" + file.path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(file.bytes).write(to: url)
        }
    }

    func freshDisk() throws -> PosixDisk {
        let data = root.appendingPathComponent("data")
        if FileManager.default.fileExists(atPath: data.path) { try FileManager.default.removeItem(at: data) }
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        return try PosixDisk(data: data.path, package: root.appendingPathComponent("package").path)
    }

    func remove() {
        do { try FileManager.default.removeItem(at: root) } catch { Issue.record(error) }
    }
}
