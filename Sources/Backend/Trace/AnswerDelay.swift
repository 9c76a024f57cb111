/// What the update did while a page, the user or the platform waited for an answer (rule S9): from the
/// arrival of a request until the first bytes of its answer, or of another input until it was handled.
package struct AnswerDelay: Hashable, Sendable {
    /// Steps that changed or read files of the update and began in this time, except while the answer waited
    /// for a sync of its own.
    package private(set) var steps = 0
    /// Syncs of such files that were submitted while the answer waited for a sync of its own.
    package private(set) var syncs = 0
    /// What else was handled before the update's turn: other requests, connections and notices.
    package private(set) var urgent = 0
    /// The one of these steps with the most work.
    package private(set) var largest = StepCounts()

    package init() {}

    package var isNone: Bool { steps == 0 && syncs == 0 }

    package mutating func count(step: StepCounts) {
        steps += 1
        if step.exceeds(largest) { largest = step }
    }

    package mutating func countSync() { syncs += 1 }

    package mutating func countUrgent() { urgent += 1 }
}

extension AnswerDelay: CustomStringConvertible {
    package var description: String {
        "\(steps) steps of the update (the largest: \(largest)), \(syncs) syncs of it"
    }
}
