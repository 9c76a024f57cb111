import Backend
import Core

/// Paths of the data volume that calls touched, so that an observer need not compare the whole disk after
/// each call. It is not part of a disk's state, and it is short: an observer that reads it too seldom has to
/// compare everything.
struct ChangeJournal: Sendable {
    struct Entry: Sendable {
        let path: PathID
        /// Whether the call was a sync, after which earlier changes may be durable.
        let isSync: Bool
    }

    private(set) var entries: [Entry] = []
    /// Revision of the first entry.
    private(set) var first = 0

    private static let most = 512

    var next: Int { first + entries.count }

    mutating func note(_ path: PathID, isSync: Bool) {
        if entries.count == ChangeJournal.most {
            // An observer that reads after each event still finds what it has not read.
            first += ChangeJournal.most / 2
            entries.removeFirst(ChangeJournal.most / 2)
        }
        entries.append(Entry(path: path, isSync: isSync))
    }

    /// Notes that anything may have changed.
    mutating func noteEverything() {
        first = next + 1
        entries.removeAll(keepingCapacity: true)
    }

    /// The entries since a revision; nil if some of them were dropped.
    func entries(since revision: Int) -> ArraySlice<Entry>? {
        guard revision >= first, revision <= next else { return nil }
        return entries[(revision - first)...]
    }
}

extension SimulatedDisk: ObservableDisk {
    package var revision: Int { journal.next }

    package func changes(since revision: Int) -> (changes: [DiskChange]?, revision: Int) {
        let changes = journal.entries(since: revision)?.map { entry in
            DiskChange(pathIndex: Int(entry.path), isSync: entry.isSync)
        }
        return (changes, journal.next)
    }

    package func path(at index: Int) -> DiskPath {
        DiskPath(.data, names.path(PathID(truncatingIfNeeded: index)))
    }

    package func index(of path: DiskPath) -> Int? { names.known(path: path.text).map { Int($0) } }

    package var openPaths: [DiskPath] {
        openFiles.compactMap { file in
            guard let file, !file.isLock else { return nil }
            return DiskPath(file.volume, names.path(file.path))
        }
    }

    /// Notes a call that may change something, whether or not it succeeds.
    mutating func note(_ call: DiskCall, _ target: CallTarget) {
        let isSync: Bool
        switch call {
        case .sync, .syncDirectory: isSync = true
        case .write, .truncate, .makeDirectory, .rename, .remove, .removeDirectory: isSync = false
        // Opening notes what it creates.
        case .open, .lock, .close, .read, .size, .status, .list, .freeSpace: return
        }
        // A change under one spelling is a change under the other, whose path has another id.
        if names.hasTwins { return journal.noteEverything() }
        switch target {
        case .submitted(let sync): note(call, sync.target.callTarget)
        case .path(let path) where path.volume == .data:
            journal.note(names.id(of: path.text), isSync: isSync)
        case .handle(let file):
            guard let open = openFile(file), open.volume == .data else { return }
            journal.note(open.path, isSync: isSync)
        case .path, .volume: break
        }
    }
}
