import AppHost
import Core
import Updater

/// What remains of pages on a device when a process ends: the web view's storage, recent page loads, and the
/// number of starts of each version.
///
/// Invariants: starts are counted per version of the setup and never decrease; the last 16 page loads are
/// kept, newest last.
struct PageRecord: Sendable {
    /// Data of the web view that outlives processes.
    var storage = WebStorage()
    /// Web origin of the pages, with the port that was bound last; empty before the first.
    private(set) var origin = ""
    /// Name that a scenario gave to the next page load of the host.
    var nextLoadName: String?
    /// Number of starts of each version's page, by the version's index.
    private(set) var starts: [Int]
    private var loads: [(token: PageLoadToken, key: VersionKey)] = []

    init(versions: Int) { starts = [Int](repeating: 0, count: versions) }

    mutating func bound(port: UInt16) { origin = "http://localhost:\(port)" }

    mutating func countStart(ofVersion index: Int) { starts[index] += 1 }

    mutating func note(_ token: PageLoadToken, _ key: VersionKey) {
        if loads.count == 16 { loads.removeFirst() }
        loads.append((token, key))
    }

    /// The version that the app announced for this load; nil: the load is older than the kept ones.
    func version(of token: PageLoadToken?) -> VersionKey? { loads.last { $0.token == token }?.key }

    /// The name for a load that begins; later loads don't get it.
    mutating func takeNextLoadName() -> String? {
        defer { nextLoadName = nil }
        return nextLoadName
    }
}
