import Core
import Testing
import World

@testable import Updater

@Suite("U1: the names of files are durable before a version relies on them, also where syncs fail")
struct CompletionTests {
    private static let error = DiskError(.inputOutput, .syncDirectory, StorePaths.blobs)

    /// A digest whose blob is in the folder of this byte.
    private static func digest(_ folder: UInt64, _ number: UInt64) -> Digest256 {
        Digest256(folder << 56 | number, 1, 2, 3)
    }

    /// A device that downloads a version whose files are stored under these digests.
    private func device(_ digests: [Digest256]) throws -> Harness {
        var device = try Harness.started()
        let assets = digests.indices.map { index in
            Asset(route: "/\(index)", size: 1, hash: .sha256(digests[index]), url: "\(index)")
        }
        let table = VersionTable(
            key: VersionKey(id: "v2", digest: Self.digest(9, 9)), dialect: .own, assets: assets, index: "/0",
            metadata: ManifestMetadata())
        var download = Download(table: table, manifest: Version("v2", serial: 2).manifest)
        for index in digests.indices {
            download.assets.set(.available(.init(location: .blob(digests[index]), size: 1)), at: index)
            try device.disk.place(StorePaths.blob(digests[index]), [1])
        }
        download.isCompleting = true
        device.updater.download = download
        return device
    }

    private func step(
        _ completion: VersionCompletion, after error: DiskError? = nil, _ device: inout Harness
    ) -> JobStep<VersionCompletion> {
        device.updater.stepCompletion(completion, after: error, &device.disk)
    }

    private func names(_ step: JobStep<VersionCompletion>) -> (target: SyncTarget, names: [DiskPath])? {
        guard case .sync(let target, let rest) = step, case .namesSynced(let names, _) = rest.stage else {
            return nil
        }
        return (target, names)
    }

    private func next(_ step: JobStep<VersionCompletion>) throws -> VersionCompletion {
        switch step {
        case .next(let rest), .sync(_, let rest): return rest
        case .done: throw Self.error
        }
    }

    private func isDone(_ step: JobStep<VersionCompletion>) -> Bool {
        if case .done = step { true } else { false }
    }

    // MARK: A version

