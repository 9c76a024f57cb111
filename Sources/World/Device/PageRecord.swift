import AppHost
import Core
import Updater

/// What pages leave on a device over process deaths: the web view's storage, and which loads and starts there
/// were.
///
/// Invariants: starts are counted per version of the setup and never go down; of page loads the last 16 are
/// kept, newest last.
struct PageRecord: Sendable {
    /// What the platform's web view keeps.
    var storage = WebStorage()
    /// The page's origin, by the port that was bound last; empty before the first.
    private(set) var origin = ""
    /// The name that a scenario gave to the next load that the host asks for.
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

    /// The version that the app said this load has; nil: it is older than the kept ones.
    func version(of token: PageLoadToken?) -> VersionKey? { loads.last { $0.token == token }?.key }

    /// The name for a load that begins, which no later one gets.
    mutating func takeNextLoadName() -> String? {
        defer { nextLoadName = nil }
        return nextLoadName
    }
}
