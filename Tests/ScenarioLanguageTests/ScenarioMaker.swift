import Core

@testable import ScenarioLanguage

/// A value of a generated file.
indirect enum Made {
    case raw(String)
    case text(String)
    case list([Made])
    case object([(key: String, value: Made)])

    subscript(key: String) -> Made? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// Plain JSON on one line.
    var json: String {
        switch self {
        case .raw(let text): return text
        case .text(let text): return FormatText.quoted(text)
        case .list(let values): return "[" + values.map(\.json).joined(separator: ", ") + "]"
        case .object(let members):
            let pairs = members.map { FormatText.quoted($0.key) + ": " + $0.value.json }
            return "{" + pairs.joined(separator: ", ") + "}"
        }
    }
}

/// Generates scenarios from the field table: each field is used, whatever its key. What a table can't express
/// (declared names, consistent bounds) is handled here; a few files are contradictory nevertheless, and the
/// caller ignores them.
struct ScenarioMaker {
    var chance: Chance
    /// A field that is chosen wherever it can be, `step.gap`; nil: none.
    var wanted: String?
    private var hasBuilds = false
    private var hasDevices = false
    private var counter = 0
    private var depth = 0
    /// Names given in steps so far.
    private var pages: [String] = []
    private var marks: [String] = []
    private var faults: [String] = []
    private var steps: [String] = []

    init(seed: UInt64) { chance = Chance(seed: seed) }

    private static let inherited = ["/app.js", "/logo.png"]

    /// A file's text in plain JSON.
    mutating func text() -> String { scenario().json }

    mutating func scenario() -> Made {
        hasBuilds = chance.pick(2) == 0
        hasDevices = chance.pick(4) == 0
        var made: [(key: String, value: Made)] = []
        for field in FieldTable.scenario.fields where field.isRequired || chance.pick(3) == 0 {
            switch field.key {
            case "schema": made.append(("schema", .raw("1")))
            case "cases", "use": break
            case "device" where hasDevices: break
            case "devices": break
            case "because": break
            case "liveness":
                let isNone = chance.pick(2) == 0
                made.append(("liveness", .text(isNone ? "none" : "expected")))
                if isNone { made.append(("because", .text("why"))) }
            case "app": made.append(("app", app()))
            case "origin", "keys": break
            case "versions": made.append(("versions", versions()))
            case "steps": made.append(("steps", story()))
            default: made.append((field.key, value(field.type)))
            }
        }
        made.append(("origin", origin()))
        made.append(("keys", .object([("k1", object(.key)), ("k2", object(.key))])))
        if hasDevices {
            made.append(("devices", .object([("one", .text("plain")), ("two", .text("plain"))])))
        }
        return .object(made)
    }

    private mutating func origin() -> Made {
        var members: [(key: String, value: Made)] = [
            ("edges", .list([.text("a"), .text("b")])), ("route", .text(chance.of(["a", "b"]))),
        ]
        if chance.pick(3) == 0 { members.append(("ages", .object([("a", .text("10m"))]))) }
        if chance.pick(3) == 0 {
            members.append(("urlsExpire", .text(chance.of(["with a deploy", "after 10m"]))))
        }
        return .object(members)
    }

    private mutating func app() -> Made {
        guard case .object(var members) = object(.app) else { return .raw("null") }
        members.removeAll { ["builds", "embeds", "native", "installed", "keys"].contains($0.key) }
        if hasBuilds {
            var one = build("A")
            if chance.pick(2) == 0 { one.append(("number", .text("7"))) }
            members.append(("builds", .object([("1.0", .object(one)), ("1.1", .object(build("B")))])))
            if chance.pick(2) == 0 { members.append(("installed", .text("1.1"))) }
        } else {
            members.append(("embeds", .text("v1")))
            members.append(("native", .text("A")))
            if chance.pick(2) == 0 { members.append(("keys", .list([.text("k1"), .text("k2")]))) }
        }
        return .object(members)
    }

    private mutating func build(_ native: String) -> [(key: String, value: Made)] {
        let embeds = chance.pick(4) == 0 ? Made.raw("null") : .text("v1")
        let origin: [(key: String, value: Made)] = chance.pick(4) == 0 ? [("origin", .text("b"))] : []
        let keys: [(key: String, value: Made)] = chance.pick(4) == 0 ? [("keys", .list([]))] : []
        return [("embeds", embeds), ("native", .text(native))] + origin + keys
    }

