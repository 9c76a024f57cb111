import Backend
import AppHost
import Core
import LocalServer
import Testing
import Updater
import World

@testable import Oracle

/// A trace written by hand: events in order, a store built from parts, and the checkers that watch them.
struct Stage {
    var observed: ObservedState
    var checkers: CheckerList
    var store = StoreView()
    var now = Instant.zero
    var process = 0
    private var number = 0

    static let app = AppSetup(
        id: "com.example.shop",
        builds: [
            BuildSetup(name: "1.0", embeds: "v1", native: "A"),
            BuildSetup(name: "1.1", embeds: "v4", native: "B"),
        ], installed: "1.0")

    static let versions = ["v1", "v2", "v3", "v4"].map { name in
        let files = ["/index.html", "/app.js"].map {
            FileSetup(route: $0, content: .made(ContentKey(version: name, route: $0, size: 100)))
        }
        return VersionSetup(name: name, files: files)
    }

    init(
        _ checkers: [any Checker], app: AppSetup = Stage.app, profile: DeviceProfile = .plain,
        versions: [VersionSetup] = Stage.versions
    ) {
        observed = ObservedState(app: app, versions: versions, profile: profile)
        self.checkers = CheckerList(checkers)
    }

    /// Rules broken so far.
    var broken: [String] { checkers.findings.map(\.rule) }
    var headline: String { checkers.findings.first?.violation.headline ?? "" }

    mutating func emit(_ kinds: TraceEvent.Kind...) {
        for kind in kinds {
            number += 1
            if case .launched = kind { process += 1 }
            let event = TraceEvent(ordinal: number, at: now, device: 0, process: process, kind: kind)
            observed.observe(event)
            checkers.observe(event, in: observed, store)
        }
        expectDecisions()
    }

    /// What a checker finds, it has counted as decided.
    private func expectDecisions() {
        for finding in checkers.findings {
            let isDecided = checkers.decisions.contains { decision in
                let isOf =
                    finding.violation.clause.map { $0 == decision.id }
                    ?? (decision.id.prefix { $0 != "." } == finding.rule)
                return isOf && decision.count > 0
            }
            #expect(isDecided, "\(finding.rule): \(finding.violation.headline)")
        }
    }

    mutating func storeChanged(_ change: (inout StoreView) -> Void) {
        let before = store
        change(&store)
        for path in [\StoreView.live, \StoreView.durable] {
            // A change by a test counts as a change of every kind.
            store[keyPath: path].commits = before[keyPath: path].commits + 1
            store[keyPath: path].removals = before[keyPath: path].removals + 1
            for blob in store[keyPath: path].blobs { store[keyPath: path].putBlob(blob) }
            let names = store[keyPath: path].blobs.map(\.name)
            store[keyPath: path].arrivals.names =
                before[keyPath: path].arrivals.names
                + names.filter { before[keyPath: path].blob($0) == nil }
        }
        observed.timePassed(to: now)
        checkers.storeChanged(store, in: observed)
        expectDecisions()
    }

    mutating func wait(_ span: TimeSpan) {
        now = now + span
        observed.timePassed(to: now)
        checkers.timePassed(in: observed, store)
        expectDecisions()
    }

    mutating func launch() { emit(.launched(foreground: true, bootID: 1)) }

    /// With v1 launched and current, in an app that is changed before.
    static func running(_ checker: any Checker, _ change: (inout AppSetup) -> Void = { _ in }) -> Stage {
        var app = Stage.app
        change(&app)
        var stage = Stage([checker], app: app)
        stage.launch()
        stage.status { $0.current = Stage.v1 }
        return stage
    }

    /// A check is sent, and its answer offers a version.
    mutating func answer(_ id: String?, serial: Int? = nil) {
        wait(.seconds(2))
        let transfer = UInt32(truncatingIfNeeded: now.microseconds / 1_000_000)
        emit(
            Stage.sent(transfer, .manifest), Stage.head(transfer, 200, offered: id, serial: serial),
            Stage.ended(transfer))
        wait(.seconds(2))
    }

    mutating func becomePending(_ key: VersionKey) {
        log(.becamePending, key)
        status { $0.pending = key }
    }

    /// The index of a page load of a version is served in the first web view.
    mutating func open(_ version: VersionKey, _ token: PageLoadToken) {
        emit(
            .pageLoad(.first, token, version), Stage.answer(token),
            .committed(.first, load: token, VersionMask()))
    }

    mutating func log(_ cause: LogCause, _ version: VersionKey? = nil, _ detail: String = "") {
        emit(.log(LogEntry(cause, version: version?.id, detail: detail)))
    }

    mutating func status(_ change: (inout UpdaterStatus) -> Void) {
        var status = observed.status ?? UpdaterStatus()
        status.embedded = Stage.v1
        change(&status)
        emit(.status(status))
    }

    // MARK: - Values

