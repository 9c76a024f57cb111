import ScenarioLanguage

extension CrashReport {
    /// The story with the crash written out.
    public func scenario(of finding: CrashFinding) -> String {
        String(decoding: plan.scenario.source.bytes, as: UTF8.self)
    }
}
