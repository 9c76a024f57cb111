import Core
import Updater

/// Publishes a release into a folder that any static host serves.
///
/// **What it promises.** Interrupted at any operation, by a kill or a power cut, the folder offers the
/// release before or the new one, whole: files come before the manifest that names them, everything is
/// durable before `manifest.json` is replaced, in one rename and at last. What an interrupted publication
/// left behind costs only room, and the next one removes it. A file that an earlier manifest names stays as
/// long as that manifest does, because a device may be downloading it.
///
/// **What can go wrong** is a ``PublishError``: then nothing is offered that was not before.
///
/// **What it does not do.** Judge a build (`ReleaseLint` does), upload, invalidate caches: the host must
/// serve `manifest.json` uncached or revalidated; all other names are immutable.
package struct Publication {
    /// What is to be published.
    package struct Request {
        /// Nil: the files that are offered now are published again, with other terms.
        package var build: WebBuild?
        package var app: String?
        /// Nil: that of the publications before, otalab's own for the first.
        package var dialect: ReleaseDialect?
        /// Where the folder is on its host, `/shop/` for example, for the frontend dialect. Nil: as in the
        /// publication before, `/` for the first.
        package var place: String?
        /// Nil: an id made from the files.
        package var version: String?
        /// Nil: the next one.
        package var serial: Int?
        package var now: OriginTime
        /// Offered to this share of the devices; the others stay with the release before. Nil: to all, or,
        /// where the same files are published again, to those that they were offered to.
        package var share: Share?
        /// Manifests of publications that stay, the new one among them; nil: all.
        package var kept: Int?
        /// Who signs it; all of them do.
        package var signers: [ReleaseSigner] = []
        /// Whether a release without a signature may follow one with.
        package var isUnsignedAllowed = false
        /// Changes the terms, which begin with those of the publication before (``ReleaseTerms``).
        package var terms: (inout ReleaseTerms) -> Void = { _ in }

        package init(now: OriginTime) { self.now = now }
    }

    package struct Share: Hashable, Sendable {
        package var share: Int
        package var of: Int

        package init(share: Int, of: Int) {
            self.share = share
            self.of = of
        }
    }

    /// What a publication does, or would do.
    package struct Summary: Hashable, Sendable {
        package var version: String
        package var serial: Int
        package var files: Int
        /// Files that the folder does not have yet, and their bytes.
        package var newFiles = 0
        package var newBytes = 0
        /// Names that go: of manifests beyond those that are kept, and of files that none of the rest names.
        package var removed = 0
        /// Whether the same is offered already, so that nothing is published.
        package var isUnchanged = false
    }

    private let release: Release
    private let releases: PublishedReleases
    private let kept: Int?
    private let isUnchanged: Bool
    /// What `manifest.json` will be.
    private let file: [UInt8]

    /// Reads the folder and decides what is published; writes nothing.
    package init(_ request: Request, on disk: inout some Disk) throws(PublishError) {
        releases = try PublishedReleases.read(&disk)
        kept = request.kept
        let newest = releases.newest
        let serial = request.serial ?? newest.map { $0.serial + 1 } ?? 1
        if let newest, serial <= newest.serial { throw .lowSerial(given: serial, newest: newest.serial) }
        let dialect = request.dialect ?? releases.dialect
        if newest != nil, dialect != releases.dialect {
            throw .otherDialect(published: releases.dialect, given: dialect)
        }
        let app = dialect == .own ? try Publication.app(request, newest?.table) : ""
        var terms = ReleaseTerms()
        if let newest { terms = ReleaseTerms(after: newest.table.metadata, keys: releases.keys) }
        request.terms(&terms)
        if request.signers.isEmpty { terms.keys = [] }
        let files: [ReleaseFile]
        let version: String
        if terms.order == .embedded {
            (files, version) = ([], "none")
        } else if let build = request.build {
            files = build.files
            version = request.version ?? build.id
        } else {
            guard let newest, !newest.table.assets.isEmpty else { throw .noRelease }
            files = newest.table.assets.compactMap(ReleaseFile.init)
            version = newest.table.key.id
        }
        var release = Release(
            app: app, version: version, serial: serial, created: request.now, terms: terms, files: files,
            rollout: try Publication.rollout(request, version, terms.order, releases, &disk))
        release.dialect = dialect
        release.place = request.place ?? newest?.table.assets.first.flatMap(PublishedFolder.place) ?? "/"
        // The date is the order of the frontend dialect (U8).
        if dialect == .frontend, case .date(let date)? = newest?.table.metadata.order {
            release.created = max(release.created, date + .seconds(1))
        }
        if let what = dialect.unsayable(release, isSigned: !request.signers.isEmpty) {
            throw .unsayable(what, dialect)
        }
        let manifest = release.manifest
        var table = try Publication.checked(manifest, release, releases, &disk)
        if request.signers.isEmpty, !releases.keyIDs.isEmpty, !request.isUnsignedAllowed { throw .unsigned }
        file = try ReleaseSigner.signed(manifest, by: request.signers)
        // Whether the same is offered is a question without the serial.
        if let newest { table.metadata.order = newest.table.metadata.order }
        isUnchanged =
            newest?.table == table && releases.keyIDs == request.signers.map(\.keyID)
            && releases.keys == terms.keys && terms.expires == nil && request.serial == nil
        self.release = release
    }

    private static func app(_ request: Request, _ newest: VersionTable?) throws(PublishError) -> String {
        guard let published = newest?.metadata.app else {
            guard let app = request.app, !app.isEmpty else { throw .noApp }
            return app
        }
        if let app = request.app, app != published { throw .otherApp(published: published, given: app) }
        return published
    }

    /// The devices outside are led to the newest publication of another version: what is published again for
    /// more devices has the same one behind it. A recall of something else must not end a rollout.
    private static func rollout(
        _ request: Request, _ version: String, _ order: ManifestCommand, _ releases: PublishedReleases,
        _ disk: inout some Disk
    ) throws(PublishError) -> Rollout? {
        guard let share = request.share else {
            return request.build == nil && order != .embedded ? releases.newest?.table.metadata.rollout : nil
        }
        if share.share == share.of { return nil }
        guard let newest = releases.newest else { throw .shareOfFirst }
        var rollout = Rollout(share: share.share, of: share.of, salt: version)
        if newest.table.key.id == version, let before = newest.table.metadata.rollout {
            rollout.otherwise = before.otherwise
        } else {
            rollout.otherwise = PublishedFolder.manifestName(newest.serial)
        }
        var hops = 0
        var last: Rollout? = rollout
        while last?.otherwise != nil {
            hops += 1
            if hops > Rollout.maxHops { throw .tooManyRollouts }
            last = try PublishedReleases.table(behind: last, &disk)?.metadata.rollout
        }
        return rollout
    }

    /// The updater's own reader decides whether it would be taken; an id stands for one set of files.
    private static func checked(
        _ manifest: [UInt8], _ release: Release, _ releases: PublishedReleases, _ disk: inout some Disk
    ) throws(PublishError) -> VersionTable {
        let table: VersionTable
        do throws(ManifestRefusal) {
            table = try ManifestReader(dialect: release.dialect.manifest).read(manifest)
        } catch {
            throw .refused(error)
        }
        if release.terms.recalled.contains(release.version) { throw .recallsItself(release.version) }
        let earlier = try releases.earlier(&disk) + [releases.newest].compactMap(\.self)
        if let other = earlier.last(where: { $0.table.key.id == table.key.id && $0.table.key != table.key }),
            !table.assets.isEmpty
        {
            throw .idInUse(table.key.id, serial: other.serial)
        }
        return table
    }
}

