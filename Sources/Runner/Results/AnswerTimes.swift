import Core

/// How long pages waited for answers of the local server (rule S9).
package struct AnswerTimes: Hashable, Sendable {
    /// Number of answers.
    package var count: Int
    /// Median; of an even number of answers the lower of the two in the middle.
    package var median: TimeSpan
    package var worst: TimeSpan

    package init(count: Int, median: TimeSpan, worst: TimeSpan) {
        self.count = count
        self.median = median
        self.worst = worst
    }

    /// nil if there is no answer.
    package init?(_ times: [TimeSpan]) {
        let sorted = times.sorted()
        guard let worst = sorted.last else { return nil }
        self.init(count: sorted.count, median: sorted[(sorted.count - 1) / 2], worst: worst)
    }
}
