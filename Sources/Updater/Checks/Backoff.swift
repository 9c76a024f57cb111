import Core

/// How often one thing, a check or a file, is tried again by itself (U5): after 1, 2, 4 … 60 s ± 25 %; after
/// eight tries without a new byte it sleeps until the network changes, the app comes to the front, a push
/// comes, or 15 min have passed, which buys one try more.
///
/// A new byte is one that was not here before: content that was thrown away and came again is none, or an
/// origin with wrong bytes would be asked for them without end.
struct Backoff: Hashable, Sendable {
    private(set) var tries = 0
    /// Not before this by itself; nil: at any time.
    private(set) var until: Instant?

    static let mostTries = 8
    static let sleep = TimeSpan.minutes(15)
    /// The longest that an origin can have itself waited for.
    static let longestWish = TimeSpan.hours(24)
    /// How often what is left of it is noted.
    static let noted = TimeSpan.seconds(10)

    var isAsleep: Bool { tries >= Backoff.mostTries }

    func isDue(at now: Instant) -> Bool { until.map { $0 <= now } ?? true }

    /// - Parameter jitter: any number; its remainder chooses the place between − 25 % and + 25 %.
    mutating func failed(at now: Instant, jitter: UInt64) {
        tries += 1
        until = now + (isAsleep ? Backoff.sleep : Backoff.wait(after: tries, jitter: jitter))
    }

    /// Something new came: the next failure is the first again.
    mutating func gotSomething() { tries = 0 }

    /// It came to a good end, or the world has changed: it may be tried as if it never had been.
    mutating func reset() {
        tries = 0
        until = nil
    }

    /// Somebody asks for it: one try now, out of turn.
    mutating func wake() { until = nil }

    private static func wait(after tries: Int, jitter: UInt64) -> TimeSpan {
        let base: Int64 = min(60_000, 1_000 << Int64(min(tries - 1, 6)))
        let part = Int64(jitter % 501) - 250
        return .milliseconds(base + base * part / 1_000)
    }
}

/// Everything that the updater waits for before it asks an origin again by itself. One timer, set to what is
/// due first.
extension Updater {
    /// A try of a check has failed.
    mutating func checkTryFailed() {
        checkPace.failed(at: now, jitter: choose("backoff", UInt64(checkPace.tries)))
        if checkPace.tries == Backoff.mostTries { log(.retriesExhausted, nil, "check") }
    }

    /// A try of a file has failed.
    mutating func rowTryFailed(_ number: Int) {
        guard var pace = download?.paces[number] else { return }
        pace.failed(at: now, jitter: choose("backoff \(number)", UInt64(pace.tries)))
        download?.paces[number] = pace
        if pace.tries == Backoff.mostTries {
            log(.retriesExhausted, download?.table.key, "route=\(download?.table.rows[number].route ?? "")")
        }
    }

    /// The origin wants to be left alone (RFC 9110 §10.2.3); of several wishes the longest counts.
    mutating func originWishes(_ wait: TimeSpan?) {
        guard let wait, wait > .zero else { return }
        let until = now + min(wait, Backoff.longestWish)
        originWait = max(originWait ?? until, until)
        noteOriginWait()
    }

    /// U5 holds over process deaths too. No clock does (N3), so what is left is noted, without a sync, when
    /// the wish comes, every ten seconds while something waits for it, and when the app leaves the front;
    /// time without a process does not count.
    mutating func noteOriginWait() {
        guard let until = originWait else { return }
        if now >= until { originWait = nil }
        startsNote.originWait = now < until ? until - now : nil
        urgent.append(.note)
    }

    /// What an earlier process was told goes on.
    mutating func takeUpOriginWait() {
        guard let left = startsNote.originWait else { return }
        originWait = now + left
    }

    /// Another origin has asked for nothing.
    mutating func forgetOriginWait() {
        originWait = nil
        guard startsNote.originWait != nil else { return }
        startsNote.originWait = nil
        urgent.append(.note)
    }

