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

/// A path of the data volume that a call touched.
package struct DiskChange: Hashable, Sendable {
    /// The disk's own number of the path; the same path always has the same one.
    package let number: Int
    /// A sync: what was touched before may be durable now.
    package let isSync: Bool
}

extension SimulatedDisk {
    /// The mark that ``changes(since:)`` would give now.
    package var changeMark: Int { journal.next }

    /// What was touched since a mark, and the mark from here on; nil: more than is remembered.
    package func changes(since mark: Int) -> (changes: [DiskChange]?, mark: Int) {
        let changes = journal.entries(since: mark)?.map { entry in
            DiskChange(number: Int(entry.path), isSync: entry.isSync)
        }
        return (changes, journal.next)
    }

    /// The path of the data volume that a number stands for.
    package func path(numbered number: Int) -> DiskPath {
        DiskPath(.data, names.path(PathNumber(truncatingIfNeeded: number)))
    }

    /// The number of a path of the data volume; nil where no call has named it.
    package func number(of path: DiskPath) -> Int? { names.known(path: path.text).map { Int($0) } }

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
