/// The rules by id and name, for `covers` and for the table rules × scenarios.
public struct Rule: Hashable, Sendable {
    public var id: String
    /// Its name in few words.
    public var title: String
    /// ∎ in the rulebook: a checker runs after every event.
    public var isInvariant: Bool

    public init(_ id: String, _ title: String, isInvariant: Bool = false) {
        self.id = id
        self.title = title
        self.isInvariant = isInvariant
    }

    public static func named(_ id: String) -> Rule? { all.first { $0.id == id } }

    /// In the order of the rulebook.
    public static let all: [Rule] = [
        Rule("S1", "One version per page", isInvariant: true),
        Rule("S2", "Verified bytes", isInvariant: true),
        Rule("S3", "The index answers navigations only"),
        Rule("S4", "Same origin", isInvariant: true),
        Rule("S5", "Caching never shows an old version"),
        Rule("S6", "Loopback, own pages, nothing outside"),
        Rule("S7", "API requests pass unchanged"),
        Rule("S8", "The server is there when the page needs it"),
        Rule("U1", "Verified before offered", isInvariant: true),
        Rule("U2", "Nothing fetched twice", isInvariant: true),
        Rule("U3", "Mixed origin converges"),
        Rule("U4", "One check at a time", isInvariant: true),
        Rule("U5", "Bounded", isInvariant: true),
        Rule("U6", "Moments of a switch"),
        Rule("U7", "First launch without content"),
        Rule("U8", "Forward only", isInvariant: true),
        Rule("U9", "Targeting"),
        Rule("U10", "Manifests refused"),
        Rule("U11", "Space and lengths"),
        Rule("U12", "Required is the default"),
        Rule("U13", "Recall"),
        Rule("U14", "Updates off"),
        Rule("U15", "Data policy"),
        Rule("R1", "Always a way back", isInvariant: true),
        Rule("R2", "The mark before the index", isInvariant: true),
        Rule("R3", "Ends of a start"),
        Rule("R4", "Just blame", isInvariant: true),
        Rule("R5", "Blacklist", isInvariant: true),
        Rule("R6", "Own signal", isInvariant: true),
        Rule("R7", "Keep set", isInvariant: true),
        Rule("R8", "The record is always readable", isInvariant: true),
        Rule("R9", "Chain of rescue"),
        Rule("R10", "Damage"),
        Rule("R11", "Web process after confirmation"),
        Rule("R12", "Data schema"),
        Rule("N1", "Store update"),
        Rule("N2", "Restored settings or files"),
        Rule("N3", "Suspension and clocks"),
        Rule("N4", "Silent push"),
        Rule("N5", "Page and native code"),
        Rule("T1", "Everything is told", isInvariant: true),
        Rule("T2", "Events wait for the page"),
        Rule("T3", "Outcomes to the origin"),
        Rule("T4", "White time", isInvariant: true),
    ]
}
