import ScenarioLanguage

/// What a drawn world has names for; values of fields refer to them.
struct WorldNames: Sendable {
    var versions: [String] = []
    var edges: [String] = ["origin"]
    var builds: [String] = ["1.0"]
    var natives: [String] = []
    /// Routes that the first version has, and perhaps all others.
    var routes: [String] = []
    /// Paths below which the remote root answers; empty without a remote root.
    var api: [String] = []
    /// Keys that sign manifests (U16); empty in an app without keys.
    var keys: [String] = []
    /// Several devices; empty for one.
    var devices: [String] = []
    /// Names that steps have given so far.
    var pages: [String] = []
    var faults: [String] = []
}

extension WorldNames {
    /// What a scenario has names for, except those that its steps give.
    init(of scenario: Scenario) {
        versions = scenario.versions.map(\.name.value)
        edges = scenario.origin.edges.map(\.value)
        if !scenario.app.builds.isEmpty { builds = scenario.app.builds.map(\.name.value) }
        builds = scenario.app.builds.map(\.name.value)
        for native in scenario.app.builds.compactMap(\.native?.value) where !natives.contains(native) {
            natives.append(native)
        }
        routes = scenario.versions.first.map { scenario.files(of: $0.name.value).map(\.route) } ?? []
        api = scenario.app.api.map(\.value)
        keys = scenario.keys.map(\.name.value)
        devices = scenario.devices.map(\.name.value)
    }

    /// The same with the names that these steps give.
    func with(_ steps: some Sequence<Step>) -> WorldNames {
        var names = self
        for step in steps {
            guard let name = step.name?.value else { continue }
            switch step.verb {
            case .fault: names.faults.append(name)
            case .launch, .relaunch, .page: names.pages.append(name)
            default: break
            }
        }
        return names
    }
}
