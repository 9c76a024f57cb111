import Core
import Testing

@testable import Updater

@Suite("What checks leave: attempts, delays, dates and reported failures")
struct CheckStateTests {
    private static func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }
    private static func time(_ seconds: Int64) -> OriginTime { OriginTime(seconds: seconds) }

    private func run(status: Int) -> CheckRun {
        var run = CheckRun(
            id: TransferID(1), request: OriginRequest(kind: .manifest, url: "u"), reason: .app,
            purpose: .offer, sentAt: .zero, lastProgress: .zero)
        run.status = status
        return run
    }

    @Test("U4: a success ends what failures left; only a response that could not be used bypasses caches")
    func checks() {
        var checks = Checks()
        #expect(!checks.isOutstanding && !checks.bypassesCache && checks.lastSent == nil)
        #expect(!checks.hasRequestedAtLaunch && !checks.hasAccepted && checks.lastGoodResponse == nil)
        for status in [0, 200, 503, 404] {
            let first = checks.countAttempt(at: Self.at(3))
            let second = checks.countAttempt(at: Self.at(4))
            #expect(first == 1 && second == 2 && checks.lastSent == Self.at(4))
            checks.run = run(status: status)
            checks.failed()
            #expect(checks.run == nil && checks.isOutstanding)
            #expect(checks.bypassesCache == (status == 200), "\(status)")
            let third = checks.countAttempt(at: Self.at(5))
            #expect(third == 3)
            checks.run = run(status: 200)
            checks.succeeded(at: Self.at(6))
            #expect(checks.run == nil && !checks.isOutstanding && !checks.bypassesCache)
            #expect(checks.lastGoodResponse == Self.at(6))
        }
        checks.require()
        checks.requestAtLaunch()
        #expect(checks.isOutstanding && checks.hasRequestedAtLaunch)
    }

    @Test("N3: time in which the process did not run is no silence of a check")
    func discount() {
        var check = run(status: 0)
        check.discount(.seconds(7))
        #expect(check.lastProgress == Self.at(7) && check.sentAt == .zero)
    }

    // MARK: Delays

    @Test("U5: of two delays the longer counts, with its own date; it is over at its end and not before")
    func longest() {
        var retries = RetrySchedule()
        #expect(!retries.isDelayed(at: .zero))
        retries.delay(until: Self.at(10), date: Self.time(100))
        retries.delay(until: Self.at(10), date: Self.time(200))
        retries.delay(until: Self.at(9), date: Self.time(300))
        #expect(retries.originDelayEnd == Self.at(10) && retries.originDelayDate == Self.time(100))
        retries.delay(until: Self.at(11), date: nil)
        #expect(retries.originDelayEnd == Self.at(11) && retries.originDelayDate == nil)
        #expect(retries.isDelayed(at: Self.at(10)) && !retries.isDelayed(at: Self.at(11)))
        #expect(retries.remainingDelay(at: Self.at(10)) == .seconds(1))
        #expect(retries.remainingDelay(at: Self.at(11)) == nil && retries.originDelayEnd == nil)
    }

    @Test("U5: a delay that is over is forgotten with its date")
    func forgotten() {
        var retries = RetrySchedule()
        for ends in [false, true] {
            retries.delay(until: Self.at(10), date: Self.time(100))
            if ends { retries.endDelay() } else { _ = retries.remainingDelay(at: Self.at(10)) }
            #expect(retries.originDelayEnd == nil && retries.originDelayDate == nil)
            #expect(retries.remainingDelay(at: .zero) == nil)
        }
    }

    @Test("U5: the origin's time shortens a delay, never extends it, and ends it at its date")
    func shortened() {
        for (now, end, isOver) in [
            (Self.time(60), 10, false), (Self.time(95), 6, false), (Self.time(99), 2, false),
            (Self.time(100), 1, true), (Self.time(101), 1, true),
        ] {
            var retries = RetrySchedule()
            retries.delay(until: Self.at(10), date: Self.time(100))
            let ended = retries.shortenDelay(at: now, Self.at(1))
            #expect(ended == isOver && retries.originDelayEnd == Self.at(Int64(end)), "\(now)")
        }
        var undated = RetrySchedule()
        undated.delay(until: Self.at(10), date: nil)
        let ended = undated.shortenDelay(at: Self.time(500), .zero)
        #expect(!ended && undated.originDelayEnd == Self.at(10))
        var none = RetrySchedule()
        let nothing = none.shortenDelay(at: Self.time(500), .zero)
        #expect(!nothing)
    }

    @Test("U5: the timer is set for another time only, and again once it has fired")
    func timer() {
        var retries = RetrySchedule()
        var isSet = [nil, Self.at(1), Self.at(1), Self.at(2)].map { retries.setTimer($0) }
        #expect(isSet == [false, true, false, true])
        retries.timerFired()
        isSet = [Self.at(2), Self.at(2), nil, nil].map { retries.setTimer($0) }
        #expect(isSet == [true, false, true, false])
    }

    @Test("U5: a change of circumstances forgets all failures, a request allows one attempt of each kind")
    func wakes() {
        var retries = RetrySchedule()
        for _ in 0..<8 {
            retries.check.failed(at: .zero, jitter: 0)
            retries.disk.failed(at: .zero, jitter: 0)
        }
        retries.allowAttempt()
        for backoff in [retries.check, retries.disk] {
            #expect(backoff.isDue(at: .zero) && backoff.isPaused && !backoff.isClear)
        }
        retries.reset()
        #expect(retries.check.isClear && retries.disk.isClear)
    }

    @Test("U5: the delay before each attempt, at both ends of its deviation")
    func backoff() {
        func delays(_ jitter: UInt64) -> [Int64] {
            var backoff = Backoff()
            return (0..<8).map { _ in
                backoff.failed(at: .zero, jitter: jitter)
                return (backoff.notBefore ?? .zero).microseconds / 1_000
            }
        }
        let base: [Int64] = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]
        #expect(delays(250) == base + [900_000])
        #expect(delays(0) == base.map { $0 * 3 / 4 } + [900_000])
        #expect(delays(500) == base.map { $0 * 5 / 4 } + [900_000])
        #expect(delays(501) == delays(0) && delays(502) == delays(1) && delays(1_002) == delays(0))
    }

    @Test("U5: an attempt is due from its time on; the eighth failure pauses")
    func due() {
        var backoff = Backoff()
        #expect(backoff.isDue(at: .zero) && backoff.isClear && backoff.attempts == 0)
        backoff.failed(at: .zero, jitter: 250)
        let due = Self.at(1)
        #expect(!backoff.isDue(at: due - .microseconds(1)) && backoff.isDue(at: due) && !backoff.isClear)
        for attempt in 2...8 {
            #expect(!backoff.isPaused, "\(attempt)")
            backoff.failed(at: .zero, jitter: 250)
        }
        #expect(backoff.isPaused)
        backoff.receivedNewBytes()
        #expect(!backoff.isPaused && backoff.notBefore == Self.at(900) && !backoff.isClear)
        backoff.allowAttempt()
        #expect(backoff.isClear)
    }

    @Test("U12: one more attempt of a limit is allowed at once, however many have failed")
    func oneMore() {
        for (limit, left) in [(5, 4), (8, 7), (9, 8), (1, 0), (0, 0)] {
            var backoff = Backoff()
            for _ in 0..<8 { backoff.failed(at: .zero, jitter: 0) }
            backoff.allowOneMore(of: limit)
            #expect(backoff.attempts == left && backoff.notBefore == nil, "\(limit)")
        }
    }

    // MARK: The delay over process deaths

    @Test("U5: of a noted delay the time since then is over in the same boot, and none in another")
    func remaining() {
        let delay = OriginDelay(remaining: .seconds(10), boot: 7, at: Self.at(100), end: nil)
        for (boot, now, left) in [
            (7, 100, 10), (7, 103, 7), (7, 110, 0), (7, 111, 0), (7, 99, 10), (8, 103, 10), (nil, 103, 10),
        ] as [(UInt32?, Int64, Int64)] {
            #expect(delay.remaining(boot: boot, at: Self.at(now)) == .seconds(left), "\(now)")
        }
        let unknown = OriginDelay(remaining: .seconds(10), boot: nil, at: Self.at(100), end: nil)
        #expect(unknown.remaining(boot: 7, at: Self.at(105)) == .seconds(10))
        #expect(unknown.remaining(boot: nil, at: Self.at(105)) == .seconds(10))
    }

    @Test("U5: a delay is noted in milliseconds, rounded up; what is read is a day at most")
    func text() {
        func text(_ span: TimeSpan) -> String {
            OriginDelay(remaining: span, boot: nil, at: .zero, end: nil).text
        }
        #expect(text(.zero) == "0" && text(.microseconds(1)) == "1" && text(.milliseconds(1)) == "1")
        #expect(text(.microseconds(1_001)) == "2")
        let noted = OriginDelay(remaining: .seconds(1), boot: 9, at: Self.at(2), end: Self.time(3))
        #expect(noted.text == "1000,9,2000000,3")
        #expect(
            OriginDelay(remaining: .seconds(1), boot: nil, at: .zero, end: Self.time(3)).text == "1000,-,-,3")
        for (text, left) in [
            ("86399999", 86_399_999), ("86400000", 86_400_000), ("86400001", 86_400_000), ("1,-,-,-", 1),
        ] as [(Substring, Int64)] {
            #expect(OriginDelay(text: text)?.remaining == .milliseconds(left), "\(text)")
        }
        let most = (1 as Int64) << 60
        #expect(OriginDelay(text: "1,2,\(most),\(most)")?.end == Self.time(most))
        #expect(OriginDelay(text: "1,2,\(most + 1),3") == nil)
        #expect(OriginDelay(text: "1,2,3,\(most + 1)") == nil)
    }

    // MARK: The origin's time

    @Test("The origin's time never goes back, and an equal one changes nothing")
    func clock() {
        var dates = EntryDates()
        #expect(dates.time(at: .zero) == nil)
        dates.update(Self.time(100), at: .zero, earliest: nil)
        dates.update(Self.time(110), at: Self.at(10), earliest: Self.time(105))
        #expect(dates.clock?.time(at: .zero) == Self.time(100))
        dates.update(Self.time(50), at: Self.at(10), earliest: nil)
        #expect(dates.time(at: Self.at(10)) == Self.time(110))
        dates.update(Self.time(200), at: Self.at(10), earliest: Self.time(150))
        #expect(dates.time(at: Self.at(13)) == Self.time(203))
        #expect(dates.clock?.time(at: .zero) == Self.time(190))
        #expect(dates.clock?.time(at: .zero - .seconds(90)) == Self.time(150))
    }

    @Test("R3, R5: an entry waits for the time once, under its subject, until it is dated or forgotten")
    func undated() {
        let key = VersionKey(id: "v", digest: SHA256.hash(of: [1]))
        let subjects: [UndatedEntry.Subject] = [
            .parked(key), .blacklisted(key), .outcome("a"), .outcome("b"),
        ]
        var dates = EntryDates()
        for second in 1...2 as ClosedRange<Int64> {
            for subject in subjects {
                let date = dates.date(of: subject, at: Self.at(second))
                #expect(date == nil)
            }
        }
        dates.forget(.outcome("a"))
        let waiting = dates.takeUndated()
        #expect(waiting.map(\.subject) == [.parked(key), .blacklisted(key), .outcome("b")])
        #expect(waiting.allSatisfy { $0.at == Self.at(2) } && dates.takeUndated().isEmpty)
        dates.update(Self.time(100), at: Self.at(5), earliest: nil)
        let date = dates.date(of: .parked(key), at: Self.at(8))
        #expect(date == Self.time(103) && dates.takeUndated().isEmpty)
    }

    // MARK: Notices

    @Test("T2: one failure of each check, and each cause once until a success")
    func reported() {
        var failures = ReportedFailures()
        var results = [LogCause.noSpace, .checkFailed].map { failures.report($0) }
        #expect(results == [true, false])
        failures.checkBegins()
        results = [LogCause.noSpace, .checkFailed, .diskFailed].map { failures.report($0) }
        #expect(results == [false, true, false])
        failures.succeeded()
        results = [LogCause.noSpace, .checkFailed].map { failures.report($0) }
        #expect(results == [true, false])
    }
}

