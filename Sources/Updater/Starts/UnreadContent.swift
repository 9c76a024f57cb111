import Core

/// Content that could not be read at the last launches, each time with an error that may be gone at the next
/// try (R10). It counts as damaged at its end, because a version that can never be read would stay chosen and
/// left out for ever: after three launches over a day of origin time, or after ten.
struct UnreadContent: Hashable, Sendable {
    var digest: Digest256
    private(set) var launches = 0
    /// Origin time at the first of these launches at which one was known.
    private(set) var since: OriginTime?

    static let launchesOverADay = 3
    static let mostLaunches = 10

    init(digest: Digest256) { self.digest = digest }

    /// - Parameters:
    ///   - time: newest origin time known.
    ///   - isFirst: whether this is its first read error of the launch, which counts once.
    /// - Returns: whether the content counts as damaged now.
    mutating func countLaunch(at time: OriginTime?, isFirst: Bool) -> Bool {
        if isFirst || launches == 0 { launches += 1 }
        if since == nil { since = time }
        if launches >= UnreadContent.mostLaunches { return true }
        guard launches >= UnreadContent.launchesOverADay, let since, let time else { return false }
        return time - since >= .hours(24)
    }

    /// `<launches>`, or `<launches>@<seconds since 1970>`.
    var text: String { since.map { "\(launches)@\($0.seconds)" } ?? "\(launches)" }

    /// Nil for a text that no updater writes.
    init?(digest: Digest256, text: Substring) {
        let sides = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard sides.count <= 2,
            let launches = UntrustedInteger(digits: sides[0])?.bounded(
                by: 1...(UnreadContent.mostLaunches - 1))
        else { return nil }
        self.digest = digest
        self.launches = launches
        guard sides.count == 2 else { return }
        // About 35,000 years.
        guard let seconds = UntrustedInteger(digits: sides[1])?.bounded(by: 0...((1 as Int64) << 40)) else {
            return nil
        }
        since = OriginTime(seconds: seconds)
    }
}
