import Core
import ScenarioLanguage

/// Episodes in which a version is replaced or left while it starts.
extension Episode {
    static func failsWhileNextWaits(_ chance: inout Chance, _ names: WorldNames) -> [PrintedValue] {
        let failing = chance.of(names.versions)
        let next = chance.of(names.versions)
        let end: [PrintedValue] = chance.of([
            [["wait": "12s"]], [["page": "in front", "calls": "startupDidFail"]], restarted(&chance),
            [["wait": "2m"]],
        ])
        let offeredAgain: [PrintedValue] = chance.once(in: 2) ? [["wait": "61s"], ["check": true]] : []
        return taken(failing) + Situation.taking(&chance) + [["deploy": .text(next)], ["check": true]]
            + Situation.moment(&chance, to: 5_000_000) + end + taken(failing) + offeredAgain
            + [["settle": true]]
    }

    static func backFromStart(_ chance: inout Chance, _ names: WorldNames) -> [PrintedValue] {
        let leaves: [PrintedValue] = chance.of([
            [["page": "reload"]], [["page": "taps a link"]],
            [["page": "in front", "calls": "switchToPendingVersion"]],
        ])
        return [["page": "taps a link"], ["wait": "2s"]] + taken(chance.of(names.versions)) + leaves
            + Situation.moment(&chance, to: 11_000_000) + [["page": "goes back"]]
            + Situation.moment(&chance, to: minute) + restarted(&chance) + [["settle": true]]
    }

    static func replacedPages(_ chance: inout Chance, _ fields: inout FieldDrawing) -> [PrintedValue] {
        let names = fields.names
        let opened: [PrintedValue] =
            chance.once(in: 2) ? [["page": "in front", "opens": .text(chance.of(names.routes))]] : []
        let slow: [PrintedValue] =
            chance.once(in: 2)
            ? [
                [
                    "fault": [
                        "slow": .text(chance.of(["disk syncs", "disk reads", "disk writes"])),
                        "by": .duration(Borders.time(&chance, from: 10_000, to: 5_000_000)),
                    ]
                ]
            ] : []
        var steps = opened + [["wait": "2s"]] + taken(chance.of(names.versions)) + slow
        for _ in 0..<chance.of([1, 2, 2, 3]) {
            steps += chance.once(in: 3) ? [fields.step("page")] : Situation.taking(&chance)
            steps += Situation.moment(&chance, to: 1_000_000)
            if chance.once(in: 3) {
                steps +=
                    [["deploy": .text(chance.of(names.versions))], ["check": true]]
                    + Situation.moment(&chance, to: 1_000_000)
            }
        }
        return steps + [["wait": "1m"], ["heal": true], ["settle": true]]
    }

    static func startCutOff(_ chance: inout Chance, _ names: WorldNames) -> [PrintedValue] {
        let version = chance.of(names.versions)
        let pause = Borders.time(&chance, from: 10_000, to: 20_000_000)
        let hindrance: PrintedValue = chance.of([
            ["freeze": .duration(pause), "when": ["started": .text(version)]],
            ["fault": ["slow": "disk syncs", "by": .duration(pause)]],
            ["fault": ["slow": "disk reads", "by": .duration(pause)]],
        ])
        return taken(version) + [hindrance, ["relaunch": true]]
            + Situation.moment(&chance, to: 10_000_000) + restarted(&chance)
            + [["heal": true], ["settle": true]] + restarted(&chance)
    }

    static func elsewhereDuringStart(_ chance: inout Chance, _ names: WorldNames) -> [PrintedValue] {
        guard let api = names.api.first else { return [] }
        let away: [PrintedValue] = [
            ["page": "in front", "follows": .text(api + "session")],
            ["wait": .duration(Borders.time(&chance, from: 10_000, to: 3 * minute))],
        ]
        let end: [PrintedValue] = chance.of([
            [["page": "goes back"]], [["page": "dies"]], restarted(&chance), [["page": "reload"]],
            [["background": true], ["wait": "1m"], ["launch": true]],
        ])
        return taken(chance.of(names.versions)) + Situation.taking(&chance)
            + Situation.moment(&chance, to: 10_000_000) + away + end
            + [["wait": .duration(Borders.time(&chance, from: 1_000_000, to: minute))]]
    }
}
