import Backend
import Core
import Oracle
import Updater

/// What an expectation is evaluated on: the device's view, the trace, and the store's bytes.
///
/// A class, because an expectation that waits is evaluated after most events, and a copy of the observed
/// state retains more than a hundred objects.
final class Observation {
    let view: DeviceView
    let observed: ObservedState
    /// The store that processes see.
    let store: StoreImage
    let events: [TraceEvent]
    /// Index in `events` from which events count.
    let firstCounted: Int
    /// Whether the scenario says `since`; then parts about the whole scenario count from there too.
    let hasSince: Bool
    /// Time since the position from which events count.
    let elapsed: TimeSpan
    /// Names of cookies; empty unless expected.
    var cookies: [String] = []
    /// Keys of the storage; empty unless expected.
    var storage: [String] = []
    /// Names of file contents; nil unless stored files are expected.
    var contents: StoredNames?

    init(
        view: DeviceView, observed: ObservedState, store: StoreImage, events: [TraceEvent],
        firstCounted: Int, hasSince: Bool, elapsed: TimeSpan
    ) {
        self.view = view
        self.observed = observed
        self.store = store
        self.events = events
        self.firstCounted = firstCounted
        self.hasSince = hasSince
        self.elapsed = elapsed
    }
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
