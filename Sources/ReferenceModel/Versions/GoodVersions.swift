import Core

/// Versions that have confirmed on this native build, for the recovery chain (R7, R9).
///
/// *Last known good* is the good version that was taken last; the one before it is the good one before it,
/// and once last known good is proven, the newest other proven one.
struct GoodVersions: Hashable, Sendable {
    private struct Confirmed: Hashable, Sendable {
        var version: Version
        /// Number of processes that confirmed it.
        var processes: Int
        /// Number of processes more that may have confirmed it, and ended before they reported that.
        var unseen = 0
        /// The last of these.
        var process: Int
        /// Longest time in front that a start took until it was confirmed, in whole seconds.
        var longestStart = TimeSpan.zero
    }

    /// In the order of their first confirmation after another version was last known good.
    private var all: [Confirmed] = []
    private(set) var last: Version?
    private(set) var before: Version?
    /// A version that is last known good now if it has confirmed unseen.
    private var undetermined: Version?
    /// Whether the last one was confirmed after a recall that the app may not have known: if it did not, the
    /// recalled version is the one before.
    private var mayFollowRecalled = false

    static let proven = 5

    func isProven(_ version: Version) -> Bool {
        (all.first { $0.version == version }?.processes ?? 0) >= GoodVersions.proven
    }

    func mayBeProven(_ version: Version) -> Bool {
        all.contains { $0.version == version && $0.processes + $0.unseen >= GoodVersions.proven }
    }

    /// Whether the version before last known good depends on confirmations or recalls that were not reported.
    var isBeforeUncertain: Bool {
        mayFollowRecalled || all.contains { mayBeProven($0.version) && !isProven($0.version) }
    }

    func isGood(_ version: Version) -> Bool { all.contains { $0.version == version } }

    /// - Returns: longest time in front that a start of the version took until it was confirmed.
    func longestStart(of version: Version) -> TimeSpan {
        all.first { $0.version == version }?.longestStart ?? .zero
    }

    /// - Parameters:
    ///   - span: time in front that the start took.
    ///   - recall: whether the app knows that a version is recalled: the one before counts instead (U13).
    mutating func confirm(
        _ version: Version, in process: Int, after span: TimeSpan, recall: (Version) -> Recall
    ) {
        let index = index(of: version)
        all[index].longestStart = max(
            all[index].longestStart, .seconds(span.microseconds / 1_000_000))
        if all[index].process != process { all[index].processes += 1 }
        all[index].process = process
        takeLast(version, recall: recall)
    }

    private mutating func takeLast(_ version: Version, recall: (Version) -> Recall) {
        undetermined = nil
        if let last, last != version {
            let recall = recall(last)
            if recall == .none { before = last }
            mayFollowRecalled = recall == .perhapsKnown
        }
        last = version
        let proven = all.last { $0.version != version && $0.processes >= GoodVersions.proven }
        if isProven(version), let proven {
            before = proven.version
            mayFollowRecalled = false
        }
    }

    private mutating func index(of version: Version) -> Int {
        if let index = all.firstIndex(where: { $0.version == version }) { return index }
        all.append(Confirmed(version: version, processes: 0, process: 0))
        return all.count - 1
    }

    // MARK: Confirmations that were not reported

    /// A process has ended that may have confirmed the version.
    mutating func mayConfirm(_ version: Version) {
        all[index(of: version)].unseen += 1
        if last != version { undetermined = version }
    }

    /// The last process that may have confirmed the version has, or has not.
    mutating func settle(_ version: Version, isConfirmed: Bool) {
        guard let index = all.firstIndex(where: { $0.version == version && $0.unseen > 0 }) else { return }
        all[index].unseen -= 1
        if isConfirmed { all[index].processes += 1 }
    }

    /// A process has reported which version is last known good.
    mutating func reported(lastKnownGood version: Version?, recall: (Version) -> Recall) {
        guard let undetermined else { return }
        self.undetermined = nil
        if undetermined == version { takeLast(undetermined, recall: recall) }
    }

    /// A version is fetched that had left the device: it has to prove itself anew (R7). One that keeps its
    /// place is repaired.
    mutating func fetched(_ id: String, isEmbedded: Bool) {
        if isEmbedded { return }
        for index in all.indices
        where all[index].version.id == id && all[index].version != last && all[index].version != before {
            all[index].processes = 0
            all[index].unseen = 0
        }
    }

    mutating func remove(_ version: Version) {
        all.removeAll { $0.version == version }
        if before == version { before = nil }
        if last == version {
            last = before
            before = nil
        }
    }

    /// Which processes confirmed it last is left out: the next one is another.
    func hash(into hasher: inout Hasher) {
        for entry in all {
            hasher.combine(entry.version)
            hasher.combine(entry.processes)
            hasher.combine(entry.unseen)
        }
        hasher.combine(last)
        hasher.combine(before)
        hasher.combine(undetermined)
        hasher.combine(mayFollowRecalled)
    }
}