// MARK: - Carrying it out

extension Publication {
    /// What the publication would do.
    package func summary(on disk: inout some Disk) throws(PublishError) -> Summary {
        summary(of: isUnchanged ? [] : try missing(&disk))
    }

    private func summary(of new: [ReleaseFile]) -> Summary {
        Summary(
            version: release.version, serial: release.serial, files: release.files.count,
            newFiles: new.count, newBytes: new.reduce(0) { $0 + $1.size }, isUnchanged: isUnchanged)
    }

    /// Publishes what is requested, while no other publication into this folder is under way.
    /// - Returns: what was done.
    package static func publish(_ request: Request, on disk: inout some SyncingDisk) throws(PublishError)
        -> Summary
    {
        let lock: FileHandle
        do throws(DiskError) {
            lock = try disk.lock(PublishedFolder.lock)
        } catch {
            throw error.code == .locked ? .inUse : .disk(error)
        }
        defer { disk.closeQuietly(lock) }
        return try Publication(request, on: &disk).perform(on: &disk)
    }

    private func perform(on disk: inout some SyncingDisk) throws(PublishError) -> Summary {
        if isUnchanged { return summary(of: []) }
        let missing = try missing(&disk)
        do throws(DiskError) {
            if try disk.statusIfPresent(PublishedFolder.files) == nil {
                try disk.makeDirectory(PublishedFolder.files)
                try disk.syncDirectory(PublishedFolder.root)
            }
            try removeLeftovers(&disk)
        } catch {
            throw .disk(error)
        }
        for file in missing { try copy(file, &disk) }
        do throws(DiskError) {
            try disk.syncDirectory(PublishedFolder.files)
            try write(file, PublishedFolder.root / PublishedFolder.manifestName(release.serial), &disk)
            try write(file, PublishedFolder.manifest, &disk)
        } catch {
            throw .disk(error)
        }
        var summary = summary(of: missing)
        summary.removed = try removeOld(&disk)
        return summary
    }

