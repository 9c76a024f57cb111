import Backend
import Core

/// When pending operations reach the medium: by a sync, by the system's writeback, in part by a sync that
/// fails. What a power cut keeps is in `PowerCut.swift`.
extension SimulatedDisk {
    /// Makes everything accepted durable, as the system's writeback does after some seconds.
    package mutating func flush() {
        journal.noteEverything()
        retire { _ in true }
    }

    // MARK: - Syncs

    /// Makes durable what a sync covers.
    mutating func retire(_ coverage: SyncCoverage) {
        if faults.ignoresSyncs { return faultEffects.formUnion(.lyingSync) }
        switch coverage.what {
        case .content: retireContent(coverage)
        case .names:
            if retireNames(coverage) { forgetUnreachable() }
        }
    }

    private mutating func retireContent(_ coverage: SyncCoverage) {
        let inode = coverage.object
        let isAlone = profile == .strict || profile == .alice
        if isAlone && !data[inode].isUncertain {
            // The file's operations depend on no other file, and all its content is pending or durable.
            let indices = pendingOperations.indices(ofContentOf: inode)
            let covered = indices.count { coverage.contains(pending[$0]) }
            if covered == 0 { return }
            // None was added after the sync's submission.
            if covered == indices.count {
                data[inode].durable = data[inode].live
                return pendingOperations.remove(at: indices)
            }
        }
        retire(before: coverage.ordinal) { coverage.contains($0) }
    }

    /// - Returns: whether a durable name was removed, or now means another file.
    private mutating func retireNames(_ coverage: SyncCoverage) -> Bool {
        let areNamesAlone = !profile.isJournalled && profile != .prefix && profile != .apple
        guard areNamesAlone else { return retire(before: coverage.ordinal) { coverage.contains($0) } }
        let indices = pendingOperations.indices(ofNamesIn: coverage.object).filter {
            coverage.contains(pending[$0])
        }
        // New names depend only on earlier operations on the same name, which are covered as well.
        guard indices.allSatisfy({ pending[$0].isNewName }) else {
            return retire(before: coverage.ordinal) { coverage.contains($0) }
        }
        var isNameLost = false
        for index in indices where addDurableName(pending[index]) { isNameLost = true }
        pendingOperations.remove(at: indices)
        return isNameLost
    }

    /// Makes a new name durable.
    /// - Returns: whether it meant another file.
    private mutating func addDurableName(_ operation: PendingOperation) -> Bool {
        guard case .add(let name, let inode) = operation.change else { return false }
        let directory = operation.object
        let isReplaced = data[directory].durableNames.inode(named: name) != nil
        data[directory].durableNames.put(name, inode)
        return isReplaced
    }

    /// Makes these operations durable, with all that they depend on.
    /// - Parameter ordinal: ordinal of the sync that does it; a full sync also retires what the device had in
    ///   its cache before.
    /// - Returns: whether a durable name was removed.
    @discardableResult
    private mutating func retire(
        before ordinal: UInt32 = .max, _ isRetired: (PendingOperation) -> Bool
    ) -> Bool {
        var chosen = pending.map { isRetired($0) || isFlushed($0, byFullSync: ordinal) }
        guard chosen.contains(true) else { return false }
        // New names depend only on earlier operations on the same name, which are chosen as well.
        let isClosed = zip(pending, chosen).allSatisfy { !$1 || ($0.isNewName && !profile.isJournalled) }
        if !isClosed || profile == .prefix {
            chosen = PersistenceOrder(pending, profile).adding(to: chosen)
        }
        if profile == .apple && !syncsReachMedium {
            for index in chosen.indices where chosen[index] { pendingOperations.reachedDeviceCache(index) }
            return false
        }
        let isNameLost = apply(chosen, torn: nil, leavesGarbage: false)
        pendingOperations.remove(at: chosen.indices.filter { chosen[$0] })
        return isNameLost
    }

    /// Whether a sync is a full one (`F_FULLFSYNC`), and the device has the operation in its cache since
    /// before that sync: a full sync covers all earlier plain ones of the device.
    func isFlushed(_ operation: PendingOperation, byFullSync ordinal: UInt32) -> Bool {
        profile == .apple && syncsReachMedium && operation.isInDeviceCache && operation.syncsBefore < ordinal
    }

