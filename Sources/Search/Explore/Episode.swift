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
    /// A version starts until it is blamed, stays away for about as long as an entry holds, and is offered
    /// again.
    case blame
    /// A file breaks off, and the origin continues it in a way of its own.
    case oddContinuation
    /// Something of the store is damaged while no process runs, or one that has not used it yet.
    case damage
    /// The settings change while a check is on its way.
    case settingsMeanwhile
    /// The origin has wrong bytes for one file, or none, for minutes or hours.
    case badFile
    /// A page holds off switches, the origin forces a version, and the app goes to the background.
    case heldOff
    /// Starts end without evidence against the version, and the user comes back days later.
    case unclearStarts
    /// A page reloads itself again and again, while the origin offers two versions in turn.
    case reloadsInTurn
    /// The origin is deployed anew while a check of the deployment before is on its way, perhaps back again.
    case redeployedMeanwhile
    /// The origin asks to be left alone, and the app is used in the meantime.
    case busyOrigin
    /// Recalls and orders, the same one perhaps twice.
    case ordersInTurn
    /// The disk has no room for a while.
    case fullDisk
    /// Stored content is damaged before a version that shares it is taken.
    case damagedBeforeReuse
    /// A version is started, and fails while the next one waits.
    case failsWhileNextWaits
    /// The user leaves a version that is starting, and goes back to the page before.
    case backFromStart
    /// A page that is being replaced continues, beside other pages and a slow disk.
    case replacedPages
    /// The app changes its channel, user or cohort, perhaps in the middle of a download, and changes it back.
    case lineChanges
    /// A launch finds a forced version that is damaged, and whose files come slowly or not at all.
    case damagedForced
    /// The process ends as it starts a version.
    case startCutOff
    /// A process that begins in background finds damage as the user comes back.
    case damagedBehindTheFront
    /// The user goes to a page of the remote root while a version starts, and comes back.
    case elsewhereDuringStart

    static let ends = ["user", "crash", "system", "low memory", "not responding", "battery"]
    static let longestAbsence: Int64 = 32 * 86_400_000_000
    private static let shortestAbsence: Int64 = 1_800_000_000
    static let minute: Int64 = 60_000_000

    /// - Parameter fields: what draws the steps that are not the episode's own.
    func steps(_ chance: inout Chance, _ fields: inout FieldDrawing) -> [PrintedValue] {
        let names = fields.names
        switch self {
        case .release: return Episode.taken(chance.of(names.versions)) + Episode.start(&chance)
        case .offersInTurn:
            let first = chance.of(names.versions)
            let other = chance.of(names.versions)
            return [first, other, first].flatMap(Episode.taken) + [["wait": "61s"]]
        case .starts:
            return (0..<chance.of([2, 3, 5, 6])).flatMap { _ in Episode.start(&chance) }
        case .absence:
            return Episode.absence(&chance) + [["check": true], ["settle": true]]
        case .brokenDownload:
            return Episode.checked(&chance, names, for: 2_000_000) + Episode.restarted(&chance)
                + [["settle": true]]
        case .outage:
            let tries = (0..<chance.of([1, 2, 9])).flatMap { _ -> [PrintedValue] in
                let time = Borders.time(&chance, from: 1_000_000, to: 900_000_000)
                return [["check": true], ["wait": .duration(time)]]
            }
            return [fields.step("fault")] + tries + [
                ["heal": true], ["deploy": .text(chance.of(names.versions))],
            ]
        case .nextBuild:
            return [["storeUpdate": .text(chance.of(names.builds))], ["launch": true]]
                + Episode.start(&chance)
        case .blame:
            let version = chance.of(names.versions)
            let pause: [PrintedValue] = chance.once(in: 3) ? [["wait": .duration(.days(7))]] : []
            let starts = (0..<chance.of([2, 3, 4])).flatMap { _ in pause + Episode.start(&chance) }
            let term = TimeSpan.days(chance.of([1, 7, 30]))
            let away = chance.once(in: 2) ? term - .minutes(1) : term + .minutes(1)
            var steps = Episode.taken(version) + starts
            steps += [["check": true], ["wait": .duration(away)]]
            return steps + Episode.taken(version) + [["wait": "61s"]]
        case .oddContinuation:
            return Episode.broken(&chance, names) + Episode.continuation(&chance)
        case .damage:
            var steps: [PrintedValue] = []
            if !chance.once(in: 3) { steps.append(["kill": .text(chance.of(Episode.ends))]) }
            steps += [fields.step("disk"), ["launch": true], ["wait": "3s"], fields.step("page")]
            if chance.once(in: 2) { steps.append(fields.step("page")) }
            return steps
        case .settingsMeanwhile:
            var steps = Episode.checked(&chance, names, for: 2_000_000)
            steps += [fields.step("set"), ["wait": .duration(Borders.time(&chance, to: Episode.minute))]]
            return steps + Episode.taken(chance.of(names.versions))
        case .badFile: return Episode.badFile(&chance, names)
        case .heldOff: return Episode.heldOff(&chance, names)
        case .unclearStarts: return Episode.unclearStarts(&chance, names)
        case .reloadsInTurn:
            let turn = [chance.of(names.versions), chance.of(names.versions)]
            return (0..<chance.of([3, 5, 9])).flatMap { round in
                Episode.taken(turn[round % 2]) + [["page": "reload"], ["settle": true]]
            }
        case .redeployedMeanwhile: return Episode.redeployedMeanwhile(&chance, names)
        case .busyOrigin: return Episode.busyOrigin(&chance, names)
        case .ordersInTurn: return Episode.ordersInTurn(&chance, &fields)
        case .fullDisk: return Episode.fullDisk(&chance, names)
        case .damagedBeforeReuse:
            return Episode.checked(&chance, names, for: 10_000_000)
                + [["kill": .text(chance.of(Episode.ends))], fields.step("disk"), ["launch": true]]
                + Episode.taken(chance.of(names.versions)) + Situation.taking(&chance) + [["settle": true]]
        case .failsWhileNextWaits: return Episode.failsWhileNextWaits(&chance, names)
        case .backFromStart: return Episode.backFromStart(&chance, names)
        case .replacedPages: return Episode.replacedPages(&chance, &fields)
        case .lineChanges: return Episode.lineChanges(&chance, names)
        case .damagedForced: return Episode.damagedForced(&chance, names)
        case .startCutOff: return Episode.startCutOff(&chance, names)
        case .damagedBehindTheFront: return Episode.damagedBehindTheFront(&chance, &fields)
        case .elsewhereDuringStart: return Episode.elsewhereDuringStart(&chance, names)
        }
    }

    static func absence(_ chance: inout Chance) -> [PrintedValue] {
        let away: [PrintedValue] = chance.once(in: 2) ? [["background": true]] : [["kill": "user"]]
        let time = Borders.time(&chance, from: shortestAbsence, to: longestAbsence)
        return away + [["wait": .duration(time)], ["launch": true]]
    }

    /// A file that the origin does not have, or has wrong, until it is healed.
    private static func badFile(_ chance: inout Chance, _ names: WorldNames) -> [PrintedValue] {
        let fault: PrintedValue = chance.of([
            ["corrupt": "1 B"], ["status": 404], ["status": 500], ["truncate": "after 50%"],
            ["stall": "after 50%"], ["reset": "after 10%"],
            ["answer": ["status": 200, "headers": ["Content-Length": .null]]],
        ])
        let time = Borders.time(&chance, from: minute, to: 7_200_000_000)
        return [["fault": fault, "path": .text(chance.of(names.routes))]]
            + checked(&chance, names, for: 500_000)
            + [["wait": .duration(time)], ["heal": true], ["wait": .duration(time)]]
    }

    private static func heldOff(_ chance: inout Chance, _ names: WorldNames) -> [PrintedValue] {
        let order: PrintedValue = [
            "deploy": .text(chance.of(names.versions)), "order": .text(chance.of(["force", "update"])),
        ]
        let offered: [PrintedValue] = [
            ["page": "in front", "calls": "holdOff"], order, ["check": true], ["settle": true],
            ["background": true],
        ]
        let push: [PrintedValue] = chance.once(in: 2) ? [["push": true]] : []
        return offered + push
            + [["wait": "10s"], ["page": "in front", "calls": "release"], ["wait": "40s"]]
    }

    private static func unclearStarts(_ chance: inout Chance, _ names: WorldNames) -> [PrintedValue] {
        var steps = taken(chance.of(names.versions))
        for _ in 0..<chance.of([3, 4, 6]) {
            let time = Borders.time(&chance, from: 100_000, to: 6_000_000)
            let end = chance.of(["system", "low memory", "battery", "user"])
            steps += [["launch": true], ["wait": .duration(time)], ["kill": .text(end)]]
        }
        let isNextBuild = chance.once(in: 2)
        steps.append(
            isNextBuild
                ? ["storeUpdate": .text(chance.of(names.builds))]
                : ["wait": .duration(.days(1) + .minutes(1))])
        return steps + [["launch": true]] + taken(chance.of(names.versions))
    }

    /// The transfers of a release's files break off.
    private static func broken(_ chance: inout Chance, _ names: WorldNames) -> [PrintedValue] {
        let amount = "after " + chance.of(["1 B", "50%", "99%", "100%"])
        let end = PrintedValue.Pair(chance.of(["reset", "stall", "truncate"]), .text(amount))
        let fault: PrintedValue = [
            "fault": .object([end]), "path": .text(chance.of(names.routes)),
            "times": .number(chance.of([1, 2])),
        ]
        return [fault] + checked(&chance, names, for: 500_000)
    }

    /// The next answers are not what the updater has asked for.
    private static func continuation(_ chance: inout Chance) -> [PrintedValue] {
        let answer: PrintedValue = chance.of([
            ["status": 206, "from": "0 B"], ["status": 206, "from": "1 B"], ["status": 206], ["status": 200],
            ["status": 416], ["status": 200, "headers": ["Content-Encoding": "gzip"]],
            ["status": 206, "etag": "abc"], ["status": 206, "headers": ["Content-Range": .null]],
            ["status": 200, "headers": ["ETag": .null]],
            ["status": 200, "headers": ["Content-Length": .null]],
        ])
        var steps: [PrintedValue] = [
            ["fault": ["answer": answer], "times": .number(chance.of([1, 2, 20]))]
        ]
        if chance.once(in: 2) { steps += restarted(&chance) }
        return steps + [["settle": true], ["heal": true]]
    }

    /// A version is published, and a check of it may still be on its way.
    /// - Parameter most: longest time since the check, in microseconds.
    static func checked(_ chance: inout Chance, _ names: WorldNames, for most: Int64)
        -> [PrintedValue]
    {
        [
            ["deploy": .text(chance.of(names.versions))], ["check": true],
            ["wait": .duration(Borders.time(&chance, to: most))],
        ]
    }

    /// The process ends in some way, and another one begins.
    static func restarted(_ chance: inout Chance) -> [PrintedValue] {
        [["kill": .text(chance.of(ends))], ["launch": true]]
    }

    /// A version is published, and the app has time to take it.
    static func taken(_ version: String) -> [PrintedValue] {
        [["deploy": .text(version)], ["check": true], ["settle": true]]
    }

    /// A start that is confirmed, fails, or ends before either.
    private static func start(_ chance: inout Chance) -> [PrintedValue] {
        let begin: [PrintedValue] = chance.once(in: 2) ? [["relaunch": true]] : restarted(&chance)
        return begin + [["wait": .duration(Borders.time(&chance, from: 100_000, to: 60_000_000))]]
    }
}
