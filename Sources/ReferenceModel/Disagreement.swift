/// Where the app decided otherwise than the rules allow.
package struct Disagreement: Hashable, Sendable {
    /// Id of the clause: `R3.second-failure`.
    package var clause: String
    /// The version that the decision is about.
    package var version: Version?
    /// What the rules allow here.
    package var allowed: String
    package var actual: String
}
