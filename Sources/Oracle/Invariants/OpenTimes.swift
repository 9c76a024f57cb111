import Core

/// Things that have begun and must end by themselves, each within a limit of running time (``RunningTime``).
/// All of them end with their process.
struct OpenTimes<ID: Hashable & Sendable>: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var id: ID
        var limit: TimeSpan
        var time = TimeSpan.zero
    }

    private var entries: [Entry] = []
    private var clock = RunningTime()

    mutating func begin(_ id: ID, limit: TimeSpan) { entries.append(Entry(id: id, limit: limit)) }

    /// Ends the oldest one with this id.
    /// - Returns: whether there was one.
    mutating func end(_ id: ID) -> Bool {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
        entries.remove(at: index)
        return true
    }

    mutating func endAll() { entries = [] }

    /// Counts the time since the last call. After one that is overdue, all are forgotten.
    /// - Returns: the oldest one that is overdue, and its limit.
    mutating func overdue(_ observed: ObservedState) -> (id: ID, limit: TimeSpan)? {
        let span = clock.advance(observed)
        guard span > .zero, !entries.isEmpty else { return nil }
        for index in entries.indices { entries[index].time += span }
        guard let late = entries.first(where: { $0.time > $0.limit + observed.timerDelay }) else {
            return nil
        }
        entries = []
        return (late.id, late.limit)
    }
}
