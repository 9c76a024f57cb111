import Core
import ScenarioLanguage

/// Episodes in which stored content is damaged before it is used.
extension Episode {
    static func damagedForced(_ chance: inout Chance, _ names: WorldNames) -> [PrintedValue] {
        let version = chance.of(names.versions)
        let route = chance.of(names.routes)
        let damage: PrintedValue = chance.of([
            ["truncate": "1 B"], ["remove": true], ["flip": "1 B"], ["readError": "at 0 B"],
        ])
        let fault: PrintedValue = chance.of([
            ["fault": ["stall": "after 50%"], "path": .text(route)],
            ["fault": ["status": 503], "path": .text(route), "times": 1],
            ["fault": ["slow": "disk reads", "by": "500ms"]],
        ])
        let order: PrintedValue = chance.of(["force", "force", "update"])
        return [["deploy": .text(version), "order": order], ["check": true], ["settle": true]]
            + [["kill": .text(chance.of(ends))]]
            + [["disk": ["file": .text(version + ":" + route), "do": damage]]]
            + (chance.once(in: 3) ? [] : [fault])
            + [["launch": true], ["wait": "15s"], ["heal": true], ["settle": true]]
    }

    static func damagedBehindTheFront(_ chance: inout Chance, _ fields: inout FieldDrawing)
        -> [PrintedValue]
    {
        let names = fields.names
        let before = chance.once(in: 2) ? taken(chance.of(names.versions)) : []
        return before + [fields.step("disk"), ["kill": .text(chance.of(ends))], ["launch": "background"]]
            + Situation.moment(&chance, to: minute) + [["deploy": .text(chance.of(names.versions))]]
            + [["foreground": true], ["wait": .duration(Borders.time(&chance, to: minute))]]
            + [["settle": true]]
    }
}
