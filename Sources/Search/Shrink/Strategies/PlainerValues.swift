import ScenarioLanguage

/// Replaces a value by a plainer one of its key: a kill by the system, a launch in the foreground, a refused
/// connection. Only values before the present one in the order of a key are tried, so that it ends.
struct PlainerValues: ShrinkStrategy {
    let keepsConduct: Bool

    /// Values by key, the plainest first. A value that is not in the list comes after all of them.
    private static let plain: [(key: String, values: [PrintedValue])] = [
        ("kill", ["system", "user"]),
        ("powerCut", [true]),
        ("launch", [true]),
        ("relaunch", [true]),
        ("suspend", [true]),
        ("fault", ["refuse", "offline", "reset", "stall", ["status": 500]]),
        ("startup", ["throws", "hangs", "dies"]),
        ("how", ["throws"]),
        ("do", [["remove": true]]),
        ("network", ["offline"]),
        ("device", ["plain"]),
    ]

    func candidates(_ tree: PrintedValue) -> [PrintedValue] {
        tree.located.flatMap { located -> [PrintedValue] in
            guard let key = located.key, !located.keys.contains("expect"), !located.keys.contains("always"),
                !located.keys.contains("never"),
                let values = PlainerValues.plain.first(where: { $0.key == key })?.values
            else { return [] }
            if keepsConduct, ShrinkStrategies.conduct.contains(key) { return [] }
            let before = values.firstIndex(of: located.value) ?? values.count
            return values[..<before].map { tree.replacing(located.path, by: $0) }
        }
    }
}

/// Writes an app with one build, of which only its version is known, without builds.
struct PlainBuild: ShrinkStrategy {
    func candidates(_ tree: PrintedValue) -> [PrintedValue] {
        guard var app = tree["app"], let builds = app["builds"]?.pairs, builds.count == 1,
            builds[0].value.pairs.map(\.key) == ["embeds"]
        else { return [] }
        app["builds"] = nil
        app["embeds"] = builds[0].value["embeds"]
        var plain = tree
        plain["app"] = app
        return [plain]
    }
}
