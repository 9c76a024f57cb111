import Core
import ScenarioLanguage

/// What an app is doing when something happens to it: the first steps of a short world (``ShortStory``).
enum Situation: String, CaseIterable, Sendable {
    /// Nothing has happened yet.
    case installed
    /// The app is started for the first time, and may not have an answer yet.
    case firstLaunch
    /// It is in front and at rest.
    case inUse
    /// It has asked for a manifest that names another version.
    case checking
    /// It is fetching another version.
    case downloading
    /// Another version is pending.
    case pending
    /// Another version has just been started.
    case starting
    /// Another version has had the time to confirm.
    case confirmed
    /// The version after that one is pending.
    case nextPending
    /// Another version has been started in several processes.
    case startedAgain
    /// The page in front has a page before it.
    case secondDocument
    /// A second web view has been opened.
    case secondView
    /// The app is in background.
    case inBackground
    /// Its process has ended.
    case ended

    /// Name of the first page load, which later steps can use.
    static let firstPage = "first"
    /// Name of the second web view's page load.
    static let sidePage = "side"

    /// - Parameter names: what the world has names for; has at least two versions.
    func steps(_ chance: inout Chance, _ names: WorldNames) -> [PrintedValue] {
        let launched: [PrintedValue] = [["launch": true, "as": .text(Situation.firstPage)]]
        let version = names.versions[1]
        let pending = launched + Episode.taken(version)
        switch self {
        case .installed: return []
        case .firstLaunch: return launched + Situation.moment(&chance, to: 1_000_000)
        case .inUse: return launched + [["settle": true]]
        case .checking:
            return launched + [["settle": true], ["deploy": .text(version)], ["check": true]]
                + Situation.moment(&chance, to: 300_000)
        case .downloading:
            return launched + [["deploy": .text(version)], ["check": true]]
                + Situation.moment(&chance, to: 10_000_000)
        case .pending: return pending
        case .starting:
            return pending + Situation.taking(&chance) + Situation.moment(&chance, to: 10_000_000)
        case .confirmed: return pending + Situation.taking(&chance) + [["settle": true]]
        case .nextPending:
            return pending + Situation.taking(&chance) + [["settle": true]]
                + Episode.taken(chance.of(names.versions))
        case .startedAgain:
            return pending
                + (0..<chance.of([2, 3])).flatMap { _ in
                    Episode.restarted(&chance) + Situation.moment(&chance, to: 60_000_000)
                }
        case .secondDocument:
            let taken = chance.once(in: 2) ? Episode.taken(version) : []
            return launched + [["settle": true], ["page": "taps a link"]] + taken
        case .secondView:
            let taken = chance.once(in: 2) ? Episode.taken(version) : []
            return launched + taken + [
                [
                    "page": "in front", "opens": .text(chance.of(names.routes)),
                    "as": .text(Situation.sidePage),
                ]
            ]
        case .inBackground: return (chance.once(in: 2) ? launched : pending) + [["background": true]]
        case .ended:
            let before = chance.once(in: 2) ? launched + [["settle": true]] : pending
            return before + [["kill": .text(chance.of(Episode.ends))]]
        }
    }

    /// Names of page loads that the situation gives.
    var pages: [String] {
        switch self {
        case .installed: []
        case .secondView: [Situation.firstPage, Situation.sidePage]
        default: [Situation.firstPage]
        }
    }

    /// What is pending is started, in one of the ways in which apps do that.
    static func taking(_ chance: inout Chance) -> [PrintedValue] {
        chance.of([
            [["page": "reload"]], [["relaunch": true]], Episode.restarted(&chance),
            [["page": "in front", "calls": "switchToPendingVersion"]],
        ])
    }

    /// A short time, or none.
    static func moment(_ chance: inout Chance, to most: Int64) -> [PrintedValue] {
        chance.once(in: 4) ? [] : [["wait": .duration(Borders.time(&chance, to: most))]]
    }
}
