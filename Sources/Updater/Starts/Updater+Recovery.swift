import Core

/// Rescue, what the user sees next, and blame, what is recorded about a version (R3, R4, R5, R9).
extension Updater {
    /// Enters the end of a start into the record; the caller commits it before the rescuing index is served.
    mutating func end(_ open: OpenStart, _ outcome: StartOutcome) {
        let key = open.key
        record.openStart = nil
        var marks = record.marks(key)
        switch outcome {
        case .failed(let cause, let evidence):
            log(cause, key, evidence)
            marks.failures += 1
            marks.uncounted = 0
            record.setMarks(marks)
            if marks.failures >= 2 { blacklist(key, cause, evidence) } else { waitForSecondChance(key) }
        case .unclear(let cause, let why):
            log(cause, key, why)
            unclear(open, &marks)
        case .uncounted(let why):
            log(.startUncounted, key, why)
            marks.uncounted += 1
            if marks.uncounted >= 8 {
                log(.startUnclear, key, "the eighth in a row that ended in background")
                unclear(open, &marks)
            } else {
                record.setMarks(marks)
                stayPending(key)
            }
        }
    }

    private mutating func unclear(_ open: OpenStart, _ marks: inout StartMarks) {
        marks.unclear += 1
        marks.uncounted = 0
        marks.wasReachable = marks.wasReachable || open.isReachable || startsNote.wasReachable(open.token)
        record.setMarks(marks)
        if open.isSecondChance || marks.unclear >= 3 { park(open.key) } else { stayPending(open.key) }
    }

    /// A good manifest answer in the last minute (the rulebook's word).
    var isReachable: Bool { lastGoodAnswer.map { now - $0 <= .minutes(1) } ?? false }

    /// It starts again at the next process start; a newer pending version takes its place.
    private mutating func stayPending(_ key: VersionKey) {
        leaveCurrent(key)
        guard record.pending == nil || record.pending == key, !record.isRecalled(key) else { return }
        record.pending = key
        // It failed once before: still only a process start takes it up.
        record.wait = record.marks(key).failures > 0 ? SecondChanceWait(rescuerConfirmed: true) : nil
    }

    private mutating func waitForSecondChance(_ key: VersionKey) {
        leaveCurrent(key)
        guard record.pending == nil || record.pending == key, !record.isRecalled(key) else { return }
        record.pending = key
        record.wait = SecondChanceWait()
    }

    private mutating func leaveCurrent(_ key: VersionKey) {
        guard record.current == key else { return }
        if let next = chain(without: [key]) { record.current = next }
    }

    private mutating func park(_ key: VersionKey) {
        guard chain(without: [key]) != nil else { return stayPending(key) }
        var marks = record.marks(key)
        marks.parkings += 1
        marks.unclear = 0
        record.setMarks(marks)
        if marks.parkings >= 3, marks.wasReachable {
            return blacklist(key, .parked, "parked three times")
        }
        log(.parked, key, "parking \(marks.parkings)")
        leaveCurrent(key)
        dropPending(key)
        record.parked = ParkedVersion(key: key, since: date(of: .parked(key)))
    }

    /// R5: never the embedded version, never a proven one, never the only one that could be shown.
    private mutating func blacklist(_ key: VersionKey, _ cause: LogCause, _ evidence: String) {
        guard !record.isProven(key), chain(without: [key]) != nil else {
            log(.blacklistSpared, key, "nothing else can be shown, or it is proven")
            return stayPending(key)
        }
        let former = record.blacklist.first { record.isOfHere($0) && $0.key == key }
        record.enter(
            BlacklistEntry(
                key: key, native: record.native, line: record.line, cause: cause,
                evidence: String(decoding: evidence.utf8.prefix(400), as: UTF8.self),
                count: (former?.count ?? 0) + 1,
                since: date(of: .blacklisted(key))))
        // The entry remembers; when it ends the version begins anew, with its count.
        record.setMarks(StartMarks(key: key))
        log(.blacklistEntry, key, "cause=\(cause.rawValue) \(evidence)")
        leaveCurrent(key)
        dropPending(key)
        if record.parked?.key == key { record.parked = nil }
        if record.lastKnownGood == key { record.lastKnownGood = chain(without: [key]) }
        if record.goodBefore == key { record.goodBefore = nil }
        forget(key)
    }

    /// Origin time has gone on: entries end after their days (R5).
    mutating func endOldEntries() {
        guard let time = originNow else { return }
        for place in record.blacklist.indices where !record.blacklist[place].hasEnded {
            let entry = record.blacklist[place]
            guard let since = entry.since, let days = entry.days, time - since >= .days(days) else {
                continue
            }
            record.blacklist[place].hasEnded = true
            log(.blacklistEnded, entry.key, "days=\(days) entry=\(entry.count)")
        }
    }

    mutating func dropPending(_ key: VersionKey) {
        guard record.pending == key else { return }
        record.pending = nil
        record.wait = nil
    }

    // MARK: The chain (R9)

    /// The next version that can be shown by itself.
    func chain(without excluded: [VersionKey]) -> VersionKey? {
        for candidate in [record.lastKnownGood, record.goodBefore, record.embedded] {
            guard let candidate, !excluded.contains(candidate), !leftHere.contains(candidate),
                canStart(candidate), mayRead(candidate)
            else { continue }
            return candidate
        }
        return nil
    }

    /// Complete, undamaged, and nothing speaks against starting it.
    func canStart(_ key: VersionKey) -> Bool {
        version(key) != nil && !isDamaged(key) && !record.isBlacklisted(key) && !record.isRecalled(key)
            && record.parked?.key != key
    }

    /// R3: the only version that could be shown is not parked or blacklisted; the user makes each further
    /// start.
    func needsUser(_ key: VersionKey) -> Bool {
        let marks = record.marks(key)
        return (marks.failures > 0 || marks.unclear >= 3) && chain(without: [key]) == nil
    }

    /// What ran last, behind R9's screen: whatever is complete.
    func canBeShownByUser() -> VersionKey? {
        if let key = record.current ?? record.pending ?? record.lastKnownGood, version(key) != nil,
            !isDamaged(key)
        {
            return key
        }
        return versions.last { !isDamaged($0.key) }?.key
    }

    /// The end of the failed start is on disk, or can't be: the user gets the next version of the chain.
    mutating func loadRescue() {
        tellSchema()
        guard let key = record.current, canStart(key), !leftHere.contains(key) else {
            log(.nothingToRescueTo)
            effects.append(.screen(.recovery))
            return
        }
        log(.rescued, key)
        tellCurrent()
        reload(.rescue)
    }
}