    static let v1 = key("v1")
    static let v2 = key("v2")
    static let v3 = key("v3")

    static func key(_ id: String) -> VersionKey {
        VersionKey(id: id, digest: SHA256.hash(of: Array(id.utf8)))
    }

    static func token(_ number: UInt64) -> PageLoadToken { PageLoadToken(number) }

    static func answer(_ token: PageLoadToken, _ target: String = "/") -> TraceEvent.Kind {
        .answered(
            LocalServer.AccessLogEntry(
                method: "GET", target: target, status: 200, type: "text/html", load: token, site: nil))
    }

    static func request(
        _ load: PageLoadToken?, _ target: String, _ destination: PageRequest.Destination = .script
    ) -> PageRequest {
        PageRequest(webView: .first, load: load, target: target, destination: destination)
    }

    static func answer(of versions: Int..., status: Int = 200, isWhole: Bool = true) -> PageAnswer {
        var mask = VersionMask()
        for version in versions { mask.insert(version) }
        return PageAnswer(
            status: status, type: "text/javascript", bytes: 100, contentOf: mask, isWhole: isWhole)
    }

    static func sent(
        _ transfer: UInt32, _ kind: OriginRequest.Kind, version: VersionKey? = nil, from: Int? = nil,
        ifRange: String? = nil, isConditional: Bool = false, asker: RequestEvent.Asker? = nil,
        url: String = "https://updates.example.com/x"
    ) -> TraceEvent.Kind {
        .requestSent(
            RequestEvent(
                transfer: TransferID(transfer), kind: kind, url: url,
                version: version, edge: 0, from: from, ifRange: ifRange,
                isConditional: isConditional, asker: asker))
    }

    static func ended(_ transfer: UInt32, bytes: Int = 100) -> TraceEvent.Kind {
        .transferEnded(TransferID(transfer), bytes: bytes, contentOf: VersionMask())
    }

    static func head(
        _ transfer: UInt32, _ status: Int, offered: String? = nil, serial: Int? = nil,
        retryAfter: TimeSpan? = nil, isRedirect: Bool = false, unsatisfiedLength: Int? = nil,
        partFrom: Int? = nil, isCoded: Bool = false, tag: String? = nil
    ) -> TraceEvent.Kind {
        var note = AnswerSummary()
        note.tag = tag
        note.unsatisfiedLength = unsatisfiedLength
        note.serial = serial
        note.partFrom = partFrom
        note.isCoded = isCoded
        note.retryAfter = retryAfter
        note.isRedirect = isRedirect
        return .answerHead(TransferID(transfer), status: status, offered: offered, note)
    }

    // MARK: - Stores

    /// Content of a file of a version, as the store holds it.
    static func bytes(_ key: VersionKey, _ route: String) -> [UInt8] { Array((key.id + route).utf8) }

    static func blob(_ key: VersionKey, _ route: String) -> BlobImage {
        let bytes = bytes(key, route)
        let digest = SHA256.hash(of: bytes)
        return BlobImage(name: digest, size: bytes.count, sha256: digest, sha1: SHA1.hash(of: bytes))
    }

    static func table(_ key: VersionKey, hashed: Bool = true) -> TableImage {
        var assets: [Asset] = []
        var contents: [TableImage.AssetContent] = []
        for route in ["/app.js", "/index.html"] {
            let blob = blob(key, route)
            assets.append(
                Asset(
                    route: route, size: blob.size, hash: hashed ? .sha256(blob.sha256) : .none,
                    url: String(route.dropFirst()), packagePath: String(route.dropFirst())))
            contents.append(TableImage.AssetContent(location: .blob(blob.name), size: blob.size))
        }
        let table = VersionTable(
            key: key, dialect: .own, assets: assets, index: "/index.html", metadata: ManifestMetadata())
        return TableImage(table: table, contents: contents)
    }

    /// These versions whole, and a record that names them.
    static func image(_ keys: [VersionKey], generation: UInt64 = 1) -> StoreImage {
        var image = StoreImage()
        for key in keys {
            image.tables.append(table(key))
            image.tableNames.append(key.digest)
            image.blobs += ["/app.js", "/index.html"].map { blob(key, $0) }
        }
        image.tables.sort { $0.key < $1.key }
        image.blobs.sort { $0.name < $1.name }
        image.slotA = .valid(record(keys, generation: generation))
        return image
    }

    static func record(
        _ keys: [VersionKey], generation: UInt64 = 1, confirmations: Int = 0
    ) -> RecordImage {
        var record = RecordImage()
        record.generation = generation
        record.native = "1.0"
        record.embedded = v1
        record.versions = keys.map { RecordImage.StoredVersion(key: $0, confirmations: confirmations) }
        return record
    }

    static func both(_ image: StoreImage) -> StoreView {
        var view = StoreView()
        view.live = image
        view.durable = image
        return view
    }
}
