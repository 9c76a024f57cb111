import Backend
import Core
import Foundation
import Updater

/// Parses and hashes the contents of stored files, and caches the results. Both views of a store, the forks
/// of a world and the runs of one scenario share one cache, because they store the same versions repeatedly.
///
/// Guarantees: each method is a pure function of path and content. A cached result is used only if all bytes
/// are equal. Two threads that ask for the same content at the same time may both compute it.
package final class StoredContentCache: @unchecked Sendable {
    private let dialect: ManifestDialect
    private let lock = NSLock()
    private var blobs = ContentCache<BlobImage>()
    private var tables = ContentCache<TableImage?>()
    private var records = ContentCache<RecordImage?>()
    private var manifests = ContentCache<DownloadManifest?>()

    /// The manifest of an unfinished download, and the names of its assets' partial files.
    package struct DownloadManifest: Sendable {
        package let table: VersionTable
        /// Keys of the partial files, by the asset's index in ``table``.
        package let keys: [Digest256]
    }

    /// - Parameter dialect: The dialect of the manifests that the stores keep.
    package init(dialect: ManifestDialect) { self.dialect = dialect }

    /// - Parameter name: The digest that the path spells.
    package func blob(_ path: DiskPath, _ content: FileContent, named name: Digest256) -> BlobImage {
        value(\.blobs, path, content) { bytes in
            BlobImage(
                name: name, size: bytes.count, sha256: SHA256.hash(of: bytes),
                sha1: dialect == .meteor ? SHA1.hash(of: bytes) : nil)
        }
    }

    /// Nil if the bytes are not a valid record.
    package func record(_ path: DiskPath, _ content: FileContent) -> RecordImage? {
        value(\.records, path, content) { RecordImage(bytes: $0) }
    }

    /// Nil if the bytes are not a valid table.
    package func table(_ path: DiskPath, _ content: FileContent) -> TableImage? {
        value(\.tables, path, content) { TableImage(bytes: $0) }
    }

    /// Nil if the manifest is refused.
    package func manifest(_ path: DiskPath, _ content: FileContent) -> DownloadManifest? {
        value(\.manifests, path, content) { bytes in
            do throws(ManifestRefusal) {
                let table = try ManifestReader(dialect: dialect).read(bytes)
                return DownloadManifest(table: table, keys: table.assets.map { PartialKey.of($0, in: table) })
            } catch {
                return nil
            }
        }
    }

    @inline(__always)
    private func value<Value>(
        _ cache: ReferenceWritableKeyPath<StoredContentCache, ContentCache<Value>>, _ path: DiskPath,
        _ content: FileContent, _ make: ([UInt8]) -> Value
    ) -> Value {
        if let known = lock.withLock({ self[keyPath: cache].value(path, content) }) { return known }
        let value = make(content.bytes)
        lock.withLock { self[keyPath: cache].insert(value, path, content) }
        return value
    }
}

/// Results computed from the contents of files, by path and content.
struct ContentCache<Value: Sendable>: Sendable {
    private struct CachedResult: Sendable {
        var content: FileContent
        var value: Value
    }

    /// Cached results by path, the newest first.
    private var results: [String: [CachedResult]] = [:]

    func value(_ path: DiskPath, _ content: FileContent) -> Value? {
        results[path.text]?.first { $0.content == content }?.value
    }

    /// Keeps at most four contents for each path: both views, and the generation before.
    mutating func insert(_ value: Value, _ path: DiskPath, _ content: FileContent) {
        var recent = results[path.text] ?? []
        recent.insert(CachedResult(content: content, value: value), at: 0)
        if recent.count > 4 { recent.removeLast() }
        results[path.text] = recent
    }
}
