import Core
import ScenarioLanguage

/// Draws what a world has before its steps: the app with its builds, the origin, the versions and the
/// devices.
struct AppDrawing: Sendable {
    private var chance: Chance
    private let swarm: Swarm
    private(set) var names = WorldNames()
    private let dialect: ManifestFormat
    private let profiles: [String]
    private var signing: Chance
    private var deviating: Chance
    /// Whether a build has another version than the first in its package.
    private var packagesLaterVersion = false

    /// Names of the versions of a world, which has two at least.
    static let versionNames = ["v1", "v2", "v3", "v4", "v5"]

    /// Limit of the events of a world.
    static let maxEvents: Int64 = 20_000

    /// - Parameter profiles: names of device profiles, at least one.
    init(_ chance: Chance, _ swarm: Swarm, profiles: [String]) {
        self.chance = chance
        self.swarm = swarm
        self.profiles = profiles
        dialect = self.chance.of([.own, .own, .own, .meteor, .frontend, .frontendWithHashes])
        names.versions = Array(AppDrawing.versionNames.prefix(self.chance.of([2, 2, 3, 3, 4, 5])))
        if self.chance.once(in: 3) { names.edges = ["a", "b"] }
        if self.chance.once(in: 3) {
            names.builds = self.chance.of([["1.0", "1.1"], ["1.0", "1.1", "2.0"]])
            names.natives = ["A", "B"]
        }
        if self.chance.once(in: 4) { names.api = ["/api/"] }
        if self.chance.once(in: 8) { names.devices = ["one", "two"] }
        let script = self.chance.of(["/app.js", "/app.js", "/{hash}.js"])
        names.routes = [script, "/style.css", "/logo.png", "/lazy.js"]
        // More files than are fetched at once.
        if self.chance.once(in: 12) { names.routes += (1...6).map { "/part\($0).bin" } }
        if dialect != .meteor { names.routes.insert("/index.html", at: 0) }
        // Choices of its own, so that worlds without keys are what they were before there were any.
        signing = Chance(seed: self.chance.state ^ 0x6B65_7973)
        if dialect == .own, signing.once(in: 8) { names.keys = ["k1", "k2"] }
        deviating = Chance(seed: self.chance.state ^ 0x6578_6365)
    }

    /// The members of the file before `steps`.
    mutating func members(title: String, id: String) -> [PrintedValue.Pair] {
        var pairs: [PrintedValue.Pair] = [
            .init("schema", 1), .init("title", .text(title)), .init("id", .text(id)),
            .init("seed", .number(Int64(chance.below(1_000)))),
            .init("limits", ["events": .number(AppDrawing.maxEvents)]),
        ]
        if names.devices.isEmpty {
            pairs.append(.init("device", .text(profile())))
        } else {
            pairs.append(.init("devices", .object(names.devices.map { .init($0, .text(profile())) })))
        }
        if deviating.once(in: 4) { pairs.append(.init("except", DeviceDrawing.changes(&deviating))) }
        if !names.keys.isEmpty {
            let algorithms: [PrintedValue] = [[:], ["algorithm": "p256"]]
            pairs.append(.init("keys", .object(names.keys.map { .init($0, signing.of(algorithms)) })))
        }
        pairs.append(.init("app", app()))
        if names.edges.count > 1 { pairs.append(.init("origin", origin())) }
        pairs.append(.init("versions", versions()))
        return pairs
    }

    private mutating func profile() -> String { chance.once(in: 2) ? "plain" : chance.of(profiles) }

    private mutating func fields() -> FieldDrawing { FieldDrawing(chance.split(), swarm, names) }

    // MARK: - App and origin

    private mutating func app() -> PrintedValue {
        var pairs: [PrintedValue.Pair] = []
        if dialect != .own { pairs.append(.init("manifest", .text(dialect.rawValue))) }
        if names.natives.isEmpty {
            if !chance.once(in: 10) { pairs.append(.init("embeds", "v1")) }
            if !names.keys.isEmpty { pairs.append(.init("keys", builtInKeys())) }
        } else {
            pairs.append(.init("builds", builds()))
        }
        if !names.api.isEmpty { pairs.append(.init("api", .list(names.api.map { .text($0) }))) }
        if chance.once(in: 8) { pairs.append(.init("www", ["/bridge.js": "2 KB"])) }
        if chance.once(in: 20) { pairs.append(.init("debugger", true)) }
        if !names.keys.isEmpty, signing.once(in: 3) {
            pairs.append(.init("wallClock", Borders.signedTime(&signing, to: DrawnTimes.most("wallClock"))))
        }
        var drawing = fields()
        if case .object(let settings) = drawing.object(.settings) { pairs += settings }
        return .object(pairs)
    }

