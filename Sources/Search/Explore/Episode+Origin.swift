import Core
import ScenarioLanguage

/// Episodes in which the origin changes or refuses, or the disk has no room for what it sends.
extension Episode {
    static func redeployedMeanwhile(_ chance: inout Chance, _ names: WorldNames) -> [PrintedValue] {
        let first = chance.of(names.versions)
        let other = chance.of(names.versions)
        var steps: [PrintedValue] = [["deploy": .text(first)], ["check": true]]
        for version in chance.of([[other], [other, first], [other, first, other]]) {
            steps += Situation.moment(&chance, to: 2_000_000) + [["deploy": .text(version)]]
            if chance.once(in: 4) { steps.append(["check": true]) }
        }
        return steps + [["settle": true]]
    }

    static func busyOrigin(_ chance: inout Chance, _ names: WorldNames) -> [PrintedValue] {
        let delay = chance.of(["60", "600", "86400"])
        let fault: PrintedValue = [
            "status": .number(chance.of([429, 503])), "headers": ["Retry-After": .text(delay)],
        ]
        let path = chance.of(["manifest", "manifest", "outcomes", chance.of(names.routes)])
        let refused: [PrintedValue] = [
            ["fault": fault, "path": .text(path), "times": .number(1)],
            ["deploy": .text(chance.of(names.versions))], ["check": true], ["wait": "5s"],
        ]
        let longest = chance.of([minute, 3_600_000_000, 86_400_000_000])
        let uses = (0..<chance.of([1, 2, 4])).flatMap { _ -> [PrintedValue] in
            let away: [PrintedValue] =
                chance.once(in: 2) ? [["kill": .text(chance.of(ends))]] : [["background": true]]
            return away + [["wait": .duration(Borders.time(&chance, to: longest))], ["launch": true]]
        }
        return refused + uses + taken(chance.of(names.versions))
    }

    static func ordersInTurn(_ chance: inout Chance, _ fields: inout FieldDrawing) -> [PrintedValue] {
        let version = PrintedValue.text(chance.of(fields.names.versions))
        let order: PrintedValue = chance.of([
            ["recall": version], ["unblock": version], ["deploy": version, "order": "force"],
            ["deploy": version, "order": "roll back"], fields.step("deploy"),
        ])
        let heard: [PrintedValue] = [["check": true], ["settle": true]]
        let between =
            chance.once(in: 2)
            ? taken(chance.of(fields.names.versions)) + Situation.taking(&chance)
                + Situation.moment(&chance, to: minute)
            : []
        let again: [PrintedValue] = chance.once(in: 2) ? [order] + heard : heard
        return [order] + heard + between + again
    }

    static func fullDisk(_ chance: inout Chance, _ names: WorldNames) -> [PrintedValue] {
        let room = chance.of(["1 KB", "60 KB", "1 MB", "6 MB", "51 MB"])
        let fault: PrintedValue = chance.once(in: 2) ? "no space" : ["noSpace": .text("after " + room)]
        let before: [PrintedValue] = chance.once(in: 2) ? [["kill": .text(chance.of(ends))]] : []
        return before + [["fault": fault], ["launch": true]] + taken(chance.of(names.versions))
            + [["wait": .duration(Borders.time(&chance, to: 3_600_000_000))], ["heal": true]]
            + [["check": true], ["settle": true]]
    }

    static func lineChanges(_ chance: inout Chance, _ names: WorldNames) -> [PrintedValue] {
        let channels = Array(DrawnTexts.channels.reversed())
        let (key, values) = chance.of([
            ("channel", channels), ("channel", channels), ("user", DrawnTexts.users),
            ("cohort", DrawnTexts.cohorts),
        ])
        let version = chance.of(names.versions)
        let slow: PrintedValue = [
            "fault": ["stall": "after 50%"], "path": .text(chance.of(names.routes)), "times": 1,
        ]
        let before: [PrintedValue] =
            chance.once(in: 2) ? [slow] + checked(&chance, names, for: 2_000_000) : taken(version)
        let used: [PrintedValue] = chance.of([
            [["page": "reload"]], [["relaunch": true]], [["check": true]], [["deploy": .text(version)]], [],
        ])
        var steps = before
        for value in values.prefix(chance.of([1, 2, 2])) {
            steps += [["set": .object([.init(key, .text(value))])]] + Situation.moment(&chance, to: minute)
            steps += used + [["check": true], ["settle": true]]
        }
        return steps + Situation.taking(&chance) + [["settle": true]]
    }
}
