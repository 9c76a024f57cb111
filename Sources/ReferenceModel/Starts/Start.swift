import Core

/// One start (R3): it begins with the first page load of a version in a process, goes on over its later page
/// loads, and ends once.
struct Start: Hashable, Sendable {
    /// How a start ended.
    enum End: Hashable, Sendable {
        case confirmed, failed, unclear, uncounted
        /// Unclear, and ended in front.
        case inFront
    }

    /// What R2's note may say, and since when.
    struct Note: Hashable, Sendable {
        enum Presence: Hashable, Sendable { case front, away, unseen }

        var presences: [Presence]
        var at: Instant
    }

    /// Whether the first web view shows another version or none, and no view shows a page of the start.
    enum Cover: Hashable, Sendable {
        case none
        /// No view has ever shown one, so that the app need not know whether one is still to come; or the
        /// first shows a document that may be the app's own.
        case perhaps
        case otherVersion
    }

    var version: Version
    var process: Int
    var begunAt: Instant
    /// Page loads that belong to it.
    var loads: [PageLoadToken]
    /// Whether it is the version's second chance.
    var isSecondChance: Bool
    /// The startup timeout when it began: a later setting counts from the next start on.
    var startupTimeout: TimeSpan
    var servedAt: Instant?
    /// Time in front since its index was served.
    var inFront = TimeSpan.zero
    var notes: [Note] = []
    /// Whether a web view has shown a page of it.
    var wasShown = false
    var confirmedAt: Instant?
    var failureReportedAt: Instant?
    /// Deaths of its web process in front.
    var webProcessDeaths = 0
    var isTouched: Bool { touchedAt != nil }
    var touchedAt: Instant?
    /// Whether a good manifest answer came in it, or in the minute before.
    var isReachable = false
    /// Whether a page load of another version has begun since.
    var isAbandoned = false
    /// Whether a web view has asked for a document since: a record without this start may be durable before
    /// the page load of another version begins.
    var mayBeAbandoned = false
    /// Whether its clock was found to run on.
    var isOverdue = false
    /// As the app has reported it.
    var end: End?
    var endedAt: Instant?
    /// What the version's starts had added up to before it ended.
    var historyBefore: StartHistory?

    /// Whether its time counts: its index is served, and it has not ended.
    func isCounting(in process: Int) -> Bool {
        self.process == process && servedAt != nil && end == nil
    }

    /// R2: the note is written once the index is served, and at each change.
    mutating func note(_ presence: DeviceLife.Presence, _ life: DeviceLife, _ cover: Cover) {
        let behind: Note.Presence = inFront >= .seconds(5) ? .away : .unseen
        let uncovered: Note.Presence =
            switch presence {
            case .front: .front
            case .away: life.isForeground ? .away : behind
            }
        let presences: [Note.Presence] =
            switch cover {
            case .none: [uncovered]
            case .perhaps: uncovered == behind ? [behind] : [uncovered, behind]
            case .otherVersion: [behind]
            }
        notes.append(Note(presences: presences, at: life.now))
        if notes.count > 4 { notes.removeFirst() }
    }

    /// What the note can say when the process ended at an instant: it is written in a step of its own, so
    /// changes just before may not have reached it. Nil stands for no note.
    func presences(at end: DeviceLife.ProcessEnd) -> [Note.Presence?] {
        var possible: [Note.Presence?] = []
        for note in notes.reversed() {
            possible += note.presences
            if end.ran(since: note.at) > Start.timeToNote, !end.hasLostWrites { return possible }
        }
        return possible + [nil]
    }

    /// Whether what the app notes when a start confirms or ends may not have been written.
    func wasChanged(justBefore end: DeviceLife.ProcessEnd) -> Bool {
        [confirmedAt, endedAt].contains { $0.map { end.ran(since: $0) <= Start.timeToNote } ?? false }
    }

    /// Whether the app may have recorded its confirmation without having reported it.
    /// - Parameter byServer: whether a page confirms without a call, 5 s after it is loaded (R6).
    func mayBeConfirmed(at end: Instant, byServer: Bool) -> Bool {
        confirmedAt != nil || byServer && end - begunAt >= .seconds(5)
    }

    /// Longest time from a change to its note.
    static let timeToNote = TimeSpan.milliseconds(500)
}