    private mutating func versions() -> Made {
        let files = Made.object([
            ("index.html", .text("2 KB")), ("app.js", .text("600 KB")), ("logo.png", value(.size)),
            ("new.js", .text("1 KB")),
        ])
        var all: [(key: String, value: Made)] = [("v1", .object([("files", files)]))]
        for name in ["v2", "v 3", "v4"] {
            guard case .object(var members) = object(.version) else { continue }
            members.removeAll { ["from", "changes", "without", "files"].contains($0.key) }
            members.append(("from", .text("v1")))
            for (index, key) in ["changes", "without"].enumerated() where chance.pick(2) == 0 {
                members.append((key, .list([.text(ScenarioMaker.inherited[index])])))
            }
            if chance.pick(2) == 0 {
                let file = chance.pick(3) == 0 ? value(.size) : file()
                members.append(("files", .object([("new.js", file)])))
            }
            all.append((name, .object(members)))
        }
        return .object(all)
    }

    private mutating func file() -> Made {
        guard case .object(var members) = object(.file) else { return .text("1 KB") }
        if !members.contains(where: { ["size", "same"].contains($0.key) }) {
            members.append(("size", value(.size)))
        }
        return .object(members)
    }

    /// Deploys all versions and names something of each kind before anything refers to it.
    private mutating func story() -> Made {
        var story = ["v1", "v2", "v 3", "v4"].map { Made.object([("deploy", .text($0))]) }
        story.append(.object([("launch", .raw("true")), ("as", .text("page1"))]))
        story.append(.object([("fault", .text("refuse")), ("as", .text("fault1"))]))
        story.append(.object([("mark", .text("mark1"))]))
        story.append(.object([("check", .raw("true")), ("as", .text("step1"))]))
        pages = ["page1"]
        faults = ["fault1"]
        marks = ["mark1"]
        steps = ["step1"]
        for _ in 0..<3 + chance.pick(8) { story.append(step()) }
        return .list(story)
    }

    private mutating func step() -> Made {
        guard case .object(var members) = object(.step) else { return .raw("null") }
        if let index = members.firstIndex(where: { $0.key == "expect" }) {
            members[index].value = possible(members[index].value)
        }
        if let index = members.firstIndex(where: { $0.key == "audience" }) {
            let isShare = chance.pick(4) == 0
            members[index].value =
                isShare
                ? .object([("share", .raw("3")), ("of", .raw("7")), ("salt", .text("x"))])
                : .object([(chance.of(["user", "cohort", "channel"]), .text("x"))])
        }
        // Depends on the app's API.
        if let index = members.firstIndex(where: { $0.key == "path" }),
            case .text("api") = members[index].value
        {
            members[index].value = .text("manifest")
        }
        // Only Meteor's index has a runtime configuration.
        if let fault = members.first(where: { $0.key == "fault" })?.value,
            fault["answer"]?["configuration"] != nil
        {
            members.removeAll { $0.key == "path" }
            members.append(("path", .text("index")))
        }
        if let index = members.firstIndex(where: { $0.key == "disk" }) {
            members[index].value = damage(members[index].value)
        }
        // Depends on the dialect and on the parts of the deploy.
        if chance.pick(4) > 0 { members.removeAll { ["serial", "date"].contains($0.key) } }
        // Longer than any text here, and shorter than the limit.
        if let index = members.firstIndex(where: { $0.key == "size" }) {
            members[index].value = .text("100 KB")
        }
        if members.contains(where: { $0.key == "anyOrder" }), members[0].key != "page" {
            members.removeAll { $0.key == "anyOrder" }
        }
        return .object(members)
    }

    /// Removes contradictions: a format of what is no record, and damage of what is not there.
    private mutating func damage(_ made: Made) -> Made {
        guard case .object(let members) = made,
            case .text(let file)? = members.first(where: { $0.key == "file" })?.value
        else { return made }
        if file.hasPrefix("stray") {
            return .object([("file", .text(file)), ("do", .object([("create", .text("4 KB"))]))])
        }
        guard case .object(let kinds)? = members.first(where: { $0.key == "do" })?.value,
            kinds.contains(where: { ["newerFormat", "create"].contains($0.key) })
        else { return made }
        return .object([("file", .text("records")), ("do", .object([("newerFormat", .raw("true"))]))])
    }

    /// Removes contradictions: a process that is gone and what runs in it; and empty expectations.
    private mutating func possible(_ made: Made) -> Made {
        guard case .object(var members) = made else { return made }
        if members.contains(where: { $0.key == "process" }) {
            members.removeAll { ["running", "page", "confirmed"].contains($0.key) }
        }
        return members.isEmpty
            ? .object([("screen", value(.keywords(of: ScreenState.self)))]) : .object(members)
    }

    // MARK: - From the table

