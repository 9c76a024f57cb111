import Core

/// Two disks are equal if no later call can tell them apart: same live and durable image, same pending
/// operations in the same order, same syncs in flight, handles, faults and damage. Inode numbers, name ids,
/// costs and counts are ignored.
extension SimulatedDisk: Equatable {
    package static func == (left: SimulatedDisk, right: SimulatedDisk) -> Bool {
        guard left.profile == right.profile, left.nameRule == right.nameRule,
            left.blockSize == right.blockSize, left.key == right.key,
            left.capacity == right.capacity, left.syncsReachMedium == right.syncsReachMedium,
            left.cost == right.cost, left.faults.matches(right.faults, left.operations, right.operations)
        else { return false }
        var data = TreeMatch(left, right, .data)
        var package = TreeMatch(left, right, .package)
        return data.rootsMatch() && package.rootsMatch()
            && handlesMatch(left, right, &data, &package)
            && damagesMatch(left, right, &data, &package)
            && left.pending.count == right.pending.count
            && zip(left.pending, right.pending).allSatisfy { data.matches($0, $1) }
            && syncsMatch(left, right, &data)
            && data.waitingMatch() && package.waitingMatch()
    }

    private static func handlesMatch(
        _ left: SimulatedDisk, _ right: SimulatedDisk, _ data: inout TreeMatch, _ package: inout TreeMatch
    ) -> Bool {
        guard left.openFiles.count == right.openFiles.count else { return false }
        for (one, other) in zip(left.openFiles, right.openFiles) {
            guard let one, let other else {
                if one != nil || other != nil { return false }
                continue
            }
            guard one.volume == other.volume, one.isWritable == other.isWritable, one.isLock == other.isLock,
                left.names.path(one.path) == right.names.path(other.path)
            else { return false }
            let isSame =
                one.volume == .data
                ? data.matches(one.inode, other.inode) : package.matches(one.inode, other.inode)
            if !isSame { return false }
        }
        return true
    }

    private static func syncsMatch(_ left: SimulatedDisk, _ right: SimulatedDisk, _ data: inout TreeMatch)
        -> Bool
    {
        guard left.syncsInFlight.count == right.syncsInFlight.count else { return false }
        for (one, other) in zip(left.syncsInFlight, right.syncsInFlight) {
            guard one.ticket == other.ticket, one.target == other.target, one.flaw == other.flaw,
                left.covered(by: one) == right.covered(by: other)
            else { return false }
            guard let mine = one.coverage, let theirs = other.coverage else {
                if one.coverage != nil || other.coverage != nil { return false }
                continue
            }
            if !data.matches(mine.object, theirs.object) { return false }
        }
        return true
    }

    private static func damagesMatch(
        _ left: SimulatedDisk, _ right: SimulatedDisk, _ data: inout TreeMatch, _ package: inout TreeMatch
    ) -> Bool {
        guard left.faults.damages.count == right.faults.damages.count else { return false }
        for (one, other) in zip(left.faults.damages, right.faults.damages) {
            guard one.volume == other.volume, one.damage == other.damage else { return false }
            let isSame =
                one.volume == .data
                ? data.matches(one.inode, other.inode) : package.matches(one.inode, other.inode)
            if !isSame { return false }
        }
        return true
    }
}

extension DiskFaults {
    /// Compares everything but the damage, which names inodes.
    fileprivate func matches(_ other: DiskFaults, _ operations: Int, _ otherOperations: Int) -> Bool {
        var mine = self
        var theirs = other
        mine.damages = []
        theirs.damages = []
        mine.lastOperation = lastOperation.map { $0 - operations }
        theirs.lastOperation = other.lastOperation.map { $0 - otherOperations }
        return mine == theirs
    }
}