    private mutating func builds() -> PrintedValue {
        var made: [PrintedValue.Pair] = []
        var first = ""
        for (index, name) in names.builds.enumerated() {
            var pairs: [PrintedValue.Pair] = []
            if !chance.once(in: 10) {
                let embedded = chance.once(in: 3) ? chance.of(names.versions) : "v1"
                if embedded != "v1" { packagesLaterVersion = true }
                pairs.append(.init("embeds", .text(embedded)))
            }
            let native = chance.of(names.natives)
            if index == 0 { first = native }
            // A store takes no second package of a number; in tests there is one, with the same native code.
            let repeatsNumber = index > 0 && chance.once(in: 6)
            pairs.append(.init("native", .text(repeatsNumber ? first : native)))
            if repeatsNumber { pairs.append(.init("number", "1.0")) }
            if names.edges.count > 1, chance.once(in: 6) {
                pairs.append(.init("origin", .text(chance.of(names.edges))))
            }
            if !names.keys.isEmpty { pairs.append(.init("keys", builtInKeys())) }
            made.append(.init(name, .object(pairs)))
        }
        return .object(made)
    }

    /// Keys of a build: the first, the second or both.
    private mutating func builtInKeys() -> PrintedValue {
        .list(signing.of([["k1"], ["k1"], ["k2"], ["k1", "k2"]]).map { .text($0) })
    }

    private mutating func origin() -> PrintedValue {
        var pairs: [PrintedValue.Pair] = [.init("edges", .list(names.edges.map { .text($0) }))]
        if chance.once(in: 3) {
            let age = Borders.time(&chance, from: 1_000_000, to: 86_400_000_000)
            pairs.append(.init("ages", .object([.init(chance.of(names.edges), .duration(age))])))
        }
        return .object(pairs)
    }

    // MARK: - Versions

    private mutating func versions() -> PrintedValue {
        var made: [PrintedValue.Pair] = []
        for (index, name) in names.versions.enumerated() {
            var pairs = index == 0 ? first() : next(after: index)
            if index > 0, !chance.once(in: 3) { pairs.append(.init("startup", startup())) }
            if !names.natives.isEmpty, index > 0, chance.once(in: 3) {
                pairs.append(.init("native", .text(chance.of(names.natives))))
            }
            if swarm.has("dataSchema", in: "version"), chance.once(in: 2) {
                let schema = chance.whole(1...3)
                pairs.append(.init("dataSchema", .number(schema)))
                if chance.once(in: 2) {
                    pairs.append(.init("dataSchemaReadableFrom", .number(chance.whole(0...schema))))
                }
            }
            made.append(.init(name, .object(pairs)))
        }
        return .object(made)
    }

    private mutating func first() -> [PrintedValue.Pair] {
        [.init("files", .object(names.routes.map { route in .init(route, file(route, hasHint: false)) }))]
    }

    /// A version with some other content than an earlier one.
    private mutating func next(after index: Int) -> [PrintedValue.Pair] {
        let base = names.versions[chance.once(in: 2) ? 0 : chance.below(index)]
        var changes: [PrintedValue] = []
        var files: [PrintedValue.Pair] = []
        for route in names.routes {
            switch chance.below(5) {
            case 0, 1: changes.append(.text(route))
            case 2: files.append(.init(route, file(route, hasHint: true)))
            default: break
            }
        }
        if chance.once(in: 4) { files.append(.init("/v\(index + 1).js", file("/new.js", hasHint: true))) }
        if changes.isEmpty, files.isEmpty { changes = [.text(names.routes[0])] }
        var pairs: [PrintedValue.Pair] = [.init("from", .text(base))]
        if !changes.isEmpty { pairs.append(.init("changes", .list(changes))) }
        if !files.isEmpty { pairs.append(.init("files", .object(files))) }
        return pairs
    }

    private mutating func file(_ route: String, hasHint: Bool) -> PrintedValue {
        let size = PrintedValue.text("\(Borders.fileSize(&chance)) B")
        // An app package states true sizes, and an index may be longer than its size says.
        let isTrue = !hasHint || packagesLaterVersion || route == "/index.html"
        var leftOut = ["same", "sourceMap", "type"] + (isTrue ? ["hint"] : [])
        // Only a route that carries its content's hash is immutable (S5).
        if !route.contains("{hash}") { leftOut.append("immutable") }
        // A page's script that may be missing is another story than a picture.
        guard swarm.has("file", in: "version"), chance.once(in: 3) else { return size }
        var drawing = fields()
        guard case .object(var pairs) = drawing.object(.file, leavingOut: leftOut)
        else {
            return size
        }
        // No manifest can say that its index may be missing (U12).
        if route == "/index.html" { pairs.removeAll { $0.key == "optional" } }
        if !pairs.contains(where: { $0.key == "size" }) { pairs.append(.init("size", size)) }
        return .object(pairs)
    }

    private mutating func startup() -> PrintedValue {
        if chance.once(in: 3) { return "normal" }
        var drawing = fields()
        if chance.once(in: 2) {
            return .text(chance.of(swarm.chosen(["hangs", "throws", "dies"], in: "startup", \.self)))
        }
        let leftOut = names.natives.isEmpty ? ["on"] : []
        let drawn = drawing.object(.startup, leavingOut: leftOut)
        return drawn == .object([]) ? "normal" : drawn
    }
}
