import Core
import Testing

@testable import Updater

@Suite("Versions on the device: their files, their tables, and what is known about their content (R7, R10)")
struct StoredVersionTests {
    private static let root = DiskPath(.package, "web")

    private static func digest(_ number: UInt8) -> Digest256 { SHA256.hash(of: [number]) }

    private static func key(_ number: UInt8) -> VersionKey {
        VersionKey(id: "v\(number)", digest: digest(number))
    }

    /// A version whose one file is this blob.
    private static func version(
        _ number: UInt8, blob: UInt8? = nil, _ verification: StoredVersion.Verification = .everyByte
    ) -> StoredVersion {
        let asset = Asset(route: "/\(number)", size: 1, hash: .none, url: "\(number)")
        let table = VersionTable(
            key: key(number), dialect: .own, assets: [asset], index: asset.route, metadata: ManifestMetadata()
        )
        let stored = StoredVersion.StoredAsset(location: .blob(digest(blob ?? number)), size: 1)
        return StoredVersion(
            table: table, storedAssets: [stored], verification: verification, packageRoot: nil)
    }

    private func entries(_ numbers: UInt8...) -> [VersionEntry] {
        numbers.map { VersionEntry(key: Self.key($0)) }
    }

    private func ids(_ versions: [StoredVersion]) -> [String] { versions.map(\.key.id) }

    // MARK: Files

