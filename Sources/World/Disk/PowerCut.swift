import Backend
import Core
import ScenarioLanguage

/// What becomes durable, and what is left when power or the process goes.
extension SimulatedDisk {
    /// Pending operations: what is not durable yet.
    package var pendingCount: Int { pending.count }

    /// The outcomes that a power cut can have now. Where garbage is left, torn writes are among them.
    package func powerCutPlan() -> PowerCutPlan {
        let tearing = faults.leavesGarbage ? pending.indices.filter { pending[$0].isData } : []
        return PowerCutPlan(PersistenceOrder(pending, profile), tearing: tearing)
    }

    /// The process dies: handles and locks are gone, all that was accepted stays, durable or not.
    package mutating func processEnded() {
        for index in openFiles.indices.reversed() where openFiles.indices.contains(index) {
            dropHandle(FileHandle(id: Int32(index)))
        }
        // A stop that has not come yet is one of the next process.
        if isStopped { resume() }
    }

    /// The power goes: of what was pending the outcome survives, and the device starts from the medium.
    /// Says which of the pending operations survived.
    @discardableResult
    package mutating func powerCut(keeping outcome: PowerCutOutcome) -> [Bool] {
        cut(keeping: outcome, isCacheKept: false)
    }

    /// The system crashes or its watchdog bites: as a power cut, but what the device has in its cache
    /// survives (profile `apple` with plain syncs; else there is no difference).
    @discardableResult
    package mutating func kernelPanic(keeping outcome: PowerCutOutcome) -> [Bool] {
        cut(keeping: outcome, isCacheKept: true)
    }

    /// The device is switched off in order, or restarts: everything becomes durable first.
    package mutating func cleanShutdown() { powerCut(keeping: .everything) }

    /// Everything accepted becomes durable, as the system's own writeback does after some seconds.
    package mutating func flush() {
        journal.noteEverything()
        retire { _ in true }
    }

    /// The disk after a power cut that none of the pending operations survives.
    package func worstDurableImage() -> SimulatedDisk {
        var image = self
        image.powerCut(keeping: .nothing)
        return image
    }

    /// The calls from here on work again.
    package mutating func resume() {
        faults.isStopped = false
        faults.lastOperation = nil
        faults.lastWrite = nil
        callsAfterStop = 0
    }

    private mutating func cut(keeping outcome: PowerCutOutcome, isCacheKept: Bool) -> [Bool] {
        var survivors: [Bool]
        switch outcome {
        case .nothing: survivors = pending.map { _ in false }
        case .everything, .torn: survivors = pending.map { _ in true }
        case .only, .allBut, .pair, .metadataOnly, .dataOnly, .these, .keyed:
            survivors = outcome.survivors(of: pending, PersistenceOrder(pending, profile))
        }
        if isCacheKept, pending.contains(where: { $0.isInDeviceCache }) {
            for index in pending.indices where pending[index].isInDeviceCache { survivors[index] = true }
            survivors = PersistenceOrder(pending, profile).adding(to: survivors)
        }
        var torn: Int?
        if case .torn(let index) = outcome, pending.indices.contains(index), pending[index].isData {
            torn = index
        }
        journal.noteEverything()
        apply(survivors, torn: torn, leavesGarbage: faults.leavesGarbage && profile.canShowGarbage)
        pending = []
        openFiles = []
        usedSpace = data.restart()
        if !faults.damages.isEmpty {
            let tree = data
            faults.damages.removeAll { $0.volume == .data && tree[$0.inode].kind == .unused }
        }
        if isStopped { resume() }
        return survivors
    }

    // MARK: - Syncs

    mutating func retireContent(of inode: InodeNumber) {
        if faults.ignoresSyncs { return struck.formUnion(.lyingSync) }
        let isAlone = profile == .strict || profile == .alice
        if isAlone && !data[inode].isUncertain {
            // Nothing here needs what belongs to another file, and all of this file's is pending or durable.
            guard pending.contains(where: { $0.object == inode && $0.isContent }) else { return }
            data[inode].durable = data[inode].live
            pending.removeAll { $0.object == inode && $0.isContent }
            return
        }
        retire { $0.object == inode && $0.isContent }
    }

    mutating func retireNames(of directory: InodeNumber) {
        if faults.ignoresSyncs { return struck.formUnion(.lyingSync) }
        if retire({ $0.changesNames(of: directory) }) { forgetUnreachable() }
    }

