import Core

/// The origin's time in this process: read from the `Date` of a valid manifest response, and extrapolated
/// forward and back by the monotonic clock.
///
/// `record.originTime` is only the newest time ever read. At a process start it is as old as the last check,
/// and on disk it can be even older, because a check that changes nothing else writes nothing. An entry dated
/// with it would be too old by that much, and its days would be over at once (R3, R5). So an entry is dated
/// by this clock. Until the process knows the time, entries stay undated; the next response dates them, back
/// to the instant at which they were made if the process still runs (``Updater/dateUndatedEntries()``).
/// Otherwise the days count from that response: possibly too long, never too short.
///
/// One response with a wrong `Date` years ahead would stop all days, and expire every signed manifest. What
/// shows that it was wrong is ``Updater/isOriginTimeRefuted(by:)``.
struct OriginClock: Hashable, Sendable {
    private var date: OriginTime
    private var at: Instant
    /// Newest time known before the first response of this process: nothing in this process happened earlier.
    private var earliest: OriginTime?

    init(_ date: OriginTime, at now: Instant, earliest: OriginTime?) {
        self.date = date
        self.earliest = earliest
        at = now
    }

    func time(at instant: Instant) -> OriginTime {
        let time = date + (instant - at)
        return max(time, earliest ?? time)
    }
}

/// An entry of the record that this process made before it knew the time.
struct UndatedEntry: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        case parked(VersionKey)
        case blacklisted(VersionKey)
        /// An outcome, by its id.
        case outcome(String)
    }

    var subject: Subject
    var at: Instant
}

extension Updater {
    /// The origin's time now; nil until a valid response in this process has stated it.
    var originNow: OriginTime? { dates.time(at: now) }

    /// The date for an entry that is made now; nil until the time is known, and then the entry is dated
    /// later.
    mutating func date(of subject: UndatedEntry.Subject) -> OriginTime? {
        dates.date(of: subject, at: now)
    }

    /// Takes the date of a valid manifest response. A cache or an edge may send an older date than another
    /// one did; time does not go back, but for one that is refuted.
    /// - Returns: whether the time known before was refuted, and is set back.
    mutating func updateOriginClock(_ date: OriginTime?) -> Bool {
        guard let date else { return false }
        if isOriginTimeRefuted(by: date) {
            setOriginClockBack(to: date)
            return true
        }
        let known = record.originTime
        let newest = max(date, known ?? date)
        record.originTime = newest
        dates.update(newest, at: now, earliest: known)
        return false
    }

    /// Whether the newest time ever read is wrong: a response of today and the device's own clock, which
    /// agree within a day, are both more than a day before it. An edge with a wrong clock has stated it once,
    /// and every later manifest would be expired (U16), and no entry would end (R3, R5), until that time
    /// comes.
    ///
    /// The device's clock must agree, because a mirror that keeps an old answer states an old date, too.
    func isOriginTimeRefuted(by date: OriginTime) -> Bool {
        guard let known = originNow ?? record.originTime, known - date > Updater.clockTolerance,
            let own = launch?.wallClock?.time(at: now)
        else { return false }
        return known - own > Updater.clockTolerance && own - date <= Updater.clockTolerance
            && date - own <= Updater.clockTolerance
    }

    static let clockTolerance = TimeSpan.hours(24)

    /// What was dated later than this counts from now: its days are possibly too long, never too short.
    private mutating func setOriginClockBack(to date: OriginTime) {
        dates.setBack(to: date, at: now)
        record.originTime = date
        record.currentSince = record.currentSince.map { min($0, date) }
        changeDates { _, known in known.map { min($0, date) } }
    }

    /// Dates the entries that this process made before it knew the time.
    mutating func dateUndatedEntries() {
        guard let clock = dates.clock else { return }
        let entries = dates.takeUndated()
        let now = now
        changeDates { subject, known in
            known ?? clock.time(at: entries.first { $0.subject == subject }?.at ?? now)
        }
    }

    /// Changes the date of each entry of the record that has one, or waits for one.
    /// - Parameter change: what becomes of a date; its subject is nil for a switch, which is never noted as
    ///   undated.
    private mutating func changeDates(_ change: (UndatedEntry.Subject?, OriginTime?) -> OriginTime?) {
        if let parked = record.parked { record.parked?.since = change(.parked(parked.key), parked.since) }
        for (index, entry) in record.blacklist.enumerated() {
            record.blacklist[index].since = change(.blacklisted(entry.key), entry.since)
        }
        for (index, outcome) in record.outcomes.enumerated() {
            record.outcomes[index].time = change(.outcome(outcome.id), outcome.time)
        }
        for (index, entry) in record.switches.enumerated() {
            record.switches[index].at = change(nil, entry.at)
        }
    }
}
