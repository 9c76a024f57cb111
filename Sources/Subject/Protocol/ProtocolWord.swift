import ScenarioLanguage

/// Words of the protocol that an adapter writes. One that the protocol does not have may be of a later
/// version, and is ignored; or it is a slip.
package enum ProtocolWord {
    static let messages = ["subject", "listening", "load", "status", "told", "message", "screen"]

    /// `no message of the protocol is 'listning': did you mean 'listening'?`
    static func unknownMessage(_ kind: String) -> String { unknown(kind, "message", among: messages) }

    /// Whether the text is that of an unknown message.
    static func isOfUnknownMessage(_ text: String) -> Bool { text.contains(beginning("message")) }

    private static func beginning(_ what: String) -> String { "no \(what) of the protocol is '" }

    fileprivate static func unknown(_ word: String, _ what: String, among known: [String]) -> String {
        let near = Suggestion.nearest(to: word, among: known)
        return beginning(what) + "\(word.prefix(40))'"
            + (near.map { ": did you mean '\($0)'?" } ?? "; it is ignored")
    }
}

extension SubjectDescription {
    /// What an adapter's first message names that the protocol does not have, with a way out.
    package var slips: [String] {
        unknownSkills.map { ProtocolWord.unknown($0, "command", among: Skill.allCases.map(\.rawValue)) }
            + unknownTellings.map {
                ProtocolWord.unknown($0, "word for 'tells'", among: Telling.allCases.map(\.rawValue))
            }
    }
}
