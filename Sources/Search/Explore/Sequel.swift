import Core
import ScenarioLanguage

/// What often follows a disturbance, so that the rules say what must come of it: the last steps of a short
/// world (``ShortStory``).
enum Sequel: String, CaseIterable, Sendable {
    /// The app comes to rest.
    case rest
    /// Time passes.
    case time
    /// The faults end.
    case healing
    /// A check is requested.
    case check
    /// Further processes, which end in several ways.
    case processes
    /// The app is not used for hours or days.
    case absence
    /// Versions are published, taken and started.
    case releases
    /// The page is loaded again.
    case reload
    /// The user goes back to the document before, perhaps from a page of another version.
    case back
    /// The page that is being replaced still calls.
    case lateCall
    /// A process ends as soon as it has begun.
    case shortProcess
    /// The store installs another build.
    case storeUpdate

    func steps(_ chance: inout Chance, _ names: WorldNames) -> [PrintedValue] {
        switch self {
        case .rest: return [["settle": true]]
        case .time:
            let most: Int64 = chance.of([10_000_000, 3_600_000_000, 86_400_000_000])
            return [["wait": .duration(Borders.time(&chance, to: most))]]
        case .healing: return [["heal": true], ["settle": true]]
        case .check: return [["check": true], ["settle": true]]
        case .processes:
            return (0..<chance.of([1, 2, 3])).flatMap { _ in
                Episode.restarted(&chance) + Situation.moment(&chance, to: 60_000_000)
            }
        case .absence: return Episode.absence(&chance)
        case .releases:
            return (0..<chance.of([1, 1, 2])).flatMap { _ in
                Episode.taken(chance.of(names.versions)) + Situation.taking(&chance)
            }
        case .reload:
            return (0..<chance.of([1, 2])).flatMap { _ -> [PrintedValue] in
                [["page": "reload"]] + Situation.moment(&chance, to: 1_000_000)
            }
        case .back:
            let taking = chance.once(in: 2) ? Situation.taking(&chance) : []
            return taking + Situation.moment(&chance, to: 1_000_000)
                + [["page": "goes back"], ["settle": true]]
        case .lateCall:
            let call = chance.of([
                "startupDidComplete", "startupDidFail", "switchToPendingVersion", "checkForUpdates",
                "holdOff",
            ])
            let page = names.pages.isEmpty ? "in front" : chance.of(names.pages)
            return Situation.taking(&chance) + Situation.moment(&chance, to: 500_000)
                + [["page": .text(page), "calls": .text(call)], ["settle": true]]
        case .shortProcess:
            return [["relaunch": true]] + Situation.moment(&chance, to: 30_000)
                + Episode.restarted(&chance) + [["settle": true]]
        case .storeUpdate:
            return [["storeUpdate": .text(chance.of(names.builds))], ["launch": true], ["settle": true]]
        }
    }
}
