import Core

// Start-ups, and files of the app package.
extension SemanticValidator {
    mutating func checkStartup(_ startup: StartupSpec) {
        if let count = startup.works, startup.behaviour == .normal {
            report(
                .impossible, "the starts after the first \(count.value) go well too", label: "says nothing",
                at: count.span, help: "say what comes then: { works: \(count.value), throws: \"at load\" }")
        }
        if let need = startup.needs, need.value == .api, scenario.app.api.isEmpty {
            report(
                .impossible, "a start that needs an API in an app without one", label: "no 'api' in 'app'",
                at: need.span, help: "add api: [\"/api/\"] to the app")
        }
    }
}
