import Backend
import Core

/// Which pending operations depend on which others, for one ``CrashProfile`` (``SimulatedDisk``). A set of
/// survivors is a legal outcome of a power cut if it is closed: with each operation it contains all that it
/// depends on.
struct PersistenceOrder {
    /// For each operation the earlier ones that it depends on directly.
    private let needs: [[Int]]

    var count: Int { needs.count }

    init(_ pending: [PendingOperation], _ profile: CrashProfile) {
        var builder = OrderBuilder(pending, profile)
        var needs: [[Int]] = []
        needs.reserveCapacity(pending.count)
        for index in pending.indices { needs.append(builder.needs(of: index)) }
        self.needs = needs
    }

    /// The smallest closed subset that contains all kept operations.
    func adding(to kept: [Bool]) -> [Bool] {
        var result = kept
        for index in needs.indices.reversed() where result[index] {
            for other in needs[index] { result[other] = true }
        }
        return result
    }

    /// The largest closed subset of the kept operations.
    func removing(from kept: [Bool]) -> [Bool] {
        var result = kept
        for index in needs.indices where result[index] {
            result[index] = needs[index].allSatisfy { result[$0] }
        }
        return result
    }

    /// All closed subsets; nil if there are more than `limit`.
    func closedSubsets(limit: Int) -> [[Bool]]? {
        var found: [[Bool]] = [[]]
        for index in needs.indices {
            var longer: [[Bool]] = []
            for kept in found {
                longer.append(kept + [false])
                if needs[index].allSatisfy({ kept[$0] }) { longer.append(kept + [true]) }
            }
            // Every closed subset of a prefix can be extended, so their number never shrinks.
            if longer.count > limit { return nil }
            found = longer
        }
        return found
    }
}

/// Finds the dependencies of each operation in program order, and keeps the last operation of each kind.
private struct OrderBuilder {
    private let pending: [PendingOperation]
    private let profile: CrashProfile
    private var lastMetadata: Int?
    private var lastData = LastIndices()
    private var lastSize = LastIndices()
    /// For each inode the first write that extended the file since its length was last set.
    private var growing = LastIndices()
    private var lastOfName = LastIndices()
    /// For each inode the last operation that gave it a name.
    private var lastNaming = LastIndices()
    /// For each inode the operations so far that change the names in it; inodes after the end have none. Most
    /// operations that ask replace a file: a process that writes an unsynced file for a day has thousands.
    private var nameChanges: [[Int]] = []

    init(_ pending: [PendingOperation], _ profile: CrashProfile) {
        self.pending = pending
        self.profile = profile
    }

    mutating func needs(of index: Int) -> [Int] {
        if profile == .prefix { return index == 0 ? [] : [index - 1] }
        let operation = pending[index]
        defer { noteNameChanges(index) }
        var result: [Int] = []
        if profile.isJournalled && !operation.isData, let lastMetadata { result.append(lastMetadata) }
        let object = operation.object
        switch operation.change {
        case .data(let block, _, let grows):
            result += lastData.replace(object, Int32(truncatingIfNeeded: block), with: index)
            if grows && growing[object, 0] == nil { _ = growing.replace(object, 0, with: index) }
        case .size:
            result += lastSize.replace(object, 0, with: index)
            if profile.sizeNeedsData, let first = growing[object, 0] {
                result += all(in: first..<index) { $0.object == object && $0.isGrowingData }
            }
            growing.remove(object, 0)
        case .add(let name, let inode):
            result += lastOfName.replace(object, name.key, with: index)
            _ = lastNaming.replace(inode, 0, with: index)
        case .removal(let name, let inode, let movedTo):
            result += lastOfName.replace(object, name.key, with: index)
            if let movedTo { result += newNames(of: inode, movedTo, from: object) }
            // A directory is removed only after all changes that emptied it; else a file moved out would be
            // lost.
            result += changes(ofNamesIn: inode)
        case .move(let name, let inode, let target, let replaced):
            result += lastOfName.replace(object, name.key, with: index)
            result += lastOfName.replace(target.directory, target.name.key, with: index)
            if target.directory != object { result += names(leadingTo: target.directory) }
            _ = lastNaming.replace(inode, 0, with: index)
            if let replaced {
                result += changes(ofNamesIn: replaced)
                if profile.replacementNeedsData {
                    result += all(in: 0..<index) { $0.object == inode && $0.isData }
                }
            }
        }
        if !operation.isData { lastMetadata = index }
        return result.filter { $0 != index }
    }

    private func all(in range: Range<Int>, _ isNeeded: (PendingOperation) -> Bool) -> [Int] {
        range.filter { isNeeded(pending[$0]) }
    }

    /// The earlier operations that change the entries of a directory.
    private func changes(ofNamesIn directory: InodeNumber) -> [Int] {
        Int(directory) < nameChanges.count ? nameChanges[Int(directory)] : []
    }

    private mutating func noteNameChanges(_ index: Int) {
        let (first, second) = pending[index].changedDirectories
        if first >= 0 { note(index, changes: first) }
        if second >= 0 && second != first { note(index, changes: second) }
    }

    private mutating func note(_ index: Int, changes directory: InodeNumber) {
        while nameChanges.count <= Int(directory) { nameChanges.append([]) }
        nameChanges[Int(directory)].append(index)
    }

    /// For a rename: the pending name at its target, and those of the directories above it. Within one
    /// directory the file is lost with it or stays with it, under either name.
    private func newNames(of inode: InodeNumber, _ location: EntryLocation, from source: InodeNumber)
        -> [Int]
    {
        let way = location.directory == source ? [] : names(leadingTo: location.directory)
        guard let index = lastOfName[location.directory, location.name.key],
            pending[index].namedInode == inode
        else {
            return way
        }
        return way + [index]
    }

    /// The pending names of a directory and those above it: without them, what moved there would be lost too.
    private func names(leadingTo directory: InodeNumber) -> [Int] {
        var result: [Int] = []
        var directory = directory
        while let index = lastNaming[directory, 0], !result.contains(index) {
            result.append(index)
            directory = pending[index].receivingDirectory
        }
        return result
    }
}

/// An index for each pair of integers, sorted by the pair.
private struct LastIndices {
    private var keys: [Int64] = []
    private var indices: [Int] = []

    subscript(_ first: Int32, _ second: Int32) -> Int? {
        let key = LastIndices.key(first, second)
        let position = position(of: key)
        return position < keys.count && keys[position] == key ? indices[position] : nil
    }

    /// Replaces the index of a pair; returns the previous one, if there was one.
    mutating func replace(_ first: Int32, _ second: Int32, with index: Int) -> [Int] {
        let key = LastIndices.key(first, second)
        let position = position(of: key)
        if position < keys.count && keys[position] == key {
            defer { indices[position] = index }
            return [indices[position]]
        }
        keys.insert(key, at: position)
        indices.insert(index, at: position)
        return []
    }

    mutating func remove(_ first: Int32, _ second: Int32) {
        let key = LastIndices.key(first, second)
        let position = position(of: key)
        guard position < keys.count && keys[position] == key else { return }
        keys.remove(at: position)
        indices.remove(at: position)
    }

    private static func key(_ first: Int32, _ second: Int32) -> Int64 { Int64(first) << 32 | Int64(second) }

    private func position(of key: Int64) -> Int {
        keys.indices.bisected { keys[$0] < key }
    }
}

extension PendingOperation {
    fileprivate var isGrowingData: Bool {
        if case .data(_, _, true) = change { return true }
        return false
    }
}
