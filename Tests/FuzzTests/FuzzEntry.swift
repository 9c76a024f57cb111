import Core
import HTTP1

@testable import Updater

/// Readers of bytes from outside, each with what must hold whatever the bytes are: no crash, no endless loop,
/// and what is read once reads again. The fuzzer (Tests/Fuzz) and the suite come in by the same doors.
enum FuzzEntry: String, CaseIterable {
    case ownManifest = "own"
    case meteorManifest = "meteor"
    case frontendManifest = "frontend"
    /// A whole file of the record.
    case record
    /// The text inside a record, under a checksum that fits: damage that a checksum would have caught hides
    /// the reader behind it.
    case recordBody = "record-body"
    /// A file of `tables/`, its manifest and places under a checksum that fits; a byte 0 parts the two.
    case tableBody = "table-body"
    case startsFile = "starts"
    case finishedAssets = "finished"
    case meteorIndex = "meteor-index"
    /// Bytes of a connection that the origin answers on.
    case httpAnswer = "http-answer"
    /// Bytes of a connection that requests come on.
    case httpRequest = "http-request"
    /// The same bytes, and a whole server behind them.
    case server
    /// A base, a byte 0, and a reference.
    case location
    /// The files of a store, parted by bytes 0, each under a checksum that fits: the updater lives with them.
    case store
    /// Answers of an origin, parted by lines `----`: the updater asks and takes what comes.
    case origin
    /// The answer to a request for the rest of a file, and the updater that has the beginning of it.
    case resumed
    /// A scenario file: read, printed, read again.
    case scenario
    /// A device profile.
    case profile
    /// A file for the formatter: written twice it is the same, and means the same.
    case format

    /// Something that must hold and does not.
    struct Broken: Error, CustomStringConvertible {
        var description: String

        init(_ description: String) { self.description = description }
    }

    func run(_ bytes: [UInt8]) throws(Broken) {
        switch self {
        case .ownManifest: try FuzzEntry.manifest(bytes, .own)
        case .meteorManifest: try FuzzEntry.manifest(bytes, .meteor)
        case .frontendManifest: try FuzzEntry.manifest(bytes, .frontend)
        case .record: try FuzzEntry.again(RecordCoding.decode(bytes))
        case .recordBody:
            let head = "\(RecordCoding.format) 7 \(bytes.count) "
            let sum = SHA256.hash(of: Array(head.utf8) + bytes)
            try FuzzEntry.again(RecordCoding.decode(Array((head + sum.hex + "\n").utf8) + bytes))
        case .tableBody: try FuzzEntry.table(bytes)
        case .startsFile:
            if let note = StartsFile.decode(bytes), StartsFile.decode(note.bytes) == nil {
                throw Broken("a note that was read can't be written and read again")
            }
        case .finishedAssets: try FuzzEntry.finished(bytes)
        case .meteorIndex: _ = MeteorIndex(bytes)
        case .httpAnswer: try FuzzEntry.httpAnswer(bytes)
        case .httpRequest: try FuzzEntry.httpRequest(bytes)
        case .server: try FuzzEntry.lives { try FuzzEntry.server(bytes) }
        case .location: try FuzzEntry.location(bytes)
        case .store: try FuzzEntry.lives { try FuzzEntry.store(bytes) }
        case .origin: try FuzzEntry.lives { try FuzzEntry.origin(bytes) }
        case .resumed: try FuzzEntry.lives { try FuzzEntry.resumed(bytes) }
        case .scenario: try FuzzEntry.scenario(bytes)
        case .profile: try FuzzEntry.profile(bytes)
        case .format: try FuzzEntry.format(bytes)
        }
    }

    /// A table within the limits, or a refusal with a cause.
    private static func manifest(_ bytes: [UInt8], _ dialect: ManifestDialect) throws(Broken) {
        let table: VersionTable
        do throws(ManifestRefusal) {
            table = try ManifestReader(dialect: dialect).read(bytes)
        } catch {
            if error.detail.utf8.count > 4_096 {
                throw Broken("a refusal of \(error.detail.utf8.count) bytes")
            }
            return
        }
        if table.assets.count > 20_000 { throw Broken("\(table.assets.count) rows") }
        if table.key.id.isEmpty { throw Broken("a version without an id") }
        for (asset, next) in zip(table.assets, table.assets.dropFirst()) where asset.route >= next.route {
            throw Broken("routes out of order: \(asset.route), \(next.route)")
        }
        for asset in table.assets {
            if !asset.route.hasPrefix("/") { throw Broken("the route \(asset.route)") }
            if asset.route.split(separator: "/").contains("..") { throw Broken("the route \(asset.route)") }
            if let size = asset.size, size < 0 { throw Broken("a size of \(size)") }
        }
        let again: VersionTable?
        do throws(ManifestRefusal) {
            again = try ManifestReader(dialect: dialect).read(bytes)
        } catch {
            again = nil
        }
        if again?.key != table.key { throw Broken("read twice, two versions") }
    }

    private static func again(_ record: StoreRecord?) throws(Broken) {
        guard let record else { return }
        guard let again = RecordCoding.decode(RecordCoding.encode(record)) else {
            throw Broken("a record that was read can't be written and read again")
        }
        if RecordCoding.encode(again) != RecordCoding.encode(record) {
            throw Broken("a record changes when read")
        }
    }

    private static func table(_ bytes: [UInt8]) throws(Broken) {
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let manifest = Array(parts.first ?? [])
        let places = Array(parts.count > 1 ? parts[1] : [])
        let body = manifest + places
        let head = "\(TableCoding.format) \(manifest.count) \(body.count) \(SHA256.hash(of: body).hex)\n"
        let read = TableCoding.decode(
            Array(head.utf8) + body, packageRoot: DiskPath(.package, "www"), limits: UpdaterLimits())
        if let read, read.storedAssets.count != read.table.assets.count {
            throw Broken("rows without a place")
        }
        if let read, read.storedAssets.contains(where: { $0.size < 0 }) { throw Broken("a size below 0") }
    }
}
