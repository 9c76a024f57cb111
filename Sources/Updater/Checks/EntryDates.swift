import Core

/// The origin's time in this process, and the entries of the record that wait for it.
///
/// **Invariants**
/// - The time never goes back, unless it is set back because it was wrong.
/// - An entry is undated only if it was made before the time was known; each subject has at most one.
struct EntryDates: Sendable {
    private(set) var clock: OriginClock?
    /// Entries of this process that are dated by the first response.
    private var undated: [UndatedEntry] = []

    /// The origin's time; nil until a valid response in this process has stated it.
    func time(at now: Instant) -> OriginTime? { clock?.time(at: now) }

    /// Takes the newest time that is known.
    /// - Parameter earliest: the newest time known before the response.
    mutating func update(_ newest: OriginTime, at now: Instant, earliest: OriginTime?) {
        guard time(at: now).map({ $0 < newest }) ?? true else { return }
        clock = OriginClock(newest, at: now, earliest: earliest)
    }

    /// The time known before was wrong.
    mutating func setBack(to date: OriginTime, at now: Instant) {
        clock = OriginClock(date, at: now, earliest: nil)
    }

    /// The date of an entry that is made now; nil until the time is known.
    mutating func date(of subject: UndatedEntry.Subject, at now: Instant) -> OriginTime? {
        forget(subject)
        if let time = time(at: now) { return time }
        undated.append(UndatedEntry(subject: subject, at: now))
        return nil
    }

    mutating func forget(_ subject: UndatedEntry.Subject) { undated.removeAll { $0.subject == subject } }

    mutating func takeUndated() -> [UndatedEntry] { undated.takeAll() }
}
