import Core

/// Times that the user waited (rule T4).
package struct TimesSummary: Hashable, Sendable {
    /// Times from a launch to first content.
    package var launches: [TimeSpan]
    /// Times from a switch to first content of the new version.
    package var switches: [TimeSpan]
    /// Times from the end of a failed or abandoned start to first content of the version rescued to.
    package var rescues: [TimeSpan]
    /// Total time with neither cover nor content; normally 0.
    package var white: TimeSpan
    /// Times to whole answers of the local server while no update was under way; nil: there were none.
    package var answersIdle: AnswerTimes?
    /// The same while an update was under way.
    package var answersDuringUpdate: AnswerTimes?

    package init() {
        launches = []
        switches = []
        rescues = []
        white = .zero
    }
}