    /// Drops pending operations of files that neither a durable nor a pending name reaches, because no crash
    /// can make them visible.
    private mutating func forgetUnreachable() {
        guard !pending.isEmpty else { return }
        while true {
            var isReached = data.durableReach()
            for operation in pending { if let inode = operation.namedInode { isReached[Int(inode)] = true } }
            // A directory with a pending name makes all its durable entries reachable.
            var waiting = data.inodeNumbers.filter { isReached[Int($0)] }
            while let number = waiting.popLast() {
                for entry in data[number].durableNames where !isReached[Int(entry.inode)] {
                    isReached[Int(entry.inode)] = true
                    waiting.append(entry.inode)
                }
            }
            let before = pending.count
            pendingOperations.removeAll { operation in
                if case .move = operation.change { return false }
                return !isReached[Int(operation.object)]
            }
            if pending.count == before { return }
        }
    }

    /// A failed sync or close loses the changes that it should have made durable, or a part of them.
    mutating func fail(_ call: DiskCall, _ target: CallTarget, _ fault: DiskFault) {
        switch (call, target) {
        case (.sync, .handle(let file)), (.close, .handle(let file)):
            if let open = openFile(file), open.volume == .data {
                lose(SyncCoverage(contentOf: open.inode), fault)
            }
            if call == .close { dropHandle(file) }
        case (.syncDirectory, .path(let path)):
            guard path.volume == .data, case .success(let directory) = find(path) else { return }
            lose(SyncCoverage(namesIn: directory), fault)
        case (.sync, .submitted(let sync)), (.syncDirectory, .submitted(let sync)):
            if let coverage = sync.coverage { lose(coverage, fault) }
        default: break
        }
    }

    private mutating func lose(_ coverage: SyncCoverage, _ fault: DiskFault) {
        if coverage.what == .content { data[coverage.object].isUncertain = true }
        let affected = pending.map { coverage.contains($0) }
        var survivors = affected
        for index in survivors.indices where survivors[index] {
            guard let key = fault.survivorsKey else {
                survivors[index] = false
                continue
            }
            var sum = Fingerprint(key: key)
            sum.add(index)
            survivors[index] = sum.value >> 63 == 0
        }
        survivors = PersistenceOrder(pending, profile).removing(from: survivors)
        apply(survivors, torn: nil, leavesGarbage: false)
        pendingOperations.remove(at: affected.indices.filter { affected[$0] })
    }

    // MARK: - The medium

    /// Applies these operations to the durable image, in program order.
    /// - Returns: whether a name was removed, or now means another file.
    @discardableResult
    mutating func apply(_ chosen: [Bool], torn: Int?, leavesGarbage: Bool) -> Bool {
        var written: [InodeNumber] = []
        var isNameLost = false
        for index in pending.indices {
            let operation = pending[index]
            let inode = operation.object
            switch operation.change {
            case .data(let block, let image, _):
                if chosen[index] && index != torn {
                    data[inode].durable.replaceBlock(image, at: block)
                } else if leavesGarbage && !isOverwritten(index, chosen) {
                    data[inode].durable.replaceBlock(garbage(image.count, block), at: block)
                } else if index == torn {
                    data[inode].durable.replaceBlock(ContentBlock.zero(image.count), at: block)
                } else {
                    continue
                }
                if written.last != inode { written.append(inode) }
            case .size(let size):
                guard chosen[index] else { continue }
                data[inode].durable.setSize(size)
                if written.last != inode { written.append(inode) }
            case .add:
                guard chosen[index] else { continue }
                if addDurableName(operation) { isNameLost = true }
            case .removal(let name, _, _):
                guard chosen[index] else { continue }
                isNameLost = true
                data[inode].durableNames.drop(name)
            case .move(let name, let named, let location, _):
                guard chosen[index] else { continue }
                isNameLost = true
                data[inode].durableNames.drop(name)
                data[location.directory].durableNames.put(location.name, named)
            }
        }
        for inode in written {
            data[inode].durable.makeConsistent()
            // Completely durable content shares its blocks with the live content from here on.
            if data[inode].durable == data[inode].live { data[inode].durable = data[inode].live }
        }
        return isNameLost
    }

    /// Whether a later write of the same block follows: only the loss of the latest one can leave garbage,
    /// because an earlier one was never begun or is covered.
    private func isOverwritten(_ index: Int, _ chosen: [Bool]) -> Bool {
        guard case .data(let block, _, _) = pending[index].change else { return false }
        let object = pending[index].object
        return pending[(index + 1)...].contains { later in
            if case .data(block, _, _) = later.change { return later.object == object }
            return false
        }
    }

    private func garbage(_ count: Int, _ block: Int) -> ContentBlock {
        var sum = Fingerprint(key: key)
        sum.add(block)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for index in 0..<count {
            sum.add(index)
            bytes.append(UInt8(truncatingIfNeeded: sum.value >> 24))
        }
        return ContentBlock(bytes)
    }
}
