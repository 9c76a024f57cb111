import Core
import HTTP1
import Testing

@testable import Updater

@Suite("The state of a download: its files, its attempts, and what of it is here")
struct DownloadStateTests {
    private static func digest(_ number: UInt8) -> Digest256 { SHA256.hash(of: [number]) }

    private static func asset(
        _ number: UInt8, size: Int? = 100, isOptional: Bool = false, hash: AssetHash? = nil
    ) -> Asset {
        Asset(
            route: "/\(number)", size: size, hash: hash ?? .sha256(digest(number)), url: "\(number)",
            isOptional: isOptional)
    }

    private static func table(_ assets: [Asset], id: String = "v2") -> VersionTable {
        VersionTable(
            key: VersionKey(id: id, digest: digest(200)), dialect: .own, assets: assets, index: "/1",
            metadata: ManifestMetadata())
    }

    private static func stored(_ number: UInt8, size: Int = 100) -> StoredVersion.StoredAsset {
        .init(location: .blob(digest(number)), size: size)
    }

    private func transfer(_ index: Int, offset: Int) -> FileTransfer {
        FileTransfer(
            id: TransferID(UInt32(index)), assetIndex: index, key: Self.digest(UInt8(index)),
            request: OriginRequest(kind: .file("/a"), url: "a"), resumedAt: 0, offset: offset,
            sha256: SHA256(), lastProgress: .zero, windowStart: .zero)
    }

    /// A download all of whose files are needed.
    private func download(_ assets: [Asset]) -> Download {
        var download = Download(table: Self.table(assets), manifest: [7])
        for index in assets.indices { download.assets.set(.needed, at: index) }
        return download
    }

    @Test("A download begins without anything: nothing is known, planned, confirmed or failed")
    func begin() {
        var plan = Download(table: Self.table([Self.asset(1), Self.asset(2)]), manifest: [7])
        #expect(plan.manifest == [7] && plan.assetStates == [.unknown, .unknown] && plan.transfers.isEmpty)
        #expect(!plan.isPausedByPolicy && !plan.needsManifest && !plan.bypassesCache && !plan.isConfirmed)
        #expect(!plan.isCompleting && !plan.mayHaveParts && !plan.isPlanned && !plan.isPlanPutOff)
        #expect(!plan.isTakenUp && !plan.hasMadeRoom)
        #expect(plan.completionBackoff.isClear && plan.embeddedIndex == nil && plan.blobs.isEmpty)
        #expect(plan.firstRetry == nil && !plan.isComplete && !plan.lacksOnlyFailedOptional)
        #expect(plan.assets.firstUnknown == 0 && plan.assets.firstFresh == 2 && plan.assets.totalBytes == 200)
        #expect(plan.assets.availableCount == 0 && plan.assets.finishingCount == 0)
        #expect(plan.assets.attempts == [0, 0] && plan.assets.highestOffsets == [0, 0])
        let isAllowed = plan.retryOptional()
        #expect(!isAllowed)
        let transfer = transfer(0, offset: 0)
        #expect(transfer.redirects == 0 && transfer.status == 0 && transfer.windowBytes == 0)
        #expect(!transfer.hasEnded && transfer.unwritten.isEmpty && transfer.openFile == nil)
        #expect(transfer.announced == nil && transfer.stored == nil && transfer.indexBytes == nil)
    }