    @Test("Each folder that has a new name is synced once, then the folder of folders, and then the table")
    func folders() throws {
        let digests = [Self.digest(0x0b, 1), Self.digest(0x0a, 2), Self.digest(0x0a, 1)]
        for isKnown in [false, true] {
            var device = try device(digests)
            if isKnown { device.updater.blobNames.folderBecameDurable(of: digests[1]) }
            var completion = try next(step(VersionCompletion(), &device))
            var synced: [SyncTarget] = []
            var named: [[DiskPath]] = []
            while true {
                let step = step(completion, &device)
                if let (target, names) = names(step) {
                    synced.append(target)
                    named.append(names)
                }
                completion = try next(step)
                if case .table = completion.stage { break }
            }
            let folders = [digests[0], digests[1]].map { StorePaths.blobFolder($0) }
            #expect(synced == (folders + [StorePaths.blobs]).map { .directory($0) })
            #expect(
                named == [
                    [StorePaths.blob(digests[0])], [digests[2], digests[1]].map { StorePaths.blob($0) },
                    isKnown ? [folders[0]] : [folders[1], folders[0]],
                ])
            #expect(digests.allSatisfy { device.updater.blobNames.isFolderDurable(of: $0) })
            while true {
                let step = step(completion, &device)
                if isDone(step) { break }
                completion = try next(step)
            }
        }
    }

    @Test("What this process has made durable is not synced again")
    func known() throws {
        let digests = [Self.digest(0x0b, 1), Self.digest(0x0a, 2)]
        var device = try device(digests)
        for digest in digests {
            device.updater.blobNames.becameDurable(digest)
            device.updater.blobNames.folderBecameDurable(of: digest)
        }
        let completion = try next(step(VersionCompletion(), &device))
        guard case .names(let folders) = completion.stage else {
            Issue.record("\(completion.stage)")
            return
        }
        #expect(folders.isEmpty)
    }

    @Test("After a failed sync the names are given anew, seven in a step; then the completion is tried again")
    func failedSync() throws {
        for (count, steps) in [(1, 1), (7, 1), (8, 2), (14, 2), (15, 3)] as [(UInt64, Int)] {
            for isDropped in [false, true] {
                let digests = (1...count).map { Self.digest(0x0a, $0) }
                var device = try device(digests)
                var completion = VersionCompletion(
                    stage: .namesSynced(digests.map { StorePaths.blob($0) }, rest: []), isDropped: isDropped)
                completion = try next(step(completion, after: Self.error, &device))
                let before = device.disk.operations
                var taken = 1
                while true {
                    let step = step(completion, &device)
                    if isDone(step) { break }
                    completion = try next(step)
                    taken += 1
                }
                #expect(taken == steps, "\(count) names")
                #expect(device.disk.operations - before == Int(count) * 2, "each is renamed and back")
                #expect(device.disk.files(under: StorePaths.blobs).count == Int(count))
                let download = try #require(device.updater.download)
                #expect(download.isCompleting == isDropped)
                #expect(download.completionBackoff.attempts == (isDropped ? 0 : 1))
                #expect(device.updater.status.isStale == false || !isDropped)
            }
        }
    }

    @Test("A completion that is dropped ends what it has begun, and begins nothing")
    func dropped() throws {
        let digest = Self.digest(0x0a, 1)
        let stages: [VersionCompletion.Stage] = [
            .begin, .names([StorePaths.blobs]), .encode, .namesSynced([StorePaths.blob(digest)], rest: []),
        ]
        for stage in stages {
            var device = try device([digest])
            let before = device.disk.operations
            #expect(isDone(step(VersionCompletion(stage: stage, isDropped: true), &device)))
            #expect(device.disk.operations == before && device.updater.download != nil)
        }
        var device = try device([digest])
        let table = StorePaths.tables / "new"
        guard case .next(let file) = try DurableFile(table, [1]).step(after: nil, &device.disk) else {
            Issue.record("the table is not being written")
            return
        }
        let open = device.disk.openCount
        #expect(isDone(step(VersionCompletion(stage: .table(file), isDropped: true), &device)))
        #expect(device.disk.openCount == open - 1)
        #expect(!device.disk.files(under: StorePaths.tables).contains(table))
    }

    // MARK: A file

    private func step(
        _ completion: FileCompletion, after error: DiskError? = nil, _ device: inout Harness
    ) -> JobStep<FileCompletion> {
        device.updater.stepFileCompletion(completion, after: error, &device.disk)
    }

    private func completion(_ digest: Digest256, _ stage: FileCompletion.Stage, isNew: Bool) -> FileCompletion
    {
        var completion = JobKind.completion(digest)
        completion.isDropped = true
        completion.isNewFolder = isNew
        completion.stage = stage
        return completion
    }

    @Test("A name that a failed sync may have lost is given anew, with that of its folder, and synced anew")
    func renameAnew() throws {
        let digest = Self.digest(0x0a, 1)
        for isNew in [false, true] {
            var device = try device([digest])
            device.updater.blobNames.folderSyncFailed(of: digest)
            if isNew { device.updater.blobNames.blobsSyncFailed() }
            let before = device.disk.operations
            let step = step(completion(digest, .renameAnew, isNew: isNew), &device)
            #expect(device.disk.operations - before == (isNew ? 4 : 2))
            guard case .sync(let target, let rest) = step else {
                Issue.record("no sync follows")
                continue
            }
            #expect(target == .directory(StorePaths.blobFolder(digest)) && rest.stage == .folderSynced)
            #expect(rest.failures == device.updater.blobNames.failures(of: digest))
            #expect(device.disk.files(under: StorePaths.blobs) == [StorePaths.blob(digest)])
        }
    }

    @Test("A sync counts for a name only if no sync of its folders has failed since the name was given")
    func failures() throws {
        let digest = Self.digest(0x0a, 1)
        for stage in [FileCompletion.Stage.folderSynced, .blobsSynced] {
            for (ofFolder, ofBlobs) in [(0, 0), (1, 0), (0, 1)] {
                var device = try device([digest])
                for _ in 0..<ofFolder { device.updater.blobNames.folderSyncFailed(of: digest) }
                for _ in 0..<ofBlobs { device.updater.blobNames.blobsSyncFailed() }
                let isLost = ofFolder > 0 || ofBlobs > 0 && stage == .blobsSynced
                switch step(completion(digest, stage, isNew: true), &device) {
                case .next(let rest): #expect(isLost && rest.stage == .renameAnew)
                case .sync(let target, let rest):
                    #expect(!isLost && stage == .folderSynced && rest.stage == .blobsSynced)
                    #expect(target == .directory(StorePaths.blobs))
                case .done: #expect(!isLost && stage == .blobsSynced)
                }
                let isDurable = device.updater.blobNames.isFolderDurable(of: digest)
                #expect(isDurable == (!isLost && stage == .blobsSynced))
            }
        }
        var device = try device([digest])
        let known = step(completion(digest, .folderSynced, isNew: false), &device)
        guard case .done = known else {
            Issue.record("its folder has a durable name, so that no other sync is needed")
            return
        }
    }

    @Test("A failed sync is counted for its folder, and the name that it was for is given anew")
    func counted() throws {
        let digest = Self.digest(0x0a, 1)
        for (stage, isOfFolder) in [(FileCompletion.Stage.folderSynced, true), (.blobsSynced, false)] {
            var device = try device([digest])
            let before = device.disk.operations
            let step = step(completion(digest, stage, isNew: true), after: Self.error, &device)
            guard case .done = step else {
                Issue.record("\(stage) continues")
                continue
            }
            let failures = device.updater.blobNames.failures(of: digest)
            #expect(failures.ofFolder == (isOfFolder ? 1 : 0) && failures.ofBlobs == (isOfFolder ? 0 : 1))
            let elsewhere = device.updater.blobNames.failures(of: Self.digest(0x0b, 1))
            #expect(elsewhere.ofFolder == 0)
            // The name is given away and back; the partial file has gone with the rename.
            #expect(device.disk.operations - before == 2)
        }
    }
}
