/// What a scenario file says, or what is wrong with it.
public struct ScenarioReading: Hashable, Sendable {
    public var file: SourceFile
    /// One per case, in the order of the file; empty when there is an error.
    public var scenarios: [Scenario]
    public var diagnostics: [Diagnostic]

    public var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}