@Suite("What the platform reported about the process")
struct ProcessEnvironmentTests {
    @Test("A process in background is not active, until it comes to the front")
    func active() {
        var background = ProcessEnvironment(inForeground: false, .metered, at: .zero + .seconds(5))
        #expect(!background.inForeground && !background.isActive && background.network == .metered)
        background.setActive(true)
        #expect(!background.isActive)
        let absence = background.enterForeground(at: .zero + .seconds(8))
        #expect(absence == .seconds(3) && background.inForeground && background.isActive)
        background.setActive(false)
        #expect(!background.isActive && background.inForeground)
        let again = background.enterForeground(at: .zero + .seconds(9))
        #expect(again == .zero && background.isActive)
        background.enterBackground(at: .zero + .seconds(9))
        #expect(!background.isActive && !background.inForeground)
        for environment in [ProcessEnvironment(), ProcessEnvironment(inForeground: true, .online, at: .zero)]
        {
            #expect(environment.inForeground && environment.isActive && environment.network == .online)
            #expect(!environment.isSuspended)
        }
    }

    @Test("N3: a suspension begins with its first notice and ends once")
    func suspension() {
        var environment = ProcessEnvironment()
        environment.suspend(at: .zero + .seconds(2))
        environment.suspend(at: .zero + .seconds(4))
        #expect(environment.isSuspended)
        let span = environment.resume(at: .zero + .seconds(7))
        #expect(span == .seconds(5) && !environment.isSuspended)
        let again = environment.resume(at: .zero + .seconds(9))
        #expect(again == nil)
    }
}
