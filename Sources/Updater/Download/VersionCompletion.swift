import Core

/// All blobs of a version are durable: write `tables/<digest>`, sync it, sync `tables/` (ST-4); then the
/// record may name it (ST-5).
struct VersionCompletion: Sendable {
    enum Stage: Sendable { case write, directory }

    var stage = Stage.write
}

extension Updater {
    mutating func stepCompletion(_ completion: VersionCompletion, _ disk: inout some Disk)
        -> VersionCompletion?
    {
        guard let plan = download, let version = completed(plan) else { return nil }
        var completion = completion
        do {
            switch completion.stage {
            case .write:
                let bytes = TableCoding.encode(version, manifest: plan.manifest)
                try DurableFile.write(StorePaths.table(version.key), bytes, &disk)
                completion.stage = .directory
                return completion
            case .directory:
                try disk.syncDirectory(StorePaths.tables)
            }
        } catch {
            diskFailedAtEnd(error)
            return nil
        }
        versions.removeAll { $0.key == version.key }
        versions.append(version)
        verifiedHere.append(version.key)
        noteChecked(version.key)
        download = nil
        finishedRows = FinishedRows()
        record.download = nil
        becomePending(version.key)
        // What is left in `partial/` has no place any more (R7).
        scheduleSweep()
        return nil
    }

    private func completed(_ plan: Download) -> StoredVersion? {
        var places: [StoredVersion.Place] = []
        for state in plan.rows {
            guard case .have(let place) = state else { return nil }
            places.append(place)
        }
        let isHashed = plan.table.rows.allSatisfy { $0.hash != .none }
        return StoredVersion(
            table: plan.table, places: places, verification: isHashed ? .everyByte : .hashedRows,
            packageRoot: launch?.embedded?.root)
    }
}