    /// The origin has asked to be left alone, and that time is not over.
    var isOriginWaiting: Bool { originWait.map { now < $0 } ?? false }

    /// The network changed, the app came to the front, a push came: everything may be tried at once, but for
    /// what the origin itself has asked.
    mutating func resetPaces() {
        checkPace.reset()
        diskPace.reset()
        guard let count = download?.paces.count else { return }
        for number in 0..<count { download?.paces[number].reset() }
    }

    /// The page, the app or its user asks: one try of all that sleeps.
    mutating func wakePaces() {
        checkPace.wake()
        diskPace.wake()
        guard let count = download?.paces.count else { return }
        for number in 0..<count { download?.paces[number].wake() }
    }

    /// A check is wanted by the updater itself: the last one failed, or files contradict their manifest.
    var isCheckWanted: Bool { isCheckOwed || download?.needsManifest == true }

    /// Sets the timer to what is due next, if anything waits.
    mutating func scheduleRetry() {
        let due = nextRetry
        guard due != retryAt else { return }
        retryAt = due
        if let due {
            effects.append(.setTimer(.retry, after: max(due - now, .zero)))
        } else {
            effects.append(.cancelTimer(.retry))
        }
    }

    private var nextRetry: Instant? {
        var due: Instant?
        if check == nil, isCheckWanted {
            due = max(checkPace.until ?? now, diskPace.until ?? now)
            if !isCheckOwed, let first = firstFailedRow { due = max(checkPace.until ?? first, first) }
        } else if let plan = download, plan.isPlanned, !plan.needsManifest, !plan.isHeld {
            due = plan.isWhole ? nextEnd(plan) : nextFailedRow(plan)
        }
        guard let due else { return nil }
        guard let until = originWait, until > now else { return due }
        return max(due, min(until, now + Backoff.noted))
    }

    /// All files are here: the end of the download could not be written, or the manifest not be asked again.
    private func nextEnd(_ plan: Download) -> Instant? {
        guard !plan.isCompleting else { return nil }
        guard plan.hasUnhashedRows, !plan.isConfirmed else { return plan.pace.until }
        guard check == nil else { return nil }
        return max(plan.pace.until ?? now, checkPace.until ?? now)
    }

    /// When a file that failed is to be thought of again. One that is due and has not begun waits for a place
    /// among the transfers: whoever gives one back begins it, a timer would only fire again and again.
    private func nextFailedRow(_ plan: Download) -> Instant? {
        if isOriginWaiting { return firstFailedRow }
        var next: Instant?
        for (state, pace) in zip(plan.rows, plan.paces) where state == .needed {
            guard let until = pace.until, until > now else { continue }
            next = min(next ?? until, until)
        }
        return next
    }

    /// When the first of the files that failed is due again.
    private var firstFailedRow: Instant? {
        guard let plan = download else { return nil }
        var first: Instant?
        for (state, pace) in zip(plan.rows, plan.paces) where state == .needed {
            guard let until = pace.until else { continue }
            first = min(first ?? until, until)
        }
        return first
    }

    /// The time has come, or somebody asked.
    mutating func retryTime() {
        retryAt = nil
        guard phase == .running, settings.updates != .never else { return }
        // A failed check is the page's to repeat; the update it asked for goes on (U14).
        if settings.updates == .page, download == nil { return }
        if originWait != nil { noteOriginWait() }
        guard !isOriginWaiting else { return scheduleRetry() }
        if check == nil, isCheckWanted, isRetryDue {
            ask(.own, .offer)
        } else {
            fetchMore()
        }
    }

    private var isRetryDue: Bool {
        guard checkPace.isDue(at: now), diskPace.isDue(at: now) else { return false }
        return isCheckOwed || (firstFailedRow.map { $0 <= now } ?? true)
    }
}
