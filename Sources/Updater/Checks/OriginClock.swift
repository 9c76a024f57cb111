import Core

/// The origin's time in this process: read from the `Date` of a good manifest answer, carried forward and
/// back by the monotonic clock.
///
/// `record.originTime` is only the newest time ever read. At a process start it is as old as the last check,
/// and on disk it can be older still, because a check that changes nothing else writes nothing. An entry
/// dated with it would be too old by as much, and its days over at once (R3, R5). So an entry gets the time
/// of this clock. Before the process knows a time it gets none; the next answer dates it, back to its
/// instant where the process still lives (``Updater/dateUndated()``). Where it does not, the days are
/// counted from that answer: too long perhaps, never too short.
struct OriginClock: Hashable, Sendable {
    private var date: OriginTime
    private var at: Instant
    /// Known before the first answer of this process: nothing in it happened earlier.
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

/// Something that this process entered before it knew the time.
struct Undated: Hashable, Sendable {
    enum Entry: Hashable, Sendable {
        case parked(VersionKey)
        case blacklisted(VersionKey)
        /// By its id.
        case outcome(String)
    }

    var entry: Entry
    var at: Instant
}

extension Updater {
    /// Nil until a good answer in this process has stated the time.
    var originNow: OriginTime? { originClock?.time(at: now) }

    /// The date of an entry that is made now.
    mutating func date(of entry: Undated.Entry) -> OriginTime? {
        undated.removeAll { $0.entry == entry }
        if let originNow { return originNow }
        undated.append(Undated(entry: entry, at: now))
        return nil
    }

    /// A good manifest answer. A cache or an edge may send an older date than another one did: time does not
    /// go back.
    mutating func learn(_ date: OriginTime?) {
        guard let date else { return }
        let known = record.originTime
        let newest = max(date, known ?? date)
        record.originTime = newest
        guard originNow.map({ $0 < newest }) ?? true else { return }
        originClock = OriginClock(newest, at: now, earliest: known)
    }

    /// Dates what happened before this process knew the time.
    mutating func dateUndated() {
        guard let clock = originClock else { return }
        let entries = undated
        let now = now
        undated = []
        func time(_ entry: Undated.Entry) -> OriginTime {
            clock.time(at: entries.first { $0.entry == entry }?.at ?? now)
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