    mutating func object(_ schema: ObjectSchema) -> Made {
        depth += 1
        defer { depth -= 1 }
        let fields = schema.fields
        // Crashes are allowed on one device only.
        let heads = fields.filter { field in
            field.role == .head && !(depth > 4 && field.key == "repeat")
                // Not in rounds.
                && !(depth > 2 && field.key == "gap")
                && !(hasDevices && schema == .step && field.key == "crash")
        }
        var chosen: [Field] = []
        func isWanted(_ field: Field) -> Bool {
            guard let wanted else { return false }
            let object = wanted.prefix { $0 != "." }
            return wanted == schema.name + "." + field.key
                || ScenarioMaker.leads(field.type, to: String(object))
        }
        if let head = heads.first(where: isWanted) {
            chosen.append(head)
        } else if schema.needsHead || (!heads.isEmpty && chance.pick(4) > 0) {
            chosen.append(chance.of(heads))
        }
        let head = chosen.first?.key
        for field in fields where field.role != .head {
            let isMeant =
                switch field.role {
                case .plain, .head: true
                case .with(let keys): head.map(keys.contains) ?? false
                case .without(let keys): !(head.map(keys.contains) ?? false)
                }
            if field.type == .name(.handset), !hasDevices { continue }
            guard isMeant, field.isRequired || isWanted(field) || chance.pick(depth > 5 ? 6 : 3) == 0
            else { continue }
            let isTaken = chosen.contains {
                $0.excludes.contains(field.key) || field.excludes.contains($0.key)
            }
            if !isTaken { chosen.append(field) }
        }
        for field in chosen {
            if let key = field.needs, !chosen.contains(where: { $0.key == key }),
                let needed = fields.first(where: { $0.key == key })
            {
                chosen.append(needed)
            }
        }
        let all = chosen
        chosen.removeAll { field in
            all.contains { $0.key != field.key && $0.excludes.contains(field.key) && !field.isRequired }
        }
        let rest = chosen.map(\.key)
        chosen.removeAll { field in field.needs.map { !rest.contains($0) } ?? false }
        var members: [(key: String, value: Made)] = []
        for field in chosen { members.append((field.key, value(field.type, key: field.key))) }
        for field in chosen where !field.companions.isEmpty { settle(field, fields, &members) }
        for field in chosen where field.key == "as" { name(members) }
        return .object(members)
    }

    /// Whether values of a type have objects with this name, or objects that have them.
    private static func leads(_ type: FieldType, to name: String, levels: Int = 1) -> Bool {
        switch type {
        case .object(let schema):
            schema.name == name
                || (levels > 0 && schema.fields.contains { leads($0.type, to: name, levels: levels - 1) })
        case .list(let inner, _): leads(inner, to: name, levels: levels)
        case .either(let types): types.contains { leads($0, to: name, levels: levels) }
        default: false
        }
    }

    /// Adds the second key to a keyword that needs one, and removes it from a keyword that is complete.
    private mutating func settle(
        _ field: Field, _ fields: [Field], _ members: inout [(key: String, value: Made)]
    ) {
        guard case .text(let word)? = members.first(where: { $0.key == field.key })?.value else { return }
        if field.completeKeywords.contains(word) {
            members.removeAll { field.companions.contains($0.key) }
        } else if !members.contains(where: { field.companions.contains($0.key) }) {
            let key = chance.of(field.companions)
            if let companion = fields.first(where: { $0.key == key }) {
                members.append((key, value(companion.type, key: key)))
            }
        }
    }

    /// Records names that later steps can refer to.
    private mutating func name(_ members: [(key: String, value: Made)]) {
        guard case .text(let name)? = members.first(where: { $0.key == "as" })?.value else { return }
        let head = members[0].key
        // Steps in a repeat are named in each round; no step refers to them.
        if depth > 2 { return }
        steps.append(name)
        if ["launch", "relaunch", "page"].contains(head) { pages.append(name) }
        if head == "fault" { faults.append(name) }
    }

