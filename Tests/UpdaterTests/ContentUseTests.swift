import Core
import Testing

@testable import Updater

@Suite("Stored content: which of it may be used, compared or trusted, and what is said of damage (U2, R10)")
struct ContentUseTests {
    private static let bytes = Version.content("a", 100)
    private static let sha256 = SHA256.hash(of: bytes)
    private static let sha1 = SHA1.hash(of: bytes)

    private static func version(
        _ location: StoredVersion.StoredAsset.Location, _ hash: AssetHash, id: String = "v2", size: Int = 100
    ) -> StoredVersion {
        let asset = Asset(route: "/a", size: size, hash: hash, url: "a")
        let table = VersionTable(
            key: VersionKey(id: id, digest: SHA256.hash(of: Array(id.utf8))), dialect: .own, assets: [asset],
            index: "/a", metadata: ManifestMetadata())
        return StoredVersion(
            table: table, storedAssets: [.init(location: location, size: size)], verification: .everyByte,
            packageRoot: DiskPath(.package, "web"))
    }

    private func updater(_ versions: [StoredVersion]) throws -> Updater {
        var updater = try Harness.started().updater
        for version in versions { updater.versions.addRead(version) }
        return updater
    }

    @Test("U2: content is compared only where neither the manifests nor its name say whether it is the same")
    func compared() throws {
        let hashes: [AssetHash] = [.sha256(SHA256.hash(of: [9])), .sha1(SHA1.hash(of: [9])), .none]
        let wanted: [AssetHash] = [.sha256(Self.sha256), .sha1(Self.sha1), .none]
        func isSha1(_ hash: AssetHash) -> Bool { if case .sha1 = hash { true } else { false } }
        func isSha256(_ hash: AssetHash) -> Bool { if case .sha256 = hash { true } else { false } }
        for location in [
            StoredVersion.StoredAsset.Location.blob(SHA256.hash(of: [8])), .package("a"), .absent,
        ] {
            for known in hashes {
                for wanted in wanted {
                    let updater = try updater([Self.version(location, known)])
                    let isCompared: Bool =
                        switch location {
                        case .absent: false
                        case .blob: isSha1(wanted) && !isSha1(known)
                        case .package:
                            isSha1(wanted) && !isSha1(known) || isSha256(wanted) && !isSha256(known)
                        }
                    for size in [nil, 100, 99] {
                        let asset = Asset(route: "/a", size: size, hash: wanted, url: "a")
                        let found = updater.contentToCompare(with: asset)
                        #expect(
                            found.count == (isCompared && size != 99 ? 1 : 0),
                            "\(location) \(known) \(wanted)")
                    }
                    let other = Asset(route: "/b", size: nil, hash: wanted, url: "b")
                    #expect(updater.contentToCompare(with: other).isEmpty)
                }
            }
        }
        let same = [Self.version(.package("a"), .none), Self.version(.package("a"), .none, id: "v3")]
        let asset = Asset(route: "/a", size: nil, hash: .sha256(Self.sha256), url: "a")
        let both = try updater(same).contentToCompare(with: asset)
        #expect(both.count == 1, "each file once")
    }

    @Test("U2: the last hash in a URL names the content, if the manifest states none")
    func hashInURL() {
        let (hex256, hex1) = (Self.sha256.hex, Self.sha1.hex)
        let urls: [(url: String, hash: AssetHash)] = [
            ("a.js", .none), ("a.\(hex256).js", .sha256(Self.sha256)), ("\(hex1)/a.js", .sha1(Self.sha1)),
            ("\(hex1)/\(hex256)", .sha256(Self.sha256)), ("\(hex256)/\(hex1).js", .sha1(Self.sha1)),
            ("a.js?v=\(hex256)", .none), ("a\(hex1).js", .none), ("\(hex1.dropLast()).js", .none),
        ]
        for (url, hash) in urls {
            #expect(Asset(route: "/a", size: 1, hash: .none, url: url).expectedHash == hash, "\(url)")
        }
        let stated = Asset(route: "/a", size: 1, hash: .sha1(Self.sha1), url: hex256)
        #expect(stated.expectedHash == .sha1(Self.sha1))
    }

    @Test("U2: the blob of the same route with the wanted digest is used, if it is trusted")
    func storedBlob() throws {
        let asset = Asset(route: "/a", size: 100, hash: .none, url: "\(Self.sha256.hex).js")
        var updater = try updater([Self.version(.blob(Self.sha256), .none)])
        #expect(updater.storedBlob(for: asset)?.location == .blob(Self.sha256))
        #expect(updater.storedBlob(for: Asset(route: "/b", size: 100, hash: .none, url: asset.url)) == nil)
        #expect(updater.storedBlob(for: Asset(route: "/a", size: 100, hash: .none, url: "a")) == nil)
        updater.record.damaged = [Self.sha256]
        #expect(updater.storedBlob(for: asset) == nil)
    }

    @Test("R10: damaged content is not trusted; where damage is not listed, only what is in use is")
    func trusted() throws {
        let version = Self.version(.blob(Self.sha256), .none)
        var updater = try updater([version])
        let other = SHA256.hash(of: [7])
        #expect(updater.isTrusted(Self.sha256) && updater.isTrusted(other))
        updater.record.damaged = [other]
        #expect(updater.isTrusted(Self.sha256) && !updater.isTrusted(other))
        updater.record.damaged = []
        updater.record.distrustsUnusedContent = true
        #expect(!updater.isTrusted(Self.sha256), "the record does not name its version")
        updater.record.update(version.key) { _ in }
        #expect(updater.isTrusted(Self.sha256) && !updater.isTrusted(other))
        var download = Download(table: version.table, manifest: [])
        download.assets.set(.available(.init(location: .blob(other), size: 1)), at: 0)
        updater.download = download
        #expect(updater.isTrusted(other))
    }

    @Test("R10: eight damaged files are named, the others counted; each is listed once")
    func reportedDamage() throws {
        for count in [1, 7, 8, 9, 20] {
            let version = Self.version(.blob(Self.sha256), .none)
            var updater = try updater([version])
            updater.record.checked = [version.key, VersionKey(id: "v9", digest: Self.sha256)]
            updater.record.damaged = [SHA256.hash(of: [1])]
            let damages = (1...count).map { number in
                VersionVerification.Damage(digest: SHA256.hash(of: [UInt8(number)]), reason: "reason")
            }
            updater.markDamaged(damages + [.init(digest: Self.sha256, reason: "last")], version.key)
            #expect(updater.record.damaged.count == count + 1)
            let details = updater.record.log.filter { $0.cause == .contentDamaged }.map(\.detail)
            #expect(details.count == min(count + 1, 9))
            // One more than these is damaged.
            let rest = count < 8 ? "content=\(Self.sha256.hex.prefix(12)) last" : "and \(count - 7) others"
            #expect(details.last == rest, "\(count)")
            #expect(updater.record.checked.map(\.id) == ["v9"], "it is verified again")
        }
    }

    @Test("R10: a launch counts that could not read content, unless the device may be locked")
    func unread() throws {
        let cases: [(code: DiskError.Code, isInFront: Bool, isReadOnly: Bool, isCounted: Bool)] = [
            (.denied, true, false, true), (.denied, false, false, false), (.inputOutput, false, false, true),
            (.inputOutput, true, false, true), (.inputOutput, true, true, false),
        ]
        for (code, isInFront, isReadOnly, isCounted) in cases {
            var device = try Harness.started()
            if !isInFront { device.send(.background) }
            if isReadOnly { device.updater.store.becomeReadOnly(after: DiskError(.readOnly, .open)) }
            let unread = VersionVerification.Unread(
                digest: Self.sha256, error: DiskError(code, .open, StorePaths.blobs))
            let isDamaged = device.updater.countUnread(unread)
            #expect(!isDamaged)
            let launches = device.updater.starts.file.unreadLaunches(of: Self.sha256)
            #expect(launches == (isCounted ? 1 : 0), "\(code) \(isInFront) \(isReadOnly)")
        }
    }

    @Test("R10: a verification names each damage once, and begins each file anew")
    func verification() {
        let key = VersionKey(id: "v2", digest: Self.sha256)
        var check = VersionVerification(key: key, purpose: .start)
        #expect(check.assetIndex == 0 && check.offset == 0 && !check.isHashing && check.file == nil)
        check.reportDamage(Self.sha256, "first")
        check.reportDamage(Self.sha256, "second", isMissing: true)
        #expect(check.damages == [.init(digest: Self.sha256, reason: "first", isMissing: false)])
        check.unread = [.init(digest: SHA256.hash(of: [2]), error: DiskError(.inputOutput, .read))]
        let settled = [Self.sha256, SHA256.hash(of: [2]), SHA256.hash(of: [3])].map { check.isSettled($0) }
        #expect(settled == [true, true, false])
        check.file = FileHandle(id: 3)
        check.offset = 7
        check.hash.update([1])
        check.nextFile()
        #expect(check.assetIndex == 1 && check.offset == 0 && check.file == nil)
        #expect(check.hash.finish() == SHA256.hash(of: []))
        let sizes = [VersionVerification.Purpose.start, .page, .offer].map {
            VersionVerification(key: key, purpose: $0).bytesPerStep
        }
        #expect(sizes == [262_144, 262_144, 65_536])
    }
}
