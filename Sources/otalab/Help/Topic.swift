/// A page of the guide that `otalab help` prints too; both are generated from this Markdown text.
struct Topic: Sendable {
    /// `ci`.
    let name: String
    /// The name of the guide's page: `ContinuousIntegration`.
    let page: String
    let summary: String
    let text: String

    /// All topics, in the order of the help.
    static let all: [Topic] = [
        commandLine,
        settings,
        reports,
        coverage,
        ci,
        rules,
        causes,
        language,
        manifest,
        adapters,
    ]

    static func named(_ name: String) -> Topic? { all.first { $0.name == name } }
}
