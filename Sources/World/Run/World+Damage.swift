import Core
import ScenarioLanguage
import Updater

/// Damage to stored files, which are found by their role or content.
extension World {
    mutating func damage(_ thing: DamageTarget, _ damage: Damage, _ device: Int) {
        if case .stray(let area) = thing, case .create(let size) = damage {
            return create(area, size, device)
        }
        let paths = paths(of: thing, device)
        if paths.isEmpty { return record(.actionDidNothing("nothing is stored of \(thing.text)"), device) }
        for path in paths {
            guard let content = devices[device].disk.content(of: path, isPristine: true) else { continue }
            if case .truncate(let amount) = damage, amount.bytes(of: content.size) >= content.size {
                record(.actionDidNothing("\(path) is not longer than that"), device)
                continue
            }
            do {
                try apply(damage, to: path, content.size, device)
                record(.damaged(path.text), device)
            } catch {
                record(.actionDidNothing("\(path) can't be damaged: \(error)"), device)
            }
        }
    }

    /// A file that the updater did not write, with a name that it does not know.
    private mutating func create(_ area: DiskArea, _ size: Int, _ device: Int) {
        let folder =
            switch area {
            case .contents: StorePaths.blobs
            case .tables: StorePaths.tables
            default: StorePaths.partial
            }
        let path = folder / "stray"
        do {
            try devices[device].disk.place(path, [UInt8](repeating: 0x2E, count: size))
            record(.damaged(path.text), device)
        } catch {
            record(.actionDidNothing("\(path) can't be created: \(error)"), device)
        }
    }

    /// The record with a format number above that of this updater; generation and content stay.
    private mutating func makeNewer(_ path: DiskPath, _ device: Int) throws(DiskError) {
        guard let content = devices[device].disk.content(of: path) else { return }
        let bytes = content.read(at: 0, count: content.size)
        guard let space = bytes.firstIndex(of: UInt8(ascii: " ")) else { return }
        try devices[device].disk.place(path, Array("otalab-record-99".utf8) + bytes[space...])
    }

    private mutating func apply(_ damage: Damage, to path: DiskPath, _ size: Int, _ device: Int)
        throws(DiskError)
    {
        switch damage {
        case .truncate(let amount):
            try devices[device].disk.damage(path, .truncated(to: min(amount.bytes(of: size), size)))
        case .flip(let count):
            let start = size == 0 ? 0 : Int(choices.draw(.damage, named: path.text) % UInt64(size))
            for index in start..<min(start + max(count, 1), max(size, 1)) {
                try devices[device].disk.damage(path, .flipped(at: index))
            }
        case .newerFormat: try makeNewer(path, device)
        case .create: break
        case .remove: try devices[device].disk.loseName(path)
        case .readError(let amount):
            try devices[device].disk.damage(
                path, .unreadable(at: min(amount.bytes(of: size), max(size - 1, 0))))
        }
    }

    private func paths(of thing: DamageTarget, _ device: Int) -> [DiskPath] {
        let disk = devices[device].disk
        switch thing {
        case .content(let file): return stored(file, device)
        case .record: return newerRecord(disk).map { [$0] } ?? []
        case .records:
            return [StorePaths.recordA, StorePaths.recordB].filter { disk.content(of: $0) != nil }
        case .starts: return existing(StorePaths.starts, disk)
        case .table(let name):
            guard let index = library.index(ofVersion: name) else { return [] }
            return existing(StorePaths.table(library.keys[index]), disk)
        case .part(let file): return parts(file, disk)
        case .downloadList: return existing(StorePaths.partialFinished, disk)
        case .stray: return []
        }
    }

    private func existing(_ path: DiskPath, _ disk: SimulatedDisk) -> [DiskPath] {
        disk.content(of: path) == nil ? [] : [path]
    }

    /// Files of the unfinished download that are the beginning of this content.
    private func parts(_ reference: FileReference, _ disk: SimulatedDisk) -> [DiskPath] {
        guard let index = library.index(ofVersion: reference.version),
            let file = library.versions[index].file(template: reference.route)
        else { return [] }
        let published = library.content(of: file)
        return disk.files(under: StorePaths.partial).filter { path in
            guard let stored = disk.content(of: path, isPristine: true), stored.size > 0,
                stored.size <= published.count
            else { return false }
            return stored.read(at: 0, count: stored.size) == published.read(0..<stored.size)
        }
    }

    /// Every file of the data volume that holds this content.
    private func stored(_ reference: FileReference, _ device: Int) -> [DiskPath] {
        guard let index = library.index(ofVersion: reference.version),
            let file = library.versions[index].file(template: reference.route)
        else { return [] }
        let disk = devices[device].disk
        let published = library.content(of: file)
        return disk.files(under: DiskPath(.data, "")).filter { path in
            guard let stored = disk.content(of: path, isPristine: true) else { return false }
            return published.isContent(of: stored)
        }
    }

    /// The record with the higher generation, which is the second word of a record's first line.
    private func newerRecord(_ disk: SimulatedDisk) -> DiskPath? {
        let paths = [StorePaths.recordA, StorePaths.recordB].filter { disk.content(of: $0) != nil }
        guard paths.count == 2 else { return paths.first }
        return generation(paths[0], disk) >= generation(paths[1], disk) ? paths[0] : paths[1]
    }

    private func generation(_ path: DiskPath, _ disk: SimulatedDisk) -> Int {
        let start = disk.content(of: path)?.read(at: 0, count: 64) ?? []
        let words = start.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count == 3 else { return -1 }
        return Int(String(decoding: words[1], as: UTF8.self)) ?? -1
    }
}