    private mutating func value(_ type: FieldType, key: String = "") -> Made {
        switch type {
        case .text: return .text(text(for: key))
        case .flag: return .raw(chance.of(["true", "false"]))
        case .yes: return .raw("true")
        case .null: return .raw("null")
        case .anything: return .raw("1")
        case .whole(let range):
            let span = UInt64(min(range.upperBound - range.lowerBound, 1_000))
            return .raw(String(range.lowerBound + Int64(chance.pick(Int(span) + 1))))
        case .duration, .signedDuration, .size, .percent, .amount, .bitRate, .byteRate:
            return quantity(type, chance.pick(100))
        case .route, .name(.file): return .text(chance.of(["/app.js", "app.js", "/index.html", "/new.js"]))
        case .target: return .text(chance.of(["/app.js", "a?b=c&d", "/x#y", "/cart?id=%207#/top?z"]))
        case .keyword(let keywords): return .text(chance.of(keywords))
        case .name(let kind): return .text(name(kind))
        case .prefixed(let word, let type):
            guard case .text(let text) = value(type) else { return .raw("null") }
            return .text(word + " " + text)
        case .userAction:
            return .text(chance.of(TextScanner.userActions.map(\.keyword) + ["types from 5s to 3m"]))
        case .fileReference: return .text("v1:/app.js")
        case .damageTarget: return .text(chance.of(ScenarioMaker.damaged))
        case .crashOutcome: return .text(chance.of(["kill", "0", "3f", "torn 12"]))
        case .list(let type, let least):
            if case .object(.step) = type { return .list((0...chance.pick(3)).map { _ in step() }) }
            return .list((0..<least + chance.pick(3)).map { _ in value(type) })
        case .listing(let type): return listing(type)
        case .bounds(let type): return bounds(type)
        case .object(.request): return request()
        case .object(.client): return client()
        case .object(.startup): return startup()
        case .object(let schema): return object(schema)
        case .map(let key, let type): return map(key, type)
        case .either(let types): return value(chance.of(types), key: key)
        }
    }

    private static let damaged = [
        "record", "records", "starts", "v1:/app.js", "table of v2", "part of v2:/app.js",
        "list of the download", "stray in contents",
    ]

    private mutating func text(for key: String) -> String {
        counter += 1
        if key == "as" || key == "mark" { return "name\(counter)" }
        return chance.of([
            "some words", "x", "it's \"so\"", "größer 😀", "a\\b\n\tc", "\u{1}\u{7F}", "// no comment", "1.0",
        ])
    }

    private mutating func name(_ kind: NameKind) -> String {
        switch kind {
        case .version: chance.of(["v1", "v2", "v 3", "v4"])
        case .edge: chance.of(["a", "b"])
        case .build: hasBuilds ? chance.of(["1.0", "1.1"]) : "1.0"
        case .native: hasBuilds ? chance.of(["A", "B"]) : "A"
        case .device: "plain"
        case .mark: chance.of(marks)
        case .handset: chance.of(["one", "two"])
        case .file: "/app.js"
        case .key: chance.of(["k1", "k2"])
        case .page: chance.of(pages)
        case .fault: chance.of(faults)
        case .step: chance.of(steps)
        }
    }

    private func quantity(_ type: FieldType, _ number: Int) -> Made {
        switch type {
        case .signedDuration: .text(number % 2 == 0 ? "+\(number)s" : "-\(number)m 5ms")
        case .duration: .text(number % 3 == 0 ? "\(number)m 5ms" : "\(number)s")
        case .size, .amount: .text("\(number) " + ["B", "KB", "KiB", "MB"][number % 4])
        case .percent: .text("\(number)%")
        case .bitRate: .text("\(number + 1) Mbit/s")
        case .byteRate: .text("\(number + 1) KB/s")
        default: .raw(String(number))
        }
    }

    private mutating func bounds(_ type: FieldType) -> Made {
        // With equal units, so that the second is not less.
        let low = quantity(type, chance.pick(8) * 12)
        let high = quantity(type, 96)
        switch chance.pick(6) {
        case 0: return .object([("atLeast", low)])
        case 1: return .object([("atMost", high)])
        case 2: return .object([("atLeast", low), ("atMost", high)])
        case 3: return .object([("between", .list([low, high]))])
        case 4: return .object([("exact", low)])
        default: return low
        }
    }

    private mutating func listing(_ type: FieldType) -> Made {
        let values: [String]
        switch type {
        case .keyword(let keywords): values = [keywords[0], keywords[keywords.count - 1]]
        case .name(.version): values = ["v2", "v4"]
        case .fileReference: values = ["v1:/app.js", "v1:/logo.png"]
        default: values = ["one", "two"]
        }
        let made = values.map { Made.text($0) }
        switch chance.pick(4) {
        case 0: return .list(chance.pick(2) == 0 ? [] : made)
        case 1: return .object([("has", .list([made[0]])), ("hasNot", .list([made[1]]))])
        case 2: return .object([("has", .list(made))])
        default: return .object([("hasNot", .list(made))])
        }
    }

    private mutating func map(_ key: FieldType, _ type: FieldType) -> Made {
        var members: [(key: String, value: Made)] = []
        for _ in 0...chance.pick(2) {
            let name: String
            switch key {
            case .name(let kind): name = self.name(kind)
            case .route: name = "/app.js"
            default: name = chance.of(["x-one", "Two"])
            }
            if !members.contains(where: { $0.key == name }) { members.append((name, value(type))) }
        }
        return .object(members)
    }
}