    @Test("Progress counts files that are here and the bytes of transfers whose size is known")
    func progress() {
        var plan = download([Self.asset(1), Self.asset(2), Self.asset(3, size: nil), Self.asset(4)])
        plan.markAvailable(0, Self.stored(1))
        for (index, offset) in [(1, 30), (2, 50)] {
            _ = plan.assets.beginTransfer(TransferID(UInt32(index)), of: index, from: 0)
            plan.transfers.append(transfer(index, offset: offset))
        }
        #expect(
            plan.progress
                == DownloadProgress(
                    version: plan.table.key, filesDone: 1, files: 4, bytesDone: 130, bytes: nil))
        #expect(plan.blobs == [Self.digest(1)] && !plan.isComplete)
        plan.endTransfer(at: 0, .finishing)
        #expect(plan.transfers.map(\.assetIndex) == [2] && plan.assets.finishingCount == 1)
        plan.endTransfers()
        #expect(plan.transfers.isEmpty && plan.assetStates[2] == .needed)
        for index in 1...3 { plan.markAvailable(index, .init(location: .absent, size: 0)) }
        #expect(plan.isComplete && plan.blobs == [Self.digest(1)])
    }

    @Test("Attempts of a file are counted; those of a resumed one are where it stopped")
    func attempts() {
        let rows = [Self.asset(1), Self.asset(2), Self.asset(3)]
        var assets = DownloadAssets(rows, AssetsByHash(rows))
        for index in 0...2 { assets.set(.needed, at: index) }
        assets.found(0, upTo: 40)
        #expect(assets.bytesDone == 40, "what an earlier process received counts as progress")
        let first = assets.beginTransfer(TransferID(1), of: 0, from: 40)
        #expect(first == 1 && assets.bytesDone == 0, "the bytes of a transfer are its own")
        assets.set(.needed, at: 0)
        #expect(assets.bytesDone == 0)
        let second = assets.beginTransfer(TransferID(2), of: 0, from: 20)
        #expect(second == 2 && assets.attempts == [2, 0, 0] && assets.highestOffsets == [40, 0, 0])
        for attempt in 1...3 {
            assets.changeBackoff(of: 0) { $0.failed(at: .zero, jitter: 0) }
            #expect(assets.backoffs[0].attempts == attempt && assets.failing == [0])
        }
        assets.received(0, upTo: 40)
        #expect(assets.backoffs[0].attempts == 3, "bytes that were here before are not new")
        assets.received(0, upTo: 41)
        #expect(assets.backoffs[0].attempts == 0 && assets.highestOffsets[0] == 41)
    }

    @Test("Missing are bytes to be received yet: no parts that are here, and shared content once (U11)")
    func missing() {
        let shared = AssetHash.sha256(Self.digest(9))
        var plan = download([
            Self.asset(1), Self.asset(2, hash: shared), Self.asset(3, hash: shared), Self.asset(4, size: nil),
        ])
        #expect(plan.missingBytes == UntrustedInteger(200))
        plan.assets.found(0, upTo: 40)
        #expect(plan.missingBytes == UntrustedInteger(160))
        _ = plan.assets.beginTransfer(TransferID(1), of: 0, from: 40)
        plan.assets.received(0, upTo: 70)
        #expect(plan.missingBytes == UntrustedInteger(130))
        plan.assets.discarded(0)
        #expect(plan.missingBytes == UntrustedInteger(200), "what was here once is not here any more")
        plan.assets.received(0, upTo: 10)
        #expect(plan.missingBytes == UntrustedInteger(190))
        // The first one is left out for good, and the other one is needed all the same.
        plan.markAvailable(1, .init(location: .absent, size: 0))
        #expect(plan.missingBytes == UntrustedInteger(190))
        plan.markAvailable(2, Self.stored(9))
        #expect(plan.missingBytes == UntrustedInteger(90))
        plan.assets.announced(3, 50, limit: 60)
        #expect(plan.missingBytes == UntrustedInteger(140), "the manifest states no size, a response does")
        plan.assets.announced(3, 70, limit: 60)
        #expect(plan.missingBytes == UntrustedInteger(150))
    }

    @Test("Rows of equal content share a part, and the size that one of them states (U15)")
    func missingOfShared() {
        let shared = AssetHash.sha256(Self.digest(9))
        var plan = download([
            Self.asset(1, size: nil, hash: shared), Self.asset(2, hash: shared), Self.asset(3),
        ])
        #expect(plan.missingBytes == UntrustedInteger(200), "the second row states the size")
        plan.assets.received(0, upTo: 60)
        #expect(plan.missingBytes == UntrustedInteger(140))
        _ = plan.assets.beginTransfer(TransferID(1), of: 1, from: 30)
        #expect(plan.missingBytes == UntrustedInteger(170), "the same part, by way of the other row")
        plan.partRemoved(plan.table.partialKey(1))
        #expect(plan.missingBytes == UntrustedInteger(200))
    }

    @Test("Attempts of everything that is paused are allowed at once, or everything begins anew")
    func backoffs() {
        let rows = [Self.asset(1), Self.asset(2), Self.asset(3)]
        var assets = DownloadAssets(rows, AssetsByHash(rows))
        for index in 0...2 { assets.set(.needed, at: index) }
        for index in [2, 0] { assets.changeBackoff(of: index) { $0.failed(at: .zero, jitter: 250) } }
        #expect(assets.failing == [0, 2] && assets.firstFresh == 1)
        #expect(assets.isNeeded(0, hasFailed: true) && !assets.isNeeded(0, hasFailed: false))
        #expect(assets.isNeeded(1, hasFailed: false) && !assets.isNeeded(1, hasFailed: true))
        var allowed = assets
        allowed.allowAttempts()
        #expect(allowed.failing == [0, 2] && allowed.backoffs.allSatisfy { $0.notBefore == nil })
        #expect(allowed.backoffs.map(\.attempts) == [1, 0, 1])
        assets.resetBackoffs()
        #expect(assets.failing.isEmpty && assets.backoffs.allSatisfy { $0.isClear } && assets.firstFresh == 0)
    }

    @Test("The first retry is that of the file that is due first; one that is due already is not next")
    func retries() {
        var plan = download([Self.asset(1), Self.asset(2), Self.asset(3), Self.asset(4)])
        for (index, seconds) in [(1, 9), (2, 5), (3, 1)] as [(Int, Int64)] {
            let at = Instant.zero + .seconds(seconds)
            plan.assets.changeBackoff(of: index) { $0.failed(at: at, jitter: 250) }
        }
        plan.assets.set(.finishing, at: 3)
        // Each waits a second: the jitter of 250 is no deviation.
        #expect(plan.firstRetry == .zero + .seconds(6))
        #expect(plan.nextRetry(after: .zero + .seconds(5)) == .zero + .seconds(6))
        #expect(plan.nextRetry(after: .zero + .seconds(6)) == .zero + .seconds(10))
        #expect(plan.nextRetry(after: .zero + .seconds(10)) == nil)
    }

    @Test("U12: five failures of an optional file count, and one attempt more after a check has failed")
    func optional() {
        var plan = download([Self.asset(1), Self.asset(2, isOptional: true), Self.asset(3, isOptional: true)])
        func fail(_ index: Int, _ times: Int) {
            for _ in 0..<times { plan.assets.changeBackoff(of: index) { $0.failed(at: .zero, jitter: 0) } }
        }
        plan.markAvailable(0, Self.stored(1))
        fail(1, 5)
        fail(2, 4)
        #expect(plan.failedOptional == [1] && !plan.lacksOnlyFailedOptional)
        plan.checkFailed()
        let isAllowedEarly = plan.retryOptional()
        #expect(!isAllowedEarly, "not all of them had failed when the check did")
        fail(2, 1)
        #expect(plan.failedOptional == [1, 2] && plan.lacksOnlyFailedOptional)
        plan.checkFailed()
        plan.checkFailed()
        let isAllowed = [plan.retryOptional(), plan.retryOptional()]
        #expect(isAllowed == [true, false], "once for each check that failed")
        #expect(plan.assets.backoffs.map(\.attempts) == [0, 4, 4] && plan.failedOptional.isEmpty)
        #expect(plan.assets.backoffs.allSatisfy { $0.notBefore == nil })
        fail(1, 1)
        plan.markAvailable(2, .init(location: .absent, size: 0))
        #expect(plan.lacksOnlyFailedOptional && plan.failedOptional == [1])
        plan.markAvailable(1, .init(location: .absent, size: 0))
        #expect(!plan.lacksOnlyFailedOptional, "nothing is missing")
        var required = download([Self.asset(1)])
        required.assets.changeBackoff(of: 0) { for _ in 0..<9 { $0.failed(at: .zero, jitter: 0) } }
        #expect(required.failedOptional.isEmpty && !required.lacksOnlyFailedOptional)
    }

    @Test("U1: a required file without a hash asks for one more check; an optional one does not")
    func unhashed() {
        #expect(
            !download([Self.asset(1), Self.asset(2, isOptional: true, hash: AssetHash.none)])
                .hasUnhashedAssets)
        #expect(download([Self.asset(1), Self.asset(2, hash: AssetHash.none)]).hasUnhashedAssets)
    }

    @Test("A newer manifest of the same version brings its URLs and sizes; one of another is not adopted")
    func adopt() {
        var plan = download([Self.asset(1), Self.asset(2)])
        plan.markAvailable(0, Self.stored(1))
        var newer = Self.table([Self.asset(1, size: 70), Self.asset(2, size: 30)])
        newer.assets[1].url = "new"
        var other = newer
        other.key.id = "v3"
        plan.adopt(other, [8])
        var longer = newer
        longer.assets.append(Self.asset(3))
        plan.adopt(longer, [8])
        #expect(plan.manifest == [7] && plan.table.assets[1].url == "2" && plan.assets.bytesDone == 100)
        plan.adopt(newer, [8])
        #expect(plan.manifest == [8] && plan.table.assets[1].url == "new")
        #expect(plan.assets.bytesDone == 70 && plan.assets.totalBytes == 100)
    }

    @Test("Partial files are named by their hash, or by version and URL; no two of them share a name")
    func partialKeys() {
        let sha1 = AssetHash.sha1(SHA1.hash(of: [1]))
        let table = Self.table([
            Self.asset(1), Self.asset(2), Self.asset(3, hash: sha1), Self.asset(4, hash: AssetHash.none),
            Self.asset(5, hash: AssetHash.none),
        ])
        let keys = table.assets.indices.map { table.partialKey($0) }
        #expect(Set(keys).count == 5)
        var other = table
        other.key.digest = Self.digest(9)
        for index in 0...4 { other.assets[index].route += "x" }
        let otherKeys = other.assets.indices.map { other.partialKey($0) }
        #expect(zip(keys, otherKeys).map { $0 == $1 } == [true, true, true, false, false])
    }

    @Test("Time in which the process did not run is neither silence nor part of a slow minute")
    func discount() {
        var transfer = transfer(0, offset: 0)
        transfer.lastProgress = .zero + .seconds(3)
        transfer.discount(.seconds(5))
        #expect(transfer.lastProgress == .zero + .seconds(8) && transfer.windowStart == .zero + .seconds(5))
    }

    @Test("Assets of several versions are found by their hashes, while the versions are the same")
    func knownAssets() {
        func version(_ id: String, _ numbers: [UInt8]) -> StoredVersion {
            StoredVersion(
                table: Self.table(numbers.map { Self.asset($0) }, id: id),
                storedAssets: numbers.map { Self.stored($0) }, verification: .everyByte, packageRoot: nil)
        }
        let versions = [version("v1", [1, 2, 1]), version("v2", [2, 3])]
        let known = KnownAssets(versions)
        func first(_ number: UInt8, of index: Int) -> Int? {
            known.firstAsset(with: .sha256(Self.digest(number)), of: index, versions)
        }
        #expect([first(1, of: 0), first(2, of: 0), first(3, of: 0)] == [0, 1, nil])
        #expect([first(1, of: 1), first(2, of: 1), first(3, of: 1)] == [nil, 0, 1])
        #expect(known.areOf(versions) && !known.areOf([versions[0]]) && !known.areOf(versions.reversed()))
        #expect(!known.areOf([versions[0], version("v2", [2, 3, 4])]))
        #expect(!known.areOf([version("v3", [1, 2, 1]), versions[1]]))
    }

    @Test("U7: what the page is shown never decreases for a version, and changes by a file or a hundredth")
    func reported() {
        let key = VersionKey(id: "v2", digest: Self.digest(1))
        var reported = ReportedProgress()
        func report(_ files: Int, _ bytes: Int, of total: Int? = 1_000, _ id: String = "v2") -> [Int]? {
            let progress = DownloadProgress(
                version: VersionKey(id: id, digest: key.digest), filesDone: files, files: 9, bytesDone: bytes,
                bytes: total)
            return reported.report(progress).map { [$0.filesDone, $0.bytesDone] }
        }
        #expect(report(0, 5) == [0, 5])
        #expect(report(0, 14) == nil && report(0, 15) == [0, 15])
        #expect(report(1, 10) == [1, 15])
        #expect(report(0, 30) == [1, 30])
        #expect(report(1, 30) == nil)
        #expect(report(0, 0, "v3") == [0, 0])
        #expect(report(0, 1, of: nil, "v3") == [0, 1] && report(0, 1, of: nil, "v3") == nil)
        #expect(report(0, 2, of: 50, "v3") == [0, 2], "at least a byte")
        func progress(_ bytes: Int, of id: String) -> DownloadProgress {
            DownloadProgress(
                version: VersionKey(id: id, digest: key.digest), filesDone: 0, files: 9, bytesDone: bytes,
                bytes: 1_000)
        }
        #expect(reported.shown == nil)
        reported.show(progress(50, of: "v2"))
        reported.show(nil)
        #expect(reported.shown == progress(50, of: "v2"))
        reported.show(progress(49, of: "v3"))
        #expect(reported.shown == progress(50, of: "v2"))
        reported.show(progress(50, of: "v3"))
        #expect(reported.shown == progress(50, of: "v3"))
    }
}
