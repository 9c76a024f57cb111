import Backend
import Core

/// Which paths of the data volume were touched, so that somebody who watches the disk need not compare all
/// of it after each call. No part of a disk's state; short: who looks too seldom compares everything.
struct ChangeJournal: Sendable {
    struct Entry: Sendable {
        let path: PathNumber
        /// A sync: what was touched before may be durable now.
        let isSync: Bool
    }

    private(set) var entries: [Entry] = []
    /// The number of the first entry.
    private(set) var first = 0

    private static let most = 512

    var next: Int { first + entries.count }

    mutating func note(_ path: PathNumber, isSync: Bool) {
        if entries.count == ChangeJournal.most {
            first += entries.count
            entries.removeAll(keepingCapacity: true)
        }
        entries.append(Entry(path: path, isSync: isSync))
    }

    /// Anything may be different.
    mutating func noteEverything() {
        first = next + 1
        entries.removeAll(keepingCapacity: true)
    }

    /// Nil when some of them are forgotten.
    func entries(since mark: Int) -> ArraySlice<Entry>? {
        guard mark >= first, mark <= next else { return nil }
        return entries[(mark - first)...]
    }
}

extension SimulatedDisk: ObservableDisk {
    package var changeMark: Int { journal.next }

    package func changes(since mark: Int) -> (changes: [DiskChange]?, mark: Int) {
        let changes = journal.entries(since: mark)?.map { entry in
            DiskChange(pathIndex: Int(entry.path), isSync: entry.isSync)
        }
        return (changes, journal.next)
    }

    package func path(at index: Int) -> DiskPath {
        DiskPath(.data, names.path(PathNumber(truncatingIfNeeded: index)))
    }

    package func index(of path: DiskPath) -> Int? { names.known(path: path.text).map { Int($0) } }

    /// Notes a call that may change something, whether or not it comes to an end.
    mutating func note(_ call: DiskCall, _ target: CallTarget) {
        let isSync: Bool
        switch call {
        case .sync, .syncDirectory: isSync = true
        case .write, .truncate, .makeDirectory, .rename, .remove, .removeDirectory: isSync = false
        // Opening notes what it creates.
        case .open, .lock, .close, .read, .size, .status, .list, .freeSpace: return
        }
        // What one spelling changes is changed for the other, whose path has another number.
        if names.hasTwins { return journal.noteEverything() }
        switch target {
        case .path(let path) where path.volume == .data:
            journal.note(names.number(of: path.text), isSync: isSync)
        case .handle(let file):
            guard let open = openFile(file), open.volume == .data else { return }
            journal.note(open.path, isSync: isSync)
        case .path, .volume: break
        }
    }
}