    @Test("A served file has path, length and tag of its content, and what the manifest says of it")
    func served() {
        let sha256 = Self.digest(1)
        let sha1 = SHA1.hash(of: [2])
        let assets = [
            Asset(
                route: "/a", size: 1, hash: .sha256(sha256), url: "a", type: "text/a", isImmutable: true,
                sourceMap: "/a.map"),
            Asset(route: "/b", size: 2, hash: .sha1(sha1), url: "b"),
            Asset(route: "/c", size: 3, hash: .none, url: "c"),
            Asset(route: "/d", size: 4, hash: .none, url: "d"),
            Asset(route: "/e", size: 5, hash: .none, url: "e", isOptional: true),
            Asset(route: "/f", size: 6, hash: .none, url: "f"),
        ]
        let table = VersionTable(
            key: Self.key(9), dialect: .own, assets: assets, index: "/c", metadata: ManifestMetadata())
        var version = StoredVersion(
            table: table,
            storedAssets: [
                .init(location: .blob(sha256), size: 10), .init(location: .package("x/b"), size: 20),
                .init(location: .blob(Self.digest(3)), size: 30, tag: "\"c\""),
                .init(location: .package("d"), size: 40), .init(location: .absent, size: 0),
                .init(location: .package("f"), size: 60),
            ], verification: .hashedRows, packageRoot: Self.root)
        let served = version.served()
        #expect(served.key == Self.key(9) && served.index == "/c")
        #expect(served.files.map(\.route) == ["/a", "/b", "/c", "/d", "/f"], "an absent one is not served")
        #expect(served.files.map(\.size) == [10, 20, 30, 40, 60])
        #expect(
            served.files.map(\.path) == [
                StorePaths.blob(sha256), DiskPath(.package, "web/x/b"), StorePaths.blob(Self.digest(3)),
                DiskPath(.package, "web/d"), DiskPath(.package, "web/f"),
            ])
        let tags = served.files.map(\.tag)
        #expect(tags.prefix(3) == [sha256.hex, sha1.hex, Self.digest(3).hex])
        #expect(tags[3].hasPrefix(Self.digest(9).hex + "-") && tags[4].hasPrefix(Self.digest(9).hex + "-"))
        #expect(Set(tags).count == 5, "no two files share a tag")
        #expect(served.files.map(\.type) == ["text/a", nil, nil, nil, nil])
        #expect(served.files.map(\.isImmutable) == [true, false, false, false, false])
        #expect(served.files.map(\.sourceMap) == ["/a.map", nil, nil, nil, nil])
        #expect(version.blobs == [sha256, Self.digest(3)])
        #expect(!version.isSelfContained)
        for index in [1, 3, 5] { version.storedAssets[index].location = .absent }
        #expect(version.isSelfContained)
        version.packageRoot = nil
        #expect(version.path(.init(location: .package("a"), size: 0)) == nil)
    }

    // MARK: Tables

    @Test("A table is read back with every kind of content, each dialect and each degree of verification")
    func table() throws {
        let manifest = Version("v2", serial: 2).manifest
        let read = try ManifestReader(dialect: .own).read(manifest)
        for verification in [StoredVersion.Verification.everyByte, .hashedRows, .atAcceptance, .package] {
            let version = StoredVersion(
                table: read,
                storedAssets: [
                    .init(location: .blob(Self.digest(1)), size: 3_000, tag: "\"t\""),
                    .init(location: .package("a/b c.js"), size: 7), .init(location: .absent, size: 0),
                ], verification: verification, packageRoot: Self.root)
            for size in [1, 50, .max] {
                var writing = TableWriting(version, manifest: manifest)
                var bytes: [UInt8]?
                while bytes == nil { bytes = writing.step(size) }
                let again = TableCoding.decode(bytes ?? [], packageRoot: Self.root, limits: UpdaterLimits())
                #expect(again == version)
            }
        }
    }

    @Test("A table whose head or content no updater writes is damaged, also if its checksum is right")
    func damagedTable() throws {
        let manifest = Version("v2", serial: 2).manifest
        let hex = Self.digest(1).hex
        func table(
            _ places: String, dialect: String = "own", verified: String = "every-byte",
            format: String = "otalab-table-1", length: Int? = nil, lengthening: Int = 0, end: String = ""
        ) -> StoredVersion? {
            let json = #"{"dialect":"\#(dialect)","verified":"\#(verified)","places":[\#(places)]}"#
            let body = manifest + Array(json.utf8)
            let head = "\(format) \(length ?? manifest.count) \(body.count + lengthening) "
            let bytes = Array((head + SHA256.hash(of: body).hex + end + "\n").utf8) + body
            return TableCoding.decode(bytes, packageRoot: nil, limits: UpdaterLimits())
        }
        let blob = #"["blob","\#(hex)",1]"#
        let good = [blob, #"["package","a",2,"t"]"#, #"["absent","",0]"#].joined(separator: ",")
        #expect(table(good)?.storedAssets.map(\.size) == [1, 2, 0])
        #expect(table(good, dialect: "other") == nil && table(good, verified: "other") == nil)
        #expect(table(good, format: "otalab-table-2") == nil)
        #expect(table(good, length: manifest.count + 1) == nil)
        #expect(table(good, lengthening: 1) == nil && table(good, lengthening: -1) == nil)
        #expect(table(good, end: " x") == nil)
        #expect(table("\(blob),\(blob)") == nil && table("\(good),\(blob)") == nil, "as many as assets")
        for odd in [
            #"["blob","\#(hex)"]"#, #"["blob","\#(hex)",1,"t",2]"#, #"["blob","\#(hex.dropLast())",1]"#,
            #"["other","\#(hex)",1]"#, #"["blob","\#(hex)",-1]"#, #"["blob","\#(hex)",536870913]"#,
            #"["package",7,1]"#, #"[1,"\#(hex)",1]"#, "7",
        ] {
            #expect(table("\(blob),\(blob),\(odd)") == nil, "\(odd)")
        }
        #expect(table("\(blob),\(blob),[\"blob\",\"\(hex)\",536870912]") != nil, "the limit of a file")
    }

    // MARK: Versions

    @Test("A version is in use once; what is taken out of use is kept while the durable record names it")
    func leaving() {
        var versions = StoredVersions()
        for number in 1...3 as ClosedRange<UInt8> { versions.addRead(Self.version(number)) }
        versions.addEmbedded(Self.version(9, .package))
        #expect(ids(versions.all) == ["v9", "v1", "v2", "v3"])
        #expect(versions.inPackage?.key.id == "v9")
        versions.addEmbedded(Self.version(2, .package))
        #expect(ids(versions.all) == ["v2", "v9", "v1", "v3"])
        versions.addDownloaded(Self.version(1), isVerified: false)
        #expect(ids(versions.all) == ["v2", "v9", "v3", "v1"])
        versions.remove(named: entries(1, 9)) { ["v1", "v3"].contains($0.key.id) }
        #expect(ids(versions.all) == ["v2", "v9"])
        #expect(ids(versions.leaving) == ["v1"] && ids(versions.unused) == ["v3"])
        #expect(versions.known(Self.key(1)) != nil && versions.known(Self.key(2)) != nil)
        #expect(versions.known(Self.key(3)) == nil && versions.version(Self.key(1)) == nil)
        let isAnyLeft = versions.recordWritten(entries(1))
        #expect(!isAnyLeft)
        #expect(ids(versions.leaving) == ["v1"] && ids(versions.unused) == ["v3"])
        let isOneLeft = versions.recordWritten(entries(2))
        #expect(isOneLeft)
        #expect(versions.leaving.isEmpty && ids(versions.unused) == ["v3", "v1"])
    }

    @Test("The latest three versions out of use are kept, each once, until their content is removed")
    func unused() {
        var versions = StoredVersions()
        for number in [1, 2, 3, 1, 4] as [UInt8] {
            versions.addRead(Self.version(number))
            versions.remove(named: []) { $0.key == Self.key(number) }
        }
        #expect(ids(versions.unused) == ["v3", "v1", "v4"])
        versions.unusedContentRemoved([Self.key(1), Self.key(7)])
        #expect(ids(versions.unused) == ["v3", "v4"])
    }

    @Test("A version is verified until a read of its content fails, and unreadable until it is read")
    func verified() {
        var versions = StoredVersions()
        let (v1, v2) = (Self.key(1), Self.key(2))
        versions.addDownloaded(Self.version(1), isVerified: true)
        versions.addDownloaded(Self.version(2, blob: 1), isVerified: false)
        #expect(versions.isVerified(v1) && !versions.isVerified(v2))
        versions.skip(v2)
        versions.skip(v2)
        #expect(versions.isUnreadable(v2) && !versions.isUnreadable(v1))
        versions.verificationSucceeded(v2)
        #expect(!versions.isUnreadable(v2) && versions.isVerified(v2))
        versions.readFailed([Self.digest(1)])
        #expect(versions.isUnread(Self.digest(1)) && !versions.isUnread(Self.digest(2)))
        let users = versions.verifyAgain(usersOf: [Self.digest(5), Self.digest(1), Self.digest(3)])
        #expect(users == [v1, v2] && !versions.isVerified(v1) && !versions.isVerified(v2))
        versions.verificationSucceeded(v1)
        versions.skip(v1)
        let others = versions.foundDamaged([Self.digest(2)])
        #expect(others.isEmpty && versions.isUnreadable(v1) && versions.isVerified(v1))
        let damaged = versions.foundDamaged([Self.digest(1)])
        #expect(damaged == [v1, v2] && !versions.isUnreadable(v1) && !versions.isVerified(v1))
        versions.verificationSucceeded(v1)
        versions.addDownloaded(Self.version(1), isVerified: false)
        #expect(!versions.isVerified(v1), "it has been downloaded again")
    }

    @Test("A store that is opened anew knows no version, and what is read then is there once")
    func readAnew() {
        var versions = StoredVersions()
        versions.addRead(Self.version(1))
        versions.addEmbedded(Self.version(9, .package))
        versions.addRead(Self.version(2))
        versions.remove(named: []) { $0.key == Self.key(2) }
        versions.skip(Self.key(1))
        versions.readAnew()
        #expect(versions.all.isEmpty && versions.unused.isEmpty && !versions.isUnreadable(Self.key(1)))
        versions.addRead(Self.version(1))
        #expect(ids(versions.all) == ["v1"])
    }

    @Test("The files of a version are those of its table as it is now")
    func files() {
        var versions = StoredVersions()
        var version = Self.version(1)
        let first = versions.files(of: version)
        #expect(first == version.served())
        version.storedAssets[0].size = 5
        let changed = versions.files(of: version)
        #expect(changed.files.map(\.size) == [5])
        let other = versions.files(of: Self.version(2))
        #expect(other.key == Self.key(2))
    }
}
