import Core

/// Removes files that nothing refers to, a few per step. A failed removal is tried again at the next start.
struct GarbageCollection: Sendable {
    enum Stage: Sendable {
        case tables
        case partial
        case folders
        /// Folders that are still to be listed, and the blobs that were referenced when the first one was
        /// listed.
        case blobs([String], referenced: [Digest256])
    }

    var stage = Stage.tables
    var removals: [DiskPath] = []
    /// Versions that were out of use when it began.
    var unused: [VersionKey] = []
    /// Error of the first removal that failed.
    var error: DiskError?
    static let removalsPerStep = 10
}

extension Updater {
    mutating func scheduleGarbageCollection() {
        effects.append(.setTimer(.collectGarbage, after: .seconds(60)))
    }

    /// Requires that the record was read without an error and is written (R7), because the record on the disk
    /// may name files that the one in memory does not. One that is under way may have passed what is unused
    /// since: then another one follows a minute later.
    mutating func collectGarbage() {
        guard store.mayCollectGarbage else { return }
        guard isRecordedContentKnown else { return scheduleGarbageCollection() }
        let isUnderWay = jobs.contains { job in if case .collectGarbage = job { true } else { false } }
        isUnderWay ? scheduleGarbageCollection() : jobs.add(.collectGarbage(GarbageCollection()))
    }

    /// Whether the tables of all versions that the durable record names have been read. One whose table is
    /// damaged is named until the record is written, and nobody knows what it uses.
    private var isRecordedContentKnown: Bool {
        durable.versions.allSatisfy { versions.known($0.key) != nil }
    }

    /// The process has been idle for a minute. A record whose sync failed, or that could not be written, or
    /// that still keeps all files (N2) is written anew first: not earlier, because a page load would wait for
    /// that commit (S9).
    mutating func collectGarbageWhenIdle() {
        let isOutdated = !isRecordedContentKnown || durable.keepsNewerFormat
        if store.phase == .running, store.isRecordUnsynced || store.mayDelete && isOutdated {
            return commit(then: .collectGarbage)
        }
        collectGarbage()
    }

    mutating func stepGarbageCollection(_ collection: GarbageCollection, _ disk: inout some Disk)
        -> GarbageCollection?
    {
        // The record may have become unknown since it began.
        guard store.mayCollectGarbage else { return nil }
        var collection = collection
        if !collection.removals.isEmpty {
            remove(&collection, &disk)
            return collection
        }
        do {
            guard let next = try list(&collection, &disk) else {
                if let error = collection.error { throw error }
                versions.unusedContentRemoved(collection.unused)
                unusedContentIsGone()
                return nil
            }
            collection.stage = next
            return collection
        } catch {
            log(.diskFailed, nil, "clean-up: \(error)")
            return nil
        }
    }

    private mutating func remove(_ collection: inout GarbageCollection, _ disk: inout some Disk) {
        let chunk = collection.removals.prefix(GarbageCollection.removalsPerStep)
        collection.removals.removeFirst(chunk.count)
        // Checked again right before the removal, because events arrive between two steps.
        let tables = chunk.contains { $0.parent == StorePaths.tables } ? referencedTables() : []
        let keys = chunk.contains { $0.parent == StorePaths.partial } ? referencedPartials() : []
        let blobs = chunk.contains { $0.parent.parent == StorePaths.blobs } ? referencedBlobs() : []
        for path in chunk {
            let isReferenced =
                switch path.parent {
                case StorePaths.tables: tables.contains(path.name)
                case StorePaths.partial: isReferencedPartial(path.name, keys)
                default: isReferencedBlob(path, blobs)
                }
            if isReferenced { continue }
            do throws(DiskError) { try disk.removeIfPresent(path) } catch {
                collection.error = collection.error ?? error
            }
        }
    }

    /// Sorted names of the partial files that unfinished downloads may have.
    private mutating func referencedPartials() -> [Digest256] { partial.keys(of: unfinishedDownloads) }

    /// Whether a download still needs the file. Files of a superseded download are removed even while another
    /// one is in progress, except those that both use.
    private func isReferencedPartial(_ name: String, _ keys: [Digest256]) -> Bool {
        guard !unfinishedDownloads.isEmpty else { return durable.download != nil || record.download != nil }
        guard let key = Digest256(hex: StorePaths.partialName(name[...])) else { return true }
        return keys.containsBisected(key)
    }

    private mutating func list(_ collection: inout GarbageCollection, _ disk: inout some Disk)
        throws(DiskError)
        -> GarbageCollection
        .Stage?
    {
        switch collection.stage {
        case .tables:
            // What a crash left of a replacement. Nothing writes one now: the record is only written beside
            // its slots while nothing may be removed, the counts of starts in one step.
            for path in [StorePaths.newRecord, StorePaths.newStarts] { _ = disk.removeQuietly(path) }
            let names = referencedTables()
            collection.unused = versions.unused.map(\.key)
            collection.removals = try disk.list(StorePaths.tables).filter { !names.contains($0) }
                .map { StorePaths.tables / $0 }
            return .partial
        case .partial:
            let names = try disk.list(StorePaths.partial)
            let keys = names.isEmpty ? [] : referencedPartials()
            collection.removals = names.filter { !isReferencedPartial($0, keys) }.map {
                StorePaths.partial / $0
            }
            return .folders
        case .folders:
            return .blobs(try disk.list(StorePaths.blobs), referenced: referencedBlobs())
        case .blobs(var folders, let referenced):
            guard let folder = folders.popLast() else { return nil }
            let path = StorePaths.blobs / folder
            do throws(DiskError) {
                collection.removals = try disk.list(path).map { path / $0 }.filter {
                    !isReferencedBlob($0, referenced)
                }
            } catch {
                // A file that something else has put beside the folders.
                guard error.code == .notADirectory else { throw error }
                collection.removals = [path]
            }
            return .blobs(folders, referenced: referenced)
        }
    }

    /// Content counts under its own path alone: a folder with another name is left over from a crash.
    private func isReferencedBlob(_ path: DiskPath, _ referenced: [Digest256]) -> Bool {
        guard let digest = Digest256(hex: path.name), path == StorePaths.blob(digest) else { return false }
        return referenced.containsBisected(digest)
    }
}

extension [Digest256] {
    /// Whether this list, which is sorted, contains the digest.
    func containsBisected(_ digest: Digest256) -> Bool {
        let low = indices.bisected { self[$0] < digest }
        return low < count && self[low] == digest
    }
}
