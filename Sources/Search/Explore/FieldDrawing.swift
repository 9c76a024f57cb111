import Core
import ScenarioLanguage

/// Draws objects and values from the field table, so that every new word of the language is drawn at once.
///
/// What the table can't express (contradictions between values) is left to the reader, which refuses the
/// step; the caller leaves it out then.
struct FieldDrawing: Sendable {
    var chance: Chance
    let swarm: Swarm
    var names: WorldNames
    private var depth = 0

    init(_ chance: Chance, _ swarm: Swarm, _ names: WorldNames) {
        self.chance = chance
        self.swarm = swarm
        self.names = names
    }

    /// Keys that half of the objects have. A fault without a path hits the manifest first, and a check that
    /// fails there does not reach anything else.
    private static let oftenDrawn = ["path"]

    // MARK: - Objects

    /// An object of the schema.
    /// - Parameters:
    ///   - head: its head; nil: one of those that the world has.
    ///   - leavingOut: keys that it does not have.
    mutating func object(_ schema: ObjectSchema, head: String? = nil, leavingOut: [String] = [])
        -> PrintedValue
    {
        depth += 1
        defer { depth -= 1 }
        let fields = schema.fields.filter { !leavingOut.contains($0.key) }
        var chosen: [Field] = []
        if let first = drawnHead(schema, fields, head) { chosen.append(first) }
        let headKey = chosen.first?.key
        for field in fields where field.role != .head && isAllowed(field, headKey) {
            let share = FieldDrawing.oftenDrawn.contains(field.key) ? 2 : 4
            let isDrawn =
                field.isRequired || (swarm.has(field.key, in: schema.title) && chance.once(in: share))
            if isDrawn, !excludes(field, chosen) { chosen.append(field) }
        }
        complete(&chosen, fields, headKey)
        var pairs: [PrintedValue.Pair] = []
        for field in chosen {
            pairs.append(.init(field.key, value(field.type, key: field.key, in: schema.title)))
        }
        addCompanions(of: chosen, fields, schema, &pairs)
        return .object(pairs)
    }

    private mutating func drawnHead(_ schema: ObjectSchema, _ fields: [Field], _ head: String?) -> Field? {
        let heads = fields.filter { $0.role == .head }
        if let head { return heads.first { $0.key == head } }
        if heads.isEmpty || (!schema.needsHead && chance.once(in: 3)) { return nil }
        let own = swarm.chosen(heads, in: schema.title, \.key)
        return own[chance.index(by: own.map { swarm.weight($0.key, in: schema.title) })]
    }

    private func isAllowed(_ field: Field, _ head: String?) -> Bool {
        if field.type == .name(.handset), names.devices.isEmpty { return false }
        if names.keys.isEmpty, field.key == "signedBy" || field.needs == "signedBy" { return false }
        switch field.role {
        case .plain, .head: return true
        case .with(let heads): return head.map(heads.contains) ?? false
        case .without(let heads): return !(head.map(heads.contains) ?? false)
        }
    }

    private func excludes(_ field: Field, _ chosen: [Field]) -> Bool {
        chosen.contains { $0.excludes.contains(field.key) || field.excludes.contains($0.key) }
    }

    /// Adds the fields that chosen ones need.
    private func complete(_ chosen: inout [Field], _ fields: [Field], _ head: String?) {
        for field in chosen {
            guard let key = field.needs, !chosen.contains(where: { $0.key == key }) else { continue }
            if let needed = fields.first(where: { $0.key == key }), isAllowed(needed, head),
                !excludes(needed, chosen)
            {
                chosen.append(needed)
            } else {
                chosen.removeAll { $0.key == field.key }
            }
        }
    }

    /// Adds the second key to a keyword that needs one, and removes it from a keyword that is complete.
    private mutating func addCompanions(
        of chosen: [Field], _ fields: [Field], _ schema: ObjectSchema, _ pairs: inout [PrintedValue.Pair]
    ) {
        for field in chosen where !field.companions.isEmpty {
            guard case .text(let word)? = pairs.first(where: { $0.key == field.key })?.value else { continue }
            if field.completeKeywords.contains(word) {
                pairs.removeAll { field.companions.contains($0.key) }
            } else if !pairs.contains(where: { field.companions.contains($0.key) }) {
                let offered = fields.filter { field.companions.contains($0.key) }
                let companion = chance.of(swarm.chosen(offered, in: schema.title, \.key))
                pairs.append(
                    .init(companion.key, value(companion.type, key: companion.key, in: schema.title)))
            }
        }
    }

    // MARK: - Values

