import Backend
import Core
import ScenarioLanguage
import World

// Short words for the disk suites: files as text, crash outcomes as pictures.

func data(_ text: String) -> DiskPath { DiskPath(.data, text) }

/// Random choices for workloads, from a seed: the same in every process.
struct DiskDraws {
    private var generator: UInt64

    init(seed: UInt64) { generator = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 }

    mutating func draw(_ bound: Int) -> Int {
        generator ^= generator << 13
        generator ^= generator >> 7
        generator ^= generator << 17
        return Int((generator >> 16) % UInt64(bound))
    }

    /// A file in a tree of few names.
    mutating func path() -> DiskPath { data(["a", "b", "d/a", "d/b", "e/a", "d/f/a"][draw(6)]) }
}

extension SyncingDisk {
    /// Makes a file; `isSynced` syncs its content, never its name.
    mutating func make(_ path: String, _ text: String, isSynced: Bool = false) throws {
        let file = try open(data(path), .create)
        try append(file, text)
        if isSynced { try sync(file) }
        try close(file)
    }

    mutating func append(_ file: FileHandle, _ text: String) throws {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            written += try write(file, bytes[written...], at: try size(file))
        }
    }

    mutating func overwrite(_ path: String, _ text: String, at offset: Int = 0) throws {
        let file = try open(data(path), .update)
        _ = try write(file, Array(text.utf8)[...], at: offset)
        try close(file)
    }

    mutating func text(_ path: String) throws -> String {
        let file = try open(data(path), .read)
        let bytes = try read(file, at: 0, count: try size(file))
        try close(file)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension SimulatedDisk {
    /// Synced content under synced names.
    static func holding(_ files: [(String, String)], profile: CrashProfile = .strict) throws -> SimulatedDisk
    {
        var disk = SimulatedDisk(profile: profile, hasSmallSectors: true)
        for (path, text) in files { try disk.place(data(path), Array(text.utf8)) }
        return disk
    }

    /// All files as `path=text`, directories as `path/`; zeros as dots, long runs shortened.
    var picture: String {
        let files = files(under: data("")).map { path in
            let bytes = content(of: path)?.bytes ?? []
            return "\(path.text)=\(SimulatedDisk.short(bytes))"
        }
        let directories = directories(under: data("")).map { "\($0.text)/" }
        return (files + directories).sorted().joined(separator: " ")
    }

    private static func short(_ bytes: [UInt8]) -> String {
        var result = ""
        var index = 0
        while index < bytes.count {
            var end = index
            while end < bytes.count && bytes[end] == bytes[index] { end += 1 }
            let letter = bytes[index] == 0 ? "." : String(UnicodeScalar(bytes[index]))
            result +=
                end - index > 9 ? "\(letter)*\(end - index)" : String(repeating: letter, count: end - index)
            index = end
        }
        return result
    }

    /// What every outcome of a power cut shows; the plan must be exact.
    var pictures: Set<String> {
        let plan = powerCutPlan()
        precondition(plan.isExact, "too many pending operations for a picture of all outcomes")
        return Set(
            plan.outcomes.map { outcome in
                var fork = self
                fork.powerCut(keeping: outcome)
                return fork.picture
            })
    }
}
