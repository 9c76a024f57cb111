import Core
import Updater

/// What a folder holds: the release that apps are offered now, and the manifests of those before it.
package struct PublishedReleases {
    private(set) var dialect = ReleaseDialect.own
    /// Nil before the first publication.
    private(set) var newest: (serial: Int, table: VersionTable)?
    /// Its manifest, without the envelope of its signatures.
    private(set) var manifest: [UInt8] = []
    /// Ids of the keys that signed it; none: it is not signed.
    private(set) var keyIDs: [String] = []
    /// The keys that it announces.
    private(set) var keys: [PublicKey] = []
    /// Serials of the manifests that the folder keeps, from the lowest; also one that an interrupted
    /// publication left behind and that was never offered.
    private(set) var serials: [Int] = []

    static func read(_ disk: inout some Disk) throws(PublishError) -> PublishedReleases {
        var releases = PublishedReleases()
        do throws(DiskError) {
            releases.serials = try disk.list(PublishedFolder.root)
                .compactMap(PublishedFolder.serial(ofName:)).sorted()
            guard try disk.statusIfPresent(PublishedFolder.manifest) != nil else { return releases }
        } catch {
            throw .disk(error)
        }
        let (table, keys, manifest, keyIDs) = try PublishedReleases.file(PublishedFolder.manifest, &disk)
        if table.dialect == .frontend { releases.dialect = .frontend }
        releases.newest = (try releases.serial(of: table, manifest, &disk), table)
        releases.manifest = manifest
        releases.keyIDs = keyIDs
        releases.keys = keys
        return releases
    }

    /// The files of the release that is offered: route, path below the folder, and size. Empty: there is
    /// none, or its manifest was not written by `otalab publish`.
    package static func offeredFiles(_ disk: inout some Disk) throws(PublishError)
        -> [(route: String, path: String, size: Int)]
    {
        guard let newest = try read(&disk).newest else { return [] }
        return newest.table.assets.compactMap { asset in
            guard let path = PublishedFolder.path(of: asset), let size = asset.size else { return nil }
            return (asset.route, path.text, size)
        }
    }

    /// The publication's number. A frontend manifest does not state it, so that its name under that number
    /// does: the highest one with these bytes, because a higher one was never offered.
    private func serial(of table: VersionTable, _ manifest: [UInt8], _ disk: inout some Disk)
        throws(PublishError) -> Int
    {
        if case .serial(let number) = table.metadata.order, let serial = number.bounded(by: 0...Int.max) {
            return serial
        }
        guard case .date = table.metadata.order else { throw .foreignManifest("it has no serial") }
        for serial in serials.reversed() {
            do throws(DiskError) {
                let path = PublishedFolder.root / PublishedFolder.manifestName(serial)
                if try WebBuild.bytes(of: path, &disk) == manifest { return serial }
            } catch {
                throw .disk(error)
            }
        }
        throw .foreignManifest("no manifest with a number in its name is equal to it")
    }

    /// The manifests that were offered at some time, without the newest one.
    func earlier(_ disk: inout some Disk) throws(PublishError) -> [(serial: Int, table: VersionTable)] {
        var tables: [(serial: Int, table: VersionTable)] = []
        for serial in serials where serial < newest?.serial ?? 0 {
            tables.append((serial, try table(ofSerial: serial, &disk)))
        }
        return tables
    }

    func table(ofSerial serial: Int, _ disk: inout some Disk) throws(PublishError) -> VersionTable {
        let name = PublishedFolder.manifestName(serial)
        return try PublishedReleases.table(PublishedFolder.root / name, &disk)
    }

    /// The manifest to which a rollout leads the devices outside; nil: to none.
    static func table(behind rollout: Rollout?, _ disk: inout some Disk) throws(PublishError) -> VersionTable?
    {
        guard let name = rollout?.otherwise else { return nil }
        return try table(PublishedFolder.root / name, &disk)
    }

    private static func table(_ path: DiskPath, _ disk: inout some Disk) throws(PublishError) -> VersionTable
    {
        try file(path, &disk).table
    }

    private static func file(_ path: DiskPath, _ disk: inout some Disk) throws(PublishError)
        -> (table: VersionTable, keys: [PublicKey], manifest: [UInt8], keyIDs: [String])
    {
        let bytes: [UInt8]
        do throws(DiskError) {
            bytes = try WebBuild.bytes(of: path, &disk)
        } catch {
            throw .disk(error)
        }
        do throws(ManifestRefusal) {
            let (manifest, keyIDs) = try ReleaseSigner.content(of: bytes)
            let reader = ManifestReader(dialect: .own)
            if keyIDs.isEmpty { return (try reader.read(manifest), [], manifest, keyIDs) }
            let (table, keys) = try reader.readSigned(manifest)
            return (table, keys, manifest, keyIDs)
        } catch {
            if let table = PublishedReleases.frontendTable(bytes) { return (table, [], bytes, []) }
            throw .foreignManifest("\(path.name): \(error.cause.rawValue) \(error.detail)")
        }
    }

    /// The manifest, if it is one of the frontend dialect.
    private static func frontendTable(_ bytes: [UInt8]) -> VersionTable? {
        do throws(ManifestRefusal) {
            return try ManifestReader(dialect: .frontend).read(bytes)
        } catch {
            return nil
        }
    }
}