    /// Makes these durable, and all that they need. Says whether a durable name went by it.
    @discardableResult
    private mutating func retire(_ isRetired: (PendingOperation) -> Bool) -> Bool {
        let isFull = profile == .apple && syncsReachMedium
        var chosen = pending.map { isRetired($0) || (isFull && $0.isInDeviceCache) }
        guard chosen.contains(true) else { return false }
        // New names need no more than earlier operations on the same name, which are chosen as well.
        let isClosed = zip(pending, chosen).allSatisfy { !$1 || ($0.isNewName && !profile.isJournalled) }
        if !isClosed || profile == .prefix {
            chosen = PersistenceOrder(pending, profile).adding(to: chosen)
        }
        if profile == .apple && !syncsReachMedium {
            for index in pending.indices where chosen[index] { pending[index].isInDeviceCache = true }
            return false
        }
        let isNameLost = apply(chosen, torn: nil, leavesGarbage: false)
        var kept = 0
        for index in pending.indices where !chosen[index] {
            pending.swapAt(kept, index)
            kept += 1
        }
        pending.removeSubrange(kept...)
        return isNameLost
    }

    /// Drops what is pending on files that no durable name reaches and no pending one will: it can't be
    /// seen after any crash.
    private mutating func forgetUnreachable() {
        guard !pending.isEmpty else { return }
        while true {
            var isReached = data.durableReach()
            for operation in pending { if let inode = operation.namedInode { isReached[Int(inode)] = true } }
            // A directory with a pending new name brings all that it durably holds.
            var waiting = data.numbers.filter { isReached[Int($0)] }
            while let number = waiting.popLast() {
                for entry in data[number].durableNames where !isReached[Int(entry.inode)] {
                    isReached[Int(entry.inode)] = true
                    waiting.append(entry.inode)
                }
            }
            let before = pending.count
            pending.removeAll { operation in
                if case .move = operation.change { return false }
                return !isReached[Int(operation.object)]
            }
            if pending.count == before { return }
        }
    }

    /// A call failed late: what it should have brought to the medium is lost, or a part of it.
    mutating func fail(_ call: DiskCall, _ target: CallTarget, _ fault: DiskFault) {
        switch (call, target) {
        case (.sync, .handle(let file)), (.close, .handle(let file)):
            if let open = openFile(file), open.volume == .data {
                data[open.inode].isUncertain = true
                lose(fault) { $0.object == open.inode && $0.isContent }
            }
            if call == .close { dropHandle(file) }
        case (.syncDirectory, .path(let path)):
            guard path.volume == .data, case .success(let directory) = find(path) else { return }
            lose(fault) { $0.changesNames(of: directory) }
        default: break
        }
    }

    private mutating func lose(_ fault: DiskFault, _ isLost: (PendingOperation) -> Bool) {
        let affected = pending.map(isLost)
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
        var rest: [PendingOperation] = []
        for index in pending.indices where !affected[index] { rest.append(pending[index]) }
        pending = rest
    }

    // MARK: - The medium

    /// Brings these operations to the durable image, in program order. Says whether a name went, or came to
    /// stand for another file.
    @discardableResult
    private mutating func apply(_ chosen: [Bool], torn: Int?, leavesGarbage: Bool) -> Bool {
        var written: [InodeNumber] = []
        var isNameLost = false
        for index in pending.indices {
            let operation = pending[index]
            let inode = operation.object
            switch operation.change {
            case .data(let block, let image, _):
                if chosen[index] && index != torn {
                    data[inode].durable.placeLoose(image, at: block)
                } else if leavesGarbage && !isOverwritten(index, chosen) {
                    data[inode].durable.placeLoose(garbage(image.count, block), at: block)
                } else if index == torn {
                    data[inode].durable.placeLoose(ContentBlock.zero(image.count), at: block)
                } else {
                    continue
                }
                if written.last != inode { written.append(inode) }
            case .size(let size):
                guard chosen[index] else { continue }
                data[inode].durable.sizeLoose(size)
                if written.last != inode { written.append(inode) }
            case .add(let name, let named):
                guard chosen[index] else { continue }
                if data[inode].durableNames.inode(named: name) != nil { isNameLost = true }
                data[inode].durableNames.put(name, named)
            case .removal(let name, _, _):
                guard chosen[index] else { continue }
                isNameLost = true
                data[inode].durableNames.drop(name)
            case .move(let name, let named, let place, _):
                guard chosen[index] else { continue }
                isNameLost = true
                data[inode].durableNames.drop(name)
                data[place.directory].durableNames.put(place.name, named)
            }
        }
        for inode in written {
            data[inode].durable.settle()
            // What is durable in full is the live content: from here on both are the same blocks.
            if data[inode].durable == data[inode].live { data[inode].durable = data[inode].live }
        }
        return isNameLost
    }

    /// Garbage only where the latest write of a block is lost: an earlier one that is lost was never begun
    /// or is covered.
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
