/// Versions that have confirmed on this native build, for the recovery chain (R7, R9).
///
/// *Last known good* is the good version that was taken last; the one before it is the good one before it,
/// and once last known good is proven, the newest other proven one.
struct GoodVersions: Hashable, Sendable {
    private struct Confirmed: Hashable, Sendable {
        var version: Version
        /// Number of processes that confirmed it.
        var processes: Int
        /// The last of these.
        var process: Int
    }

    /// In the order of their first confirmation after another version was last known good.
    private var all: [Confirmed] = []
    private(set) var last: Version?
    private(set) var before: Version?

    static let proven = 5

    func isProven(_ version: Version) -> Bool {
        (all.first { $0.version == version }?.processes ?? 0) >= GoodVersions.proven
    }

    func isGood(_ version: Version) -> Bool { all.contains { $0.version == version } }

    /// - Parameter isRecalled: whether a version is recalled: the one before it takes its place (U13).
    mutating func confirm(_ version: Version, in process: Int, isRecalled: (Version) -> Bool) {
        if let index = all.firstIndex(where: { $0.version == version }) {
            if all[index].process != process { all[index].processes += 1 }
            all[index].process = process
        } else {
            all.append(Confirmed(version: version, processes: 1, process: process))
        }
        if let last, last != version, !isRecalled(last) { before = last }
        last = version
        let proven = all.last { $0.version != version && $0.processes >= GoodVersions.proven }
        if isProven(version), let proven { before = proven.version }
    }

    mutating func remove(_ version: Version) {
        all.removeAll { $0.version == version }
        if before == version { before = nil }
        if last == version {
            last = before
            before = nil
        }
    }
}
