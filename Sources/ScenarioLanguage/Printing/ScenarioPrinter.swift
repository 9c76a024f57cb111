import Core

/// A scenario as text: what ``ScenarioReader`` reads from it is the same scenario, but for places in the
/// file.
///
/// A case comes out as a scenario of its own, with its values written in and its name in the id. Comments
/// and the author's layout are not in the model, and are lost.
package struct ScenarioPrinter {
    private let scenario: Scenario

    package static func text(of scenario: Scenario) -> String { ScenarioPrinter(scenario: scenario).text }

    /// A step as it stands in a file, on one line, with the values of its case written in.
    package static func line(of step: Step) -> String { PrintedValue.step(step).line }

    /// What an `expect`, `always` or `never` looks at, in the same way.
    package static func line(of expectation: Expectation) -> String {
        PrintedValue.expectation(expectation).line
    }

    /// A text as it stands in a file, in double quotes.
    package static func quoted(_ text: String) -> String { PrintedValue.quoted(text) }

    private var text: String {
        var text = "{\n  schema: 1,\n"
        for pair in head.pairs { text += "  \(pair.line),\n" }
        text += "  app: \(PrintedValue.app(scenario.app).line),\n"
        if let origin { text += "  origin: \(origin.line),\n" }
        text += "  versions: \(versions.lines(indent: "  ")),\n"
        text += "  steps: [\n"
        for step in scenario.steps { text += "    \(PrintedValue.step(step).line),\n" }
        return text + "  ],\n}\n"
    }

    private var head: PrintedPairs {
        var pairs = PrintedPairs()
        pairs.add("title", scenario.title.value)
        pairs.add("id", scenario.name)
        pairs.add("issue", scenario.issue?.value)
        if !scenario.covers.isEmpty { pairs.add("covers", .texts(scenario.covers)) }
        if !scenario.tags.isEmpty { pairs.add("tags", .texts(scenario.tags)) }
        pairs.add("xfail", scenario.xfail?.value)
        pairs.add("skip", scenario.skip?.value)
        if scenario.seed != 1 { pairs.add("seed", .raw(String(scenario.seed))) }
        var limits = PrintedPairs()
        limits.add("events", scenario.limits.events.map { .number($0.value) })
        limits.add("virtualTime", scenario.limits.virtualTime.map { .duration($0.value) })
        if !limits.pairs.isEmpty { pairs.add("limits", limits.object) }
        if case .none(let because) = scenario.liveness {
            pairs.add("liveness", "none")
            pairs.add("because", because.value)
        }
        if scenario.devices.isEmpty {
            pairs.add("device", scenario.device.value)
        } else {
            let devices = scenario.devices.map { PrintedValue.Pair($0.name.value, .text($0.profile.value)) }
            pairs.add("devices", .object(devices))
        }
        return pairs
    }

    private var origin: PrintedValue? {
        let origin = scenario.origin
        if origin.edges.map(\.value) == ["origin"], origin.route.value == "origin" { return nil }
        return .object([
            .init("edges", .texts(origin.edges)), .init("route", .text(origin.route.value)),
        ])
    }

    private var versions: PrintedValue {
        .object(scenario.versions.map { .init($0.name.value, PrintedValue.version($0)) })
    }
}

extension PrintedValue {
    static func app(_ app: AppSpec) -> PrintedValue {
        var pairs = PrintedPairs()
        pairs.add("id", app.id.value)
        if app.manifest != .own { pairs.add("manifest", word: app.manifest) }
        let builds = app.builds.map { build in
            var inner = PrintedPairs()
            inner.add("embeds", build.embeds?.value)
            inner.add("native", build.native?.value)
            inner.add("number", build.number?.value)
            return Pair(build.name.value, inner.object)
        }
        pairs.add("builds", .object(builds))
        pairs.add("installed", app.installed.value)
        if !app.api.isEmpty { pairs.add("api", .texts(app.api)) }
        pairs.pairs += settings(app.settings).pairs
        return pairs.object
    }

    static func settings(_ settings: SettingsSpec) -> PrintedPairs {
        var pairs = PrintedPairs()
        pairs.add("startupTimeout", settings.startupTimeout.map { .duration($0.value) })
        pairs.add("confirm", word: settings.confirm?.value)
        pairs.add("checks", word: settings.checks?.value)
        pairs.add("updates", word: settings.updates?.value)
        pairs.add("parallel", settings.parallel.map { .number($0.value) })
        pairs.add("switchOnReload", settings.switchOnReload.map { .flag($0.value) })
        pairs.add("switchOnReturn", settings.switchOnReturn.map { .flag($0.value) })
        pairs.add("channel", settings.channel?.value)
        pairs.add("user", settings.user?.value)
        pairs.add("cohort", settings.cohort?.value)
        pairs.add("metered", settings.metered.map { .flag($0.value) })
        pairs.add("meteredUpTo", settings.meteredUpTo.map { .size($0.value) })
        pairs.add("outcomes", settings.outcomes.map { .flag($0.value) })
        return pairs
    }
}