    /// A value of the type.
    /// - Parameters:
    ///   - key: the field's key, from which the meaning of a time or a text follows.
    ///   - group: what the key belongs to.
    mutating func value(_ type: FieldType, key: String, in group: String) -> PrintedValue {
        switch type {
        case .text: return .text(text(key))
        case .flag: return .flag(chance.once(in: 2))
        case .yes: return .flag(true)
        case .null: return .null
        case .anything: return .number(1)
        case .whole(let range): return .number(number(range, key))
        case .duration: return .duration(Borders.time(&chance, to: DrawnTimes.most(key)))
        case .signedDuration: return Borders.signedTime(&chance, to: DrawnTimes.most(key))
        case .size: return .text("\(size(key)) B")
        case .percent: return .text("\(chance.below(101))%")
        case .amount: return .text(chance.of(["0 B", "1 B", "50%", "99%", "100%", "65536 B"]))
        case .route: return .text(chance.of(names.routes))
        case .target: return .text(target())
        case .bitRate: return .text(chance.of(["16 kbit/s", "1 Mbit/s", "100 Mbit/s"]))
        case .byteRate: return .text(chance.of(["1 MB/s", "100 MB/s"]))
        case .keyword(let keywords):
            return .text(chance.of(swarm.chosen(keywords, in: group + "." + key, \.self)))
        case .name(let kind): return .text(name(kind))
        case .prefixed(let word, let type):
            return .text(word + " " + value(type, key: key, in: group).shownText)
        case .userAction: return .text(userAction())
        case .fileReference: return .text(stored())
        case .damageTarget: return .text(damageTarget())
        case .crashOutcome: return .text("kill")
        case .list(let type, let least):
            return .list((0..<least + chance.below(2)).map { _ in value(type, key: key, in: group) })
        case .listing(let type), .bounds(let type): return value(type, key: key, in: group)
        case .object(.audience): return audience()
        case .object(let schema): return object(schema)
        case .map(let keyType, let type): return map(keyType, type, key)
        case .either(let types): return value(chance.of(types), key: key, in: group)
        }
    }

    private mutating func number(_ range: ClosedRange<Int64>, _ key: String) -> Int64 {
        switch key {
        case "status": return chance.of(Borders.statuses)
        case "serial": return chance.of([0, 1, 2, 3, 5, 1_000, range.upperBound])
        case "repeat": return chance.whole(2...4)
        case "connections": return chance.of([1, 2, 50])
        case "requests": return chance.of([1, 2, 100])
        default: return chance.whole(range.lowerBound...min(range.upperBound, range.lowerBound + 4))
        }
    }

    private mutating func size(_ key: String) -> Int64 {
        switch key {
        // Each write is an event of its own.
        case "shortWrites": chance.of([1_000, 4_096, 65_535])
        case "flip", "corrupt": chance.of([1, 8])
        default: Borders.fileSize(&chance)
        }
    }

    private mutating func text(_ key: String) -> String {
        switch key {
        case "channel": chance.of(DrawnTexts.channels)
        case "user": chance.of(DrawnTexts.users)
        case "cohort": chance.of(DrawnTexts.cohorts)
        case "salt": chance.of(["spring", "autumn"])
        case "stores": chance.of(["cart", "visits"])
        case "setsCookie": "session"
        case "sends": chance.of(DrawnTexts.messages)
        case "body": chance.of(DrawnTexts.bodies)
        case "etag": chance.of(["abc", "W"])
        case "host": chance.of(["shop.example.net", "localhost"])
        case "type": chance.of(["text/plain", "application/octet-stream"])
        default: "x"
        }
    }

    mutating func target() -> String {
        let path = chance.of(names.routes + names.api + ["/", "/shop", "/nothing.js"])
        return path + chance.of(["", "", "?a=1", "?a=1#b"])
    }

    private mutating func stored() -> String { chance.of(names.versions) + ":" + chance.of(names.routes) }

    private mutating func damageTarget() -> String {
        switch chance.below(7) {
        case 0: "record"
        case 1: "records"
        case 2: "starts"
        case 3: "table of " + chance.of(names.versions)
        case 4: "part of " + stored()
        case 5:
            chance.of(["list of the download", "stray in contents", "stray in tables", "stray in download"])
        default: stored()
        }
    }

    /// The user types for minutes at most: each key is an event.
    private mutating func userAction() -> String {
        chance.of(
            swarm.chosen(
                UserAction.keywords.filter { $0 != "types" } + [
                    "types from 0s to 20s", "types from 5s to 3m",
                ],
                in: "user", \.self))
    }

    private mutating func audience() -> PrintedValue {
        if chance.once(in: 2) {
            let of = chance.whole(1...4)
            return ["share": .number(chance.whole(0...of)), "of": .number(of)]
        }
        let key = chance.of(["user", "cohort", "channel"])
        return .object([.init(key, .text(text(key)))])
    }