/// Walks one volume of two disks at once and pairs their inodes: each has at most one partner.
private struct TreeMatch {
    private let left: VolumeTree
    private let right: VolumeTree
    private let leftNames: NameTable
    private let rightNames: NameTable
    private let haveSameNames: Bool
    private var partners: [InodeNumber]
    private var isTaken: [Bool]
    private var waiting: [(left: InodeNumber, right: InodeNumber)] = []

    init(_ left: SimulatedDisk, _ right: SimulatedDisk, _ volume: Volume) {
        self.left = left.tree(volume)
        self.right = right.tree(volume)
        leftNames = left.names
        rightNames = right.names
        haveSameNames = leftNames.sharesNames(with: rightNames)
        partners = [InodeNumber](repeating: -1, count: self.left.inodeNumbers.count)
        isTaken = [Bool](repeating: false, count: self.right.inodeNumbers.count)
    }

    mutating func rootsMatch() -> Bool { matches(VolumeTree.root, VolumeTree.root) && waitingMatch() }

    mutating func matches(_ one: InodeNumber, _ other: InodeNumber) -> Bool {
        if partners[Int(one)] == other { return true }
        if partners[Int(one)] != -1 || isTaken[Int(other)] { return false }
        partners[Int(one)] = other
        isTaken[Int(other)] = true
        waiting.append((one, other))
        return true
    }

    /// Compares the inodes that were paired and not yet compared, and all beneath them.
    mutating func waitingMatch() -> Bool {
        while let (one, other) = waiting.popLast() {
            let isShared = left.sharesInode(one, with: right, other)
            guard isShared || hasSameContent(one, other), matches(left[one].names, right[other].names),
                matches(left[one].durableNames, right[other].durableNames)
            else { return false }
        }
        return true
    }

    private func hasSameContent(_ one: InodeNumber, _ other: InodeNumber) -> Bool {
        left[one].kind == right[other].kind && left[one].isUncertain == right[other].isUncertain
            && left[one].live == right[other].live && left[one].durable == right[other].durable
    }

    private mutating func matches(_ mine: [DirectoryEntry], _ theirs: [DirectoryEntry]) -> Bool {
        guard mine.count == theirs.count else { return false }
        for entry in mine {
            guard let name = translated(entry.name), let other = theirs.entry(named: name),
                other.name.spelling == name.spelling, matches(entry.inode, other.inode)
            else { return false }
        }
        return true
    }

    mutating func matches(_ mine: PendingOperation, _ theirs: PendingOperation) -> Bool {
        guard mine.isInDeviceCache == theirs.isInDeviceCache, matches(mine.object, theirs.object) else {
            return false
        }
        switch (mine.change, theirs.change) {
        case (.data, .data), (.size, .size): return mine.change == theirs.change
        case (.add(let name, let inode), .add(let otherName, let otherInode)):
            return translated(name) == otherName && matches(inode, otherInode)
        case (
            .removal(let name, let inode, let location),
            .removal(let otherName, let otherInode, let otherLocation)
        ):
            return translated(name) == otherName && matches(inode, otherInode)
                && matches(location, otherLocation)
        case (
            .move(let name, let inode, let location, let replaced),
            .move(let otherName, let otherInode, let otherLocation, let otherReplaced)
        ):
            guard translated(name) == otherName, matches(inode, otherInode), matches(location, otherLocation)
            else {
                return false
            }
            guard let replaced, let otherReplaced else { return replaced == nil && otherReplaced == nil }
            return matches(replaced, otherReplaced)
        case (.data, _), (.size, _), (.add, _), (.removal, _), (.move, _): return false
        }
    }

    private mutating func matches(_ mine: EntryLocation?, _ theirs: EntryLocation?) -> Bool {
        guard let mine, let theirs else { return mine == nil && theirs == nil }
        return translated(mine.name) == theirs.name && matches(mine.directory, theirs.directory)
    }

    /// Id of the same name on the right disk. Forks have equal ids for all names known before the fork.
    private func translated(_ name: NameID) -> NameID? {
        if haveSameNames { return name }
        return rightNames.spelled(leftNames.name(name))
    }
}
