import Backend
import Core
import Oracle
import Updater

/// What an expectation is evaluated on: the device's view, the trace, and the store's bytes.
struct Observation {
    var view: DeviceView
    var observed: ObservedState
    var store: StoreView
    var events: [TraceEvent]
    /// Index in `events` from which events count.
    var firstCounted: Int
    /// Whether the scenario says `since`; then parts about the whole scenario count from there too.
    var hasSince: Bool
    /// Time since the position from which events count.
    var elapsed = TimeSpan.zero
    /// Names of cookies; empty unless expected.
    var cookies: [String] = []
    /// Keys of the storage; empty unless expected.
    var storage: [String] = []
    /// Names of file contents; nil unless stored files are expected.
    var contents: StoredNames?
}

/// Names of file contents: the versions and routes that have them.
package struct StoredNames: Sendable {
    private var names: [Digest256: [String]] = [:]

    package init(_ versions: [(name: String, files: [PublishedFile])]) {
        for version in versions {
            // No device stores a file that is too large for the updater.
            for file in version.files where file.content.count <= UpdaterLimits().fileBytes {
                names[StoredNames.digest(of: file), default: []].append("\(version.name):\(file.route)")
            }
        }
    }

    private static func digest(of file: PublishedFile) -> Digest256 {
        if let known = file.sha256 { return known }
        var hash = SHA256()
        file.content.readPieces { piece, _ in
            hash.update(piece)
            return true
        }
        return hash.finish()
    }

    /// Names such as `v2:/app.js` of all files with this content; empty if no file has it.
    package func names(of digest: Digest256) -> [String] { names[digest] ?? [] }
}
