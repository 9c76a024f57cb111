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
        func corrected(_ time: OriginTime?) -> OriginTime? { time.map { min($0, date) } }
        dates.setBack(to: date, at: now)
        record.originTime = date
        record.currentSince = corrected(record.currentSince)
        if let parked = record.parked { record.parked?.since = corrected(parked.since) }
        for index in record.blacklist.indices {
            record.blacklist[index].since = corrected(record.blacklist[index].since)
        }
        for index in record.outcomes.indices {
            record.outcomes[index].time = corrected(record.outcomes[index].time)
        }
        for index in record.switches.indices {
            record.switches[index].at = corrected(record.switches[index].at)
        }
    }

    /// Dates the entries that this process made before it knew the time.
    mutating func dateUndatedEntries() {
        guard let clock = dates.clock else { return }
        let entries = dates.takeUndated()
        let now = now
        func time(_ subject: UndatedEntry.Subject) -> OriginTime {
            clock.time(at: entries.first { $0.subject == subject }?.at ?? now)
        }
        if let parked = record.parked, parked.since == nil {
            record.parked?.since = time(.parked(parked.key))
        }
        for index in record.blacklist.indices where record.blacklist[index].since == nil {
            record.blacklist[index].since = time(.blacklisted(record.blacklist[index].key))
        }
        for index in record.outcomes.indices where record.outcomes[index].time == nil {
            record.outcomes[index].time = time(.outcome(record.outcomes[index].id))
        }
        for index in record.switches.indices where record.switches[index].at == nil {
            record.switches[index].at = clock.time(at: now)
        }
    }
}