    private mutating func name(_ kind: NameKind) -> String {
        switch kind {
        case .version: chance.of(names.versions)
        case .edge: chance.of(names.edges)
        case .build: chance.of(names.builds)
        case .native: names.natives.isEmpty ? "A" : chance.of(names.natives)
        case .device: "plain"
        case .handset: chance.of(names.devices)
        case .file: chance.of(names.routes)
        case .page: names.pages.isEmpty ? "in front" : chance.of(names.pages)
        case .fault: names.faults.isEmpty ? "none" : chance.of(names.faults)
        case .key: names.keys.isEmpty ? "none" : chance.of(names.keys)
        case .mark, .step: "none"
        }
    }

    private mutating func map(_ key: FieldType, _ type: FieldType, _ field: String) -> PrintedValue {
        if field == "headers" { return headers() }
        var pairs: [PrintedValue.Pair] = []
        for _ in 0...chance.below(2) {
            let name = value(key, key: field, in: "map").shownText
            if pairs.contains(where: { $0.key == name }) { continue }
            pairs.append(.init(name, value(type, key: field, in: "map")))
        }
        return .object(pairs)
    }

    /// Fields that somebody reads, with numbers at borders.
    private mutating func headers() -> PrintedValue {
        if chance.once(in: 2) {
            let usual = chance.of(DrawnTexts.usualHeaders)
            return .object([.init(usual.name, .text(usual.value))])
        }
        let name = chance.of(DrawnTexts.headers)
        if chance.once(in: 5) { return .object([.init(name, .null)]) }
        return .object([.init(name, .text(chance.of(Borders.headerNumbers + DrawnTexts.headerValues)))])
    }
}

/// Texts that fields take.
enum DrawnTexts {
    static let channels = ["stable", "beta"]
    static let users = ["ann", "bob"]
    static let cohorts = ["red", "blue"]
    /// Fields of answers that the updater or the server reads.
    static let headers = [
        "Content-Length", "Content-Type", "Content-Encoding", "Content-Range", "ETag", "Date", "Age",
        "Retry-After",
        "Last-Modified", "Cache-Control", "Transfer-Encoding", "Location", "Set-Cookie",
    ]
    static let headerValues = [
        "gzip", "text/html", "bytes 0-0/1", "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 2100 23:59:59 GMT",
        "chunked",
        "/elsewhere", "no-store",
    ]
    /// Fields as origins, proxies and caches send them.
    static let usualHeaders: [(name: String, value: String)] = [
        ("Content-Encoding", "gzip"), ("Retry-After", "1"), ("Retry-After", "60"), ("Retry-After", "3600"),
        ("Retry-After", "86400"), ("Content-Type", "text/html"), ("Cache-Control", "no-store"),
        ("Content-Range", "bytes 0-0/1"), ("Age", "3600"), ("Transfer-Encoding", "chunked"),
        ("Date", "Thu, 01 Jan 1970 00:00:00 GMT"), ("Date", "Fri, 31 Dec 2100 23:59:59 GMT"),
    ]
    /// Bodies in place of a manifest, an index or a file.
    static let bodies = [
        "", "{}", "<html></html>", "null", "<html><h1>Down for maintenance</h1></html>",
        meteorManifest(compatibility: "{}"), meteorManifest(compatibility: "{ \"android\": \"A\" }"),
        meteorManifest(compatibility: "{ \"android\": \"other\", \"ios\": \"other\" }"),
    ]

    private static func meteorManifest(compatibility: String) -> String {
        "{ \"format\": \"web-program-pre1\", \"version\": \"v2\", "
            + "\"cordovaCompatibilityVersions\": \(compatibility), \"manifest\": [] }"
    }

    /// Messages of pages, valid and not (rule N5).
    static let messages = [
        "{}", "[]", "null", "\"startupDidComplete\"", "{\"call\":\"nothing\"}", "{\"call\":7}", "not JSON",
    ]
}

/// The longest time that a field is drawn with, in microseconds.
enum DrawnTimes {
    private static let second: Int64 = 1_000_000

    static func most(_ key: String) -> Int64 {
        switch key {
        // The page asks six times at once, all the while.
        case "keepsAsking": 2 * second
        case "by", "every": 60 * second
        case "startupTimeout": 120 * second
        case "throws", "ready", "usable", "confirms": 60 * second
        case "lateTimers": 1_800 * second
        case "freeze", "suspend": 86_400 * second
        case "at": 3_600 * second
        default: 31 * 86_400 * second
        }
    }
}

extension PrintedValue {
    /// The text of a text; empty for anything else.
    var shownText: String { if case .text(let text) = self { text } else { "" } }
}
