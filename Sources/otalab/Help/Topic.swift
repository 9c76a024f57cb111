/// A page of the guide that `otalab help` prints too: Markdown, from one source.
struct Topic: Sendable {
    /// `ci`.
    let name: String
    /// Of the guide's page: `ContinuousIntegration`.
    let page: String
    let summary: String
    let text: String

    /// In the order of the help; one row each.
    static let all: [Topic] = [
        commandLine,
        settings,
        reports,
        ci,
        rules,
    ]

    static func named(_ name: String) -> Topic? { all.first { $0.name == name } }
}
