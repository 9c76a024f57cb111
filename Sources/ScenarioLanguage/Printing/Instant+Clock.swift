import Core

extension Instant {
    /// Time since the scenario began: `0:02:41.002`. Formatted without Foundation, because the output must
    /// not depend on a locale.
    package var clock: String {
        func padded(_ number: Int64, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(width - text.utf8.count, 0)) + text
        }
        let milliseconds = microseconds / 1_000
        let seconds = milliseconds / 1_000
        return "\(seconds / 3_600):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))."
            + padded(milliseconds % 1_000, 3)
    }
}
