import Runner

extension ScenarioSuite.Options {
    /// Of the runs of a search: what is known of a failure without a second run is enough. The seed is that
    /// with which `otalab run` performs the written files.
    static func ofSearch(_ profiles: ProfileSet) -> ScenarioSuite.Options {
        var options = ScenarioSuite.Options()
        options.profiles = profiles
        options.seed = SearchReport.seedOfFiles
        options.explains = false
        options.moments = .none
        return options
    }
}

extension Option {
    static let wallLimitOfWorld = Option(
        "--wall-limit", value: "TIME", "the longest time for one world (default 60s)")
}
