import Backend
import Core
import Oracle

/// All that an expectation may look at: the screen, the trace, the store's bytes.
struct Observation {
    var view: DeviceView
    var observed: ObservedState
    var store: StoreView
    var facts: [TraceEvent]
    /// Facts from this place in `facts` on count.
    var counted: Int
    /// The scenario says from where; what is about the whole story counts from there then too.
    var isSinceSaid: Bool
    /// Since the moment from which counters count.
    var passed = TimeSpan.zero
    /// Names, where they are asked for.
    var cookies: [String] = []
    /// Keys, where they are asked for.
    var storage: [String] = []
    /// Where files of the store are asked for.
    var contents: StoredNames?
}

/// The files of all versions by their content, to give names to what a store holds.
package struct StoredNames: Sendable {
    private var names: [Digest256: [String]] = [:]

    package init(_ versions: [(name: String, files: [PublishedFile])]) {
        for version in versions {
            for file in version.files {
                names[SHA256.hash(of: file.bytes), default: []].append("\(version.name):\(file.route)")
            }
        }
    }

    /// `v2:/app.js` and what else has this content; empty: content of no file.
    package func names(of digest: Digest256) -> [String] { names[digest] ?? [] }
}