    /// Files of the release that the folder does not have, each name once. One that is there was renamed when
    /// it was complete and durable; its bytes are compared all the same, because a folder may be synchronised
    /// or edited by something else.
    private func missing(_ disk: inout some Disk) throws(PublishError) -> [ReleaseFile] {
        var names: Set<String> = []
        var missing: [ReleaseFile] = []
        do throws(DiskError) {
            for file in release.files where names.insert(file.name).inserted {
                let path = PublishedFolder.files / file.name
                let status = try disk.statusIfPresent(path)
                guard status?.kind == .file, status?.size == file.size else {
                    missing.append(file)
                    continue
                }
                if try WebBuild.sum(of: path, &disk).digest != file.digest { missing.append(file) }
            }
        } catch {
            throw .disk(error)
        }
        return missing
    }

    /// Copies a file of the build, and compares what was copied with what the manifest will say.
    private func copy(_ file: ReleaseFile, _ disk: inout some SyncingDisk) throws(PublishError) {
        let isEqual: Bool
        do throws(DiskError) {
            let path = PublishedFolder.files / file.name
            isEqual = try replace(path, &disk) { target, disk throws(DiskError) in
                try copyBytes(of: file, to: target, &disk)
            }
        } catch {
            throw .disk(error)
        }
        if !isEqual { throw .buildChanged(String(Substring(file.route.utf8.dropFirst()))) }
    }

    private func copyBytes(of file: ReleaseFile, to target: FileHandle, _ disk: inout some SyncingDisk)
        throws(DiskError) -> Bool
    {
        let source = try disk.open(WebBuild.path(of: file), .read)
        defer { disk.closeQuietly(source) }
        var hash = SHA256()
        var offset = 0
        while true {
            let bytes = try disk.read(source, at: offset, count: WebBuild.chunk)
            if bytes.isEmpty { return hash.finish() == file.digest }
            hash.update(bytes)
            try disk.writeAll(target, bytes, at: offset)
            offset += bytes.count
        }
    }

    private func write(_ bytes: [UInt8], _ path: DiskPath, _ disk: inout some SyncingDisk) throws(DiskError) {
        _ = try replace(path, &disk) { target, disk throws(DiskError) in
            try disk.writeAll(target, bytes, at: 0)
            return true
        }
        try disk.syncDirectory(path.parent)
    }

    /// Writes a file beside its place and moves it there when it is whole and durable.
    /// - Parameter fill: writes the content; false: it is not to be published.
    /// - Returns: what `fill` says.
    private func replace<SomeDisk: SyncingDisk>(
        _ path: DiskPath, _ disk: inout SomeDisk,
        _ fill: (_ target: FileHandle, _ disk: inout SomeDisk) throws(DiskError) -> Bool
    ) throws(DiskError) -> Bool {
        let part = path.parent / (path.name + ".part")
        try disk.removeIfPresent(part)
        let target = try disk.open(part, .create)
        let isWanted: Bool
        do throws(DiskError) {
            isWanted = try fill(target, &disk)
            if isWanted { try disk.sync(target) }
        } catch {
            disk.closeQuietly(target)
            throw error
        }
        try disk.close(target)
        if isWanted { try disk.rename(part, to: path) }
        return isWanted
    }

    /// Unfinished files, and the manifests of publications that ended before they were offered.
    private func removeLeftovers(_ disk: inout some Disk) throws(DiskError) {
        for folder in [PublishedFolder.root, PublishedFolder.files] {
            for name in try disk.list(folder) where name.hasSuffix(".part") {
                try disk.removeIfPresent(folder / name)
            }
        }
        for serial in releases.serials where serial > releases.newest?.serial ?? 0 {
            try disk.removeIfPresent(PublishedFolder.root / PublishedFolder.manifestName(serial))
        }
    }

    /// Removes manifests beyond those that are kept, then the files that none of the others names. Nothing
    /// refers to them, so that an interruption costs only room.
    /// - Returns: the number of names that went.
    private func removeOld(_ disk: inout some Disk) throws(PublishError) -> Int {
        guard let kept else { return 0 }
        let present = try PublishedReleases.read(&disk)
        var reachable = Set(present.serials.suffix(max(kept, 1)))
        var last = present.newest?.table.metadata.rollout
        while let serial = last?.otherwise.flatMap(PublishedFolder.serial(ofName:)),
            reachable.insert(serial).inserted
        {
            last = try PublishedReleases.table(behind: last, &disk)?.metadata.rollout
        }
        var named: Set<DiskPath> = []
        for serial in present.serials where reachable.contains(serial) {
            let table = try present.table(ofSerial: serial, &disk)
            named.formUnion(table.assets.compactMap(PublishedFolder.path(of:)))
        }
        var removed = 0
        do throws(DiskError) {
            for serial in present.serials where !reachable.contains(serial) {
                try disk.remove(PublishedFolder.root / PublishedFolder.manifestName(serial))
                removed += 1
            }
            for name in try disk.list(PublishedFolder.files)
            where !named.contains(PublishedFolder.files / name) {
                try disk.remove(PublishedFolder.files / name)
                removed += 1
            }
        } catch {
            throw .disk(error)
        }
        return removed
    }
}
