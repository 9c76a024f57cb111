import Backend
import Core

/// Which pending operations need which others: the order ⊏ of storage.md for one profile. A subset is a
/// legal outcome of a power cut when it is closed: with an operation it has all that this one needs.
struct PersistenceOrder {
    /// For each operation the earlier ones it needs directly.
    private let needs: [[Int]]

    var count: Int { needs.count }

    init(_ pending: [PendingOperation], _ profile: CrashProfile) {
        var builder = OrderBuilder(pending, profile)
        var needs: [[Int]] = []
        needs.reserveCapacity(pending.count)
        for index in pending.indices { needs.append(builder.needs(of: index)) }
        self.needs = needs
    }

    /// The smallest closed subset with all that is kept: what is needed comes along.
    func adding(to kept: [Bool]) -> [Bool] {
        var result = kept
        for index in needs.indices.reversed() where result[index] {
            for other in needs[index] { result[other] = true }
        }
        return result
    }

    /// The largest closed subset within what is kept: what lacks something it needs goes too.
    func removing(from kept: [Bool]) -> [Bool] {
        var result = kept
        for index in needs.indices where result[index] {
            result[index] = needs[index].allSatisfy { result[$0] }
        }
        return result
    }

    /// All closed subsets; nil when there are more than `limit`.
    func closedSubsets(limit: Int) -> [[Bool]]? {
        var found: [[Bool]] = [[]]
        for index in needs.indices {
            var longer: [[Bool]] = []
            for kept in found {
                longer.append(kept + [false])
                if needs[index].allSatisfy({ kept[$0] }) { longer.append(kept + [true]) }
            }
            // Each subset of a beginning can be continued, so their number never shrinks.
            if longer.count > limit { return nil }
            found = longer
        }
        return found
    }
}

/// Finds what each operation needs, in program order, and remembers the last of each kind on the way.
private struct OrderBuilder {
    private let pending: [PendingOperation]
    private let profile: CrashProfile
    private var lastMetadata: Int?
    private var lastData = LastIndices()
    private var lastSize = LastIndices()
    /// By the inode: the first write that made the file longer since its length was last set.
    private var growing = LastIndices()
    private var lastOfName = LastIndices()
    /// By the inode that the name came to stand for.
    private var lastNaming = LastIndices()
    /// Of each operation so far the directories whose names it changes; -1 where there is none.
    private var changed: [(InodeNumber, InodeNumber)] = []

    init(_ pending: [PendingOperation], _ profile: CrashProfile) {
        self.pending = pending
        self.profile = profile
    }

    mutating func needs(of index: Int) -> [Int] {
        if profile == .prefix { return index == 0 ? [] : [index - 1] }
        let operation = pending[index]
        defer { changed.append(operation.changedDirectories) }
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
            if let movedTo { result += newNames(of: inode, movedTo) }
            // A directory goes only after all that emptied it, or a file moved out of it would be lost.
            result += changes(ofNamesIn: inode)
        case .move(let name, let inode, let target, let replaced):
            result += lastOfName.replace(object, name.key, with: index)
            result += lastOfName.replace(target.directory, target.name.key, with: index)
            result += names(leadingTo: target.directory)
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

    /// The earlier operations that change what stands in a directory.
    private func changes(ofNamesIn directory: InodeNumber) -> [Int] {
        var found: [Int] = []
        for (index, places) in changed.enumerated() where places.0 == directory || places.1 == directory {
            found.append(index)
        }
        return found
    }

    /// Of a rename: the pending name at its target, and those on the way there.
    private func newNames(of inode: InodeNumber, _ place: EntryPlace) -> [Int] {
        let way = names(leadingTo: place.directory)
        guard let index = lastOfName[place.directory, place.name.key], pending[index].namedInode == inode
        else {
            return way
        }
        return way + [index]
    }

    /// The pending names on the way to a directory: without them what moved there would be lost with it.
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

/// For each pair of numbers an index, sorted by the pair.
private struct LastIndices {
    private var keys: [Int64] = []
    private var indices: [Int] = []

    subscript(_ first: Int32, _ second: Int32) -> Int? {
        let key = LastIndices.key(first, second)
        let place = position(of: key)
        return place < keys.count && keys[place] == key ? indices[place] : nil
    }

    /// The index that stood there, if one did.
    mutating func replace(_ first: Int32, _ second: Int32, with index: Int) -> [Int] {
        let key = LastIndices.key(first, second)
        let place = position(of: key)
        if place < keys.count && keys[place] == key {
            defer { indices[place] = index }
            return [indices[place]]
        }
        keys.insert(key, at: place)
        indices.insert(index, at: place)
        return []
    }

    mutating func remove(_ first: Int32, _ second: Int32) {
        let key = LastIndices.key(first, second)
        let place = position(of: key)
        guard place < keys.count && keys[place] == key else { return }
        keys.remove(at: place)
        indices.remove(at: place)
    }

    private static func key(_ first: Int32, _ second: Int32) -> Int64 { Int64(first) << 32 | Int64(second) }

    private func position(of key: Int64) -> Int {
        keys.indices.bisected { keys[$0] < key }
    }
}

extension PendingOperation {
    /// -1 for none; two of a move alone.
    fileprivate var changedDirectories: (InodeNumber, InodeNumber) {
        switch change {
        case .data, .size: (-1, -1)
        case .add, .removal: (object, -1)
        case .move(_, _, let place, _): (object, place.directory)
        }
    }

    fileprivate var isGrowingData: Bool {
        if case .data(_, _, true) = change { return true }
        return false
    }
}
