import Core

/// Builds the model from checked records. The table has seen to it that everything required is
/// there; where table and model disagree the reader reports that instead of stopping.
struct ScenarioDecoder {
    let source: SourceFile
    let caseName: Spanned<String>?
    /// Names of marks: `since` can name a step too.
    let marks: [String]

    /// Something that the table should have ensured.
    struct Gap: Error, Hashable {
        var what: String
        var span: SourceSpan
    }

    func scenario(_ record: Record) throws(Gap) -> Scenario {
        let origin = self.origin(record.record("origin"), record.span)
        let devices = (record.record("devices")?.entries ?? []).compactMap { entry in
            entry.value.text.map { DeviceSpec(name: Spanned(entry.key, entry.keySpan), profile: $0) }
        }
        return Scenario(
            source: source, id: record.text("id")?.value ?? Self.id(of: source.path), caseName: caseName,
            title: try need(record.text("title"), "title", record), issue: record.text("issue"),
            covers: record.texts("covers"), tags: record.texts("tags"), xfail: record.text("xfail"),
            skip: record.text("skip"),
            seed: UInt64(try need(record.whole("seed"), "seed", record).value),
            limits: limits(record.record("limits")), liveness: try liveness(record),
            device: try need(devices.first?.profile ?? record.text("device"), "device", record),
            devices: devices,
            app: try app(try need(record.record("app"), "app", record)), origin: origin,
            versions: try versions(try need(record.record("versions"), "versions", record)),
            steps: try steps(try need(record["steps"], "steps", record)), span: record.span)
    }

    /// The path from the scenarios' folder on, without its extension.
    static func id(of path: String) -> String {
        var parts = path.split(separator: "/").map(String.init)
        if let root = parts.lastIndex(of: "Scenarios") { parts.removeFirst(root + 1) }
        if let last = parts.last, let dot = last.utf8.lastIndex(of: UInt8(ascii: ".")),
            dot > last.utf8.startIndex
        {
            parts[parts.count - 1] = String(last[..<dot])
        }
        return parts.joined(separator: "/")
    }

    func need<Result>(_ value: Result?, _ what: String, _ record: Record) throws(Gap) -> Result {
        guard let value else { throw Gap(what: what, span: record.span) }
        return value
    }

    private func limits(_ record: Record?) -> RunLimits {
        RunLimits(events: record?.whole("events"), virtualTime: record?.duration("virtualTime"))
    }

    private func liveness(_ record: Record) throws(Gap) -> Liveness {
        if record.text("liveness")?.value != "none" { return .expected }
        return .none(because: try need(record.text("because"), "because", record))
    }

    private func origin(_ record: Record?, _ owner: SourceSpan) -> OriginSpec {
        let named = record?.texts("edges") ?? []
        let fallback = Spanned("origin", record?.span ?? owner)
        let edges = named.isEmpty ? [fallback] : named
        return OriginSpec(edges: edges, route: record?.text("route") ?? edges[0])
    }

    private func app(_ record: Record) throws(Gap) -> AppSpec {
        var builds: [BuildSpec] = []
        for entry in record.record("builds")?.entries ?? [] {
            let build = try need(entry.value.record, "build", record)
            builds.append(
                BuildSpec(
                    name: Spanned(entry.key, entry.keySpan), embeds: embeds(build),
                    native: build.text("native"), number: build.text("number")))
        }
        if builds.isEmpty {
            let name = Spanned("1.0", record.span)
            builds = [BuildSpec(name: name, embeds: embeds(record), native: record.text("native"))]
        }
        return AppSpec(
            id: try need(record.text("id"), "id", record),
            manifest: try need(record.word("manifest"), "manifest", record).value, builds: builds,
            installed: record.text("installed") ?? builds[0].name, settings: settings(record),
            api: record.texts("api"))
    }

    private func embeds(_ record: Record) -> Spanned<String>? { record.text("embeds") }

    func settings(_ record: Record) -> SettingsSpec {
        var settings = SettingsSpec()
        settings.startupTimeout = record.duration("startupTimeout")
        settings.confirm = record.word("confirm")
        settings.checks = record.word("checks")
        settings.updates = record.word("updates")
        settings.parallel = record.whole("parallel")
        settings.switchOnReload = record.flag("switchOnReload")
        settings.switchOnReturn = record.flag("switchOnReturn")
        settings.channel = record.text("channel")
        settings.user = record.text("user")
        settings.cohort = record.text("cohort")
        settings.metered = record.flag("metered")
        settings.meteredUpTo = record.bytes("meteredUpTo")
        settings.outcomes = record.flag("outcomes")
        return settings
    }
}
