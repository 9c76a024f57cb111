import Core

/// Removes what nothing names (ST-R2, ST-7), a few files to a step. What fails is tried again at the next
/// start.
struct GarbageCollection: Sendable {
    enum Stage: Sendable {
        case tables
        case partial
        case folders
        /// Folders that are to be looked through, and what was named when the first one was.
        case blobs([String], named: [Digest256])
    }

    var stage = Stage.tables
    var removals: [DiskPath] = []
    static let removalsPerStep = 10
}

extension Updater {
    mutating func scheduleSweep() { effects.append(.setTimer(.sweep, after: .seconds(60))) }

    /// Only on the strength of a record that was read, and of one that is written (ST-R1, R7).
    mutating func sweepNow() {
        guard phase == .running, mayDelete else { return }
        let isWaiting = background.contains { job in if case .sweep = job { true } else { false } }
        if !isWaiting { background.append(.sweep(GarbageCollection())) }
    }

    mutating func stepSweep(_ sweep: GarbageCollection, _ disk: inout some Disk) -> GarbageCollection? {
        var sweep = sweep
        if !sweep.removals.isEmpty {
            remove(&sweep, &disk)
            return sweep
        }
        do {
            guard let next = try list(&sweep, &disk) else { return nil }
            sweep.stage = next
            return sweep
        } catch {
            log(.diskFailed, nil, "clean-up: \(error)")
            return nil
        }
    }

    private mutating func remove(_ sweep: inout GarbageCollection, _ disk: inout some Disk) {
        let portion = sweep.removals.prefix(GarbageCollection.removalsPerStep)
        sweep.removals.removeFirst(portion.count)
        // Asked again right before the removal: events come between two steps.
        let tables = portion.contains { $0.parent == StorePaths.tables } ? namedTables() : []
        let keys = portion.contains { $0.parent == StorePaths.partial } ? namedPartials() : []
        let blobs = portion.contains { $0.parent.parent == StorePaths.blobs } ? namedBlobs() : []
        for path in portion {
            let isNamed =
                switch path.parent {
                case StorePaths.tables: tables.contains(path.name)
                case StorePaths.partial: isNamedPartial(path.name, keys)
                default: Digest256(hex: path.name).map { contains(blobs, $0) } ?? false
                }
            if !isNamed { _ = disk.removeQuietly(path) }
        }
    }

    /// As ``partialKeysOfUnfinished()``; the last answer is kept as long as it is about the same rows.
    private mutating func namedPartials() -> [Digest256] {
        let tables = unfinished
        if let known = partialNames, known.tables == tables { return known.keys }
        let keys = partialKeysOfUnfinished()
        partialNames = tables.isEmpty ? nil : (tables, keys)
        return keys
    }

    /// Files of a download that was superseded go although another one is under way, but for what both want.
    private func isNamedPartial(_ name: String, _ keys: [Digest256]) -> Bool {
        guard !unfinished.isEmpty else { return durable.download != nil || record.download != nil }
        let stem = name.hasSuffix(".note") ? String(name.dropLast(5)) : name
        guard let key = Digest256(hex: stem) else { return true }
        return contains(keys, key)
    }

    private mutating func list(_ sweep: inout GarbageCollection, _ disk: inout some Disk) throws(DiskError)
        -> GarbageCollection
        .Stage?
    {
        switch sweep.stage {
        case .tables:
            let names = namedTables()
            sweep.removals = try disk.list(StorePaths.tables).filter { !names.contains($0) }
                .map { StorePaths.tables / $0 }
            return .partial
        case .partial:
            let names = try disk.list(StorePaths.partial)
            let keys = names.isEmpty ? [] : namedPartials()
            sweep.removals = names.filter { !isNamedPartial($0, keys) }.map { StorePaths.partial / $0 }
            return .folders
        case .folders:
            return .blobs(try disk.list(StorePaths.blobs), named: namedBlobs())
        case .blobs(var folders, let named):
            guard let folder = folders.popLast() else { return nil }
            sweep.removals = try disk.list(StorePaths.blobs / folder)
                .filter { name in Digest256(hex: name).map { !contains(named, $0) } ?? true }
                .map { StorePaths.blobs / folder / $0 }
            return .blobs(folders, named: named)
        }
    }

    func contains(_ sorted: [Digest256], _ digest: Digest256) -> Bool {
        let low = sorted.indices.bisected { sorted[$0] < digest }
        return low < sorted.count && sorted[low] == digest
    }
}
