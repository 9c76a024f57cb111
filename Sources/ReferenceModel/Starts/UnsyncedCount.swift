/// A count that the app keeps in a file without a sync (R2), as a range: what it may be in the next process.
///
/// A kill may come before the last change is written. A power cut may take back any number of changes, so
/// that the file is as it was at any time before, or gone.
struct UnsyncedCount: Hashable, Sendable {
    private(set) var least = 0
    private(set) var most = 0
    /// The most that it has been before it began anew: a power cut may bring that back.
    private var mostBefore = 0

    /// - Parameter isCertain: whether the change is known to have happened and to be in the file.
    mutating func add(isCertain: Bool) {
        most += 1
        if isCertain { least += 1 }
    }

    /// It may have begun anew.
    mutating func mayEnd() { least = 0 }

    mutating func end() {
        mostBefore = max(mostBefore, most)
        least = 0
        most = 0
    }

    /// The file may be an earlier one.
    mutating func mayBeEarlier() {
        least = 0
        most = max(most, mostBefore)
    }
}
