import Backend
import Core
import Foundation
import Updater

/// What the contents of stored files say, each worked out once for all who share this: both views of a
/// store, the forks of a world, and the runs of one scenario, which store the same versions over and over.
///
/// Guarantees: seen from outside plain functions of path and content; a content is taken for one
/// seen before only when all its bytes are the same. Asked from several threads at once it may work
/// something out twice.
package final class ContentReadings: @unchecked Sendable {
    private let dialect: ManifestDialect
    private let lock = NSLock()
    private var blobs = ContentCache<BlobImage>()
    private var tables = ContentCache<TableImage?>()
    private var records = ContentCache<RecordImage?>()
    private var manifests = ContentCache<Manifest?>()

    /// The manifest of an unfinished download, and the names of the partial files that its rows have.
    package struct Manifest: Sendable {
        package let table: VersionTable
        package let keys: [Digest256]
    }

    /// - Parameter dialect: of the manifests that the stores keep.
    package init(dialect: ManifestDialect) { self.dialect = dialect }

    /// - Parameter name: the digest that the path spells.
    package func blob(_ path: DiskPath, _ content: FileContent, named name: Digest256) -> BlobImage {
        value(\.blobs, path, content) { bytes in
            BlobImage(
                name: name, size: bytes.count, sha256: SHA256.hash(of: bytes),
                sha1: dialect == .meteor ? SHA1.hash(of: bytes) : nil)
        }
    }

    /// Nil where it does not read.
    package func record(_ path: DiskPath, _ content: FileContent) -> RecordImage? {
        value(\.records, path, content) { RecordImage(bytes: $0) }
    }

    /// Nil where it does not read.
    package func table(_ path: DiskPath, _ content: FileContent) -> TableImage? {
        value(\.tables, path, content) { TableImage(bytes: $0) }
    }

    /// Nil where it is refused.
    package func manifest(_ path: DiskPath, _ content: FileContent) -> Manifest? {
        value(\.manifests, path, content) { bytes in
            do throws(ManifestRefusal) {
                let table = try ManifestReader(dialect: dialect).read(bytes)
                return Manifest(table: table, keys: table.assets.map { PartialKey.of($0, in: table) })
            } catch {
                return nil
            }
        }
    }

    @inline(__always)
    private func value<Value>(
        _ cache: ReferenceWritableKeyPath<ContentReadings, ContentCache<Value>>, _ path: DiskPath,
        _ content: FileContent, _ make: ([UInt8]) -> Value
    ) -> Value {
        if let known = lock.withLock({ self[keyPath: cache].value(path, content) }) { return known }
        let value = make(content.bytes)
        lock.withLock { self[keyPath: cache].keep(value, path, content) }
        return value
    }
}

/// What was worked out from a file's content, by path, as long as the content is the same.
struct ContentCache<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var content: FileContent
        var value: Value
    }

    private var entries: [String: [Entry]] = [:]

    func value(_ path: DiskPath, _ content: FileContent) -> Value? {
        entries[path.text]?.first { $0.content == content }?.value
    }

    /// At most four contents a path are remembered: both views, and the generation before.
    mutating func keep(_ value: Value, _ path: DiskPath, _ content: FileContent) {
        var kept = entries[path.text] ?? []
        kept.insert(Entry(content: content, value: value), at: 0)
        if kept.count > 4 { kept.removeLast() }
        entries[path.text] = kept
    }
}
