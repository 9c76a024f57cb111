import Core
import ScenarioLanguage

/// A few steps that belong together, as they follow each other in the life of an app. They lead to states
/// that steps drawn one by one seldom reach: rules are about the second time, about days, and about the next
/// build.
///
/// An episode says what happens, not what must follow. Which version, how often and how long is drawn.
enum Episode: String, CaseIterable, Sendable {
    /// A version is published, taken and started.
    case release
    /// The origin offers a version, then another, then the first again.
    case offersInTurn
    /// The app is started again and again; its processes end in several ways and after several times.
    case starts
    /// The app is not used for hours or days, and then is.
    case absence
    /// The process ends in the middle of a download.
    case brokenDownload
    /// Checks go wrong for a while.
    case outage
    /// A store update, and the first starts after it.
    case nextBuild

    private static let ends = ["user", "crash", "system", "low memory", "not responding", "battery"]
    private static let longestAbsence: Int64 = 32 * 86_400_000_000
    private static let shortestAbsence: Int64 = 1_800_000_000

    /// - Parameter fault: a drawn fault.
    func steps(_ chance: inout Chance, _ names: WorldNames, fault: PrintedValue) -> [PrintedValue] {
        switch self {
        case .release: return Episode.taken(chance.of(names.versions)) + Episode.start(&chance)
        case .offersInTurn:
            let first = chance.of(names.versions)
            let other = chance.of(names.versions)
            return [first, other, first].flatMap(Episode.taken) + [["wait": "61s"]]
        case .starts:
            return (0..<chance.of([2, 3, 5, 6])).flatMap { _ in Episode.start(&chance) }
        case .absence:
            let away: [PrintedValue] = chance.once(in: 2) ? [["background": true]] : [["kill": "user"]]
            let time = Borders.time(&chance, from: Episode.shortestAbsence, to: Episode.longestAbsence)
            return away + [["wait": .duration(time)], ["launch": true], ["check": true], ["settle": true]]
        case .brokenDownload:
            return [
                ["deploy": .text(chance.of(names.versions))], ["check": true],
                ["wait": .duration(Borders.time(&chance, to: 2_000_000))],
                ["kill": .text(chance.of(Episode.ends))], ["launch": true], ["settle": true],
            ]
        case .outage:
            let tries = (0..<chance.of([1, 2, 9])).flatMap { _ -> [PrintedValue] in
                let time = Borders.time(&chance, from: 1_000_000, to: 900_000_000)
                return [["check": true], ["wait": .duration(time)]]
            }
            return [fault] + tries + [["heal": true], ["deploy": .text(chance.of(names.versions))]]
        case .nextBuild:
            return [["storeUpdate": .text(chance.of(names.builds))], ["launch": true]]
                + Episode.start(&chance)
        }
    }

    /// A version is published, and the app has time to take it.
    private static func taken(_ version: String) -> [PrintedValue] {
        [["deploy": .text(version)], ["check": true], ["settle": true]]
    }

    /// A start that is confirmed, fails, or ends before either.
    private static func start(_ chance: inout Chance) -> [PrintedValue] {
        let begin: [PrintedValue] =
            chance.once(in: 2)
            ? [["relaunch": true]] : [["kill": .text(chance.of(ends))], ["launch": true]]
        return begin + [["wait": .duration(Borders.time(&chance, from: 100_000, to: 60_000_000))]]
    }
}
