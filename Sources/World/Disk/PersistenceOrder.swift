/// Which pending operations need which others: the order ⊏ of storage.md for one profile. A subset is a
/// legal outcome of a power cut when it is closed: with an operation it has all that this one needs.
struct PersistenceOrder {
    /// For each operation the earlier ones it needs directly.
    private let needs: [[Int]]

    var count: Int { needs.count }

    init(_ pending: [PendingOperation], _ profile: CrashProfile) {
        var needs: [[Int]] = []
        needs.reserveCapacity(pending.count)
        for index in pending.indices {
            needs.append(PersistenceOrder.needs(of: index, pending, profile))
        }
        self.needs = needs
    }

    private static func needs(of index: Int, _ pending: [PendingOperation], _ profile: CrashProfile)
        -> [Int]
    {
        if profile == .prefix { return index == 0 ? [] : [index - 1] }
        let operation = pending[index]
        let earlier = pending[..<index]
        var result: [Int] = []
        func need(_ other: Int?) { if let other { result.append(other) } }
        func needAll(_ isNeeded: (PendingOperation) -> Bool) {
            for other in earlier.indices where isNeeded(earlier[other]) { result.append(other) }
        }
        if profile.isJournalled && !operation.isData { need(earlier.lastIndex { !$0.isData }) }
        switch operation.change {
        case .data(let block, _, _):
            need(earlier.lastIndex { $0.object == operation.object && $0.isData(of: block) })
        case .size:
            let previous = earlier.lastIndex { $0.object == operation.object && $0.isSize }
            need(previous)
            if profile.sizeNeedsData {
                for other in (previous ?? -1) + 1..<index
                where earlier[other].object == operation.object && earlier[other].isGrowingData {
                    result.append(other)
                }
            }
        case .add(let name, _):
            let place = EntryPlace(directory: operation.object, name: name)
            need(earlier.lastIndex { $0.changes(place) })
        case .removal(let name, let inode, let movedTo):
            let place = EntryPlace(directory: operation.object, name: name)
            need(earlier.lastIndex { $0.changes(place) })
            if let movedTo {
                need(earlier.lastIndex { $0.changes(movedTo) && $0.namedInode == inode })
                result += names(leadingTo: movedTo.directory, earlier)
            }
            // A directory goes only after all that emptied it, or a file moved out of it would be lost.
            needAll { $0.changesNames(of: inode) }
        case .move(let name, let inode, let target, let replaced):
            let place = EntryPlace(directory: operation.object, name: name)
            need(earlier.lastIndex { $0.changes(place) })
            need(earlier.lastIndex { $0.changes(target) })
            result += names(leadingTo: target.directory, earlier)
            guard let replaced else { break }
            needAll { $0.changesNames(of: replaced) }
            if profile.replacementNeedsData { needAll { $0.object == inode && $0.isData } }
        }
        return result
    }

    /// The pending names on the way to a directory: without them what moved there would be lost with it.
    private static func names(leadingTo directory: InodeNumber, _ earlier: ArraySlice<PendingOperation>)
        -> [Int]
    {
        var result: [Int] = []
        var directory = directory
        while let index = earlier.lastIndex(where: { $0.namedInode == directory }), !result.contains(index) {
            result.append(index)
            directory = earlier[index].receivingDirectory
        }
        return result
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

    func isClosed(_ kept: [Bool]) -> Bool { removing(from: kept) == kept }

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

extension PendingOperation {
    fileprivate var isSize: Bool {
        if case .size = change { return true }
        return false
    }

    fileprivate func isData(of number: Int) -> Bool {
        if case .data(number, _, _) = change { return true }
        return false
    }

    fileprivate var isGrowingData: Bool {
        if case .data(_, _, true) = change { return true }
        return false
    }
}
