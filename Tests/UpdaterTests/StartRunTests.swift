import Core
import Testing

@testable import Updater

@Suite("Values of a process: its start, its pages, its screens, and what it does no more than so often")
struct StartRunTests {
    private static let key = VersionKey(id: "v2", digest: SHA256.hash(of: [2]))
    private static let other = VersionKey(id: "v3", digest: SHA256.hash(of: [3]))

    private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

    private func run() -> StartRun {
        StartRun(
            key: Self.key, token: PageLoadToken(1), at: at(3), isProven: false, isSecondChance: true,
            clock: .seconds(20))
    }

    // MARK: Countdowns

    @Test("A countdown runs only while it is running, discounts what did not run, and ends at zero")
    func countdown() {
        var timer = CountdownTimer(remaining: .seconds(10))
        #expect(!timer.isRunning && timer.remaining(at: at(99)) == .seconds(10))
        timer.discount(.seconds(5))
        #expect(timer.remaining(at: at(99)) == .seconds(10), "it does not run")
        timer.run(true, at: at(1))
        #expect(timer.isRunning && timer.remaining(at: at(4)) == .seconds(7))
        timer.run(true, at: at(2))
        #expect(timer.remaining(at: at(4)) == .seconds(7), "it runs already")
        timer.discount(.seconds(2))
        #expect(timer.remaining(at: at(4)) == .seconds(9))
        timer.run(false, at: at(5))
        #expect(!timer.isRunning && timer.remaining(at: at(50)) == .seconds(8))
        timer.run(false, at: at(9))
        #expect(timer.remaining(at: at(50)) == .seconds(8))
        timer.run(true, at: at(50))
        #expect(!timer.isExpired(at: at(57)) && timer.isExpired(at: at(58)))
        #expect(timer.remaining(at: at(70)) == .zero)
    }

    @Test("A start begins open, unserved and untouched; more than two minutes in front are measured as two")
    func start() {
        var run = run()
        #expect(run.key == Self.key && run.loads == [PageLoadToken(1)] && run.startedAt == at(3))
        #expect(!run.isProven && run.isSecondChance && run.isOpen)
        #expect(!run.isServed && !run.isSending && !run.hasContent && !run.isTouched)
        #expect(!run.hasReportedFailure && !run.hasReadError)
        #expect(run.webProcessDeathsInFront == 0 && run.pageErrors == 0)
        #expect(run.clock.remaining(at: .zero) == .seconds(20))
        #expect(run.sendingAllowance.remaining(at: .zero) == .seconds(60))
        #expect(run.timeInFront(at: at(500)) == .zero)
        run.frontTimer.run(true, at: at(3))
        #expect(run.timeInFront(at: at(10)) == .seconds(7))
        #expect(run.timeInFront(at: at(122)) == .seconds(119))
        #expect(run.timeInFront(at: at(500)) == .minutes(2))
        for isConfirmed in [false, true] {
            for hasEnded in [false, true] {
                run.isConfirmed = isConfirmed
                run.hasEnded = hasEnded
                #expect(run.isOpen == (!isConfirmed && !hasEnded))
            }
        }
    }

    @Test("N3: time in which the process did not run counts for none of a start's clocks")
    func discounted() {
        var run = run()
        run.clock.run(true, at: .zero)
        run.sendingAllowance.run(true, at: .zero)
        run.frontTimer.run(true, at: .zero)
        run.discount(.seconds(4))
        #expect(run.clock.remaining(at: at(5)) == .seconds(19))
        #expect(run.sendingAllowance.remaining(at: at(5)) == .seconds(59))
        #expect(run.timeInFront(at: at(5)) == .seconds(1))
    }

    // MARK: Starts of a process

    @Test("A version confirms once for a process, and a rescue waits until it is ended")
    func processStarts() {
        var starts = ProcessStarts()
        let first = [Self.key, Self.key, Self.other, Self.key].map { starts.countConfirmation(of: $0) }
        #expect(first == [true, false, true, false])
        starts.leave(Self.key)
        #expect(starts.awaitsRescuer(Self.key) && !starts.awaitsRescuer(Self.other))
        starts.rescuerConfirmed()
        #expect(!starts.awaitsRescuer(Self.key))
        #expect(!starts.isRescuePostponed)
        starts.postponeRescue()
        #expect(starts.isRescuePostponed)
        let ends = [starts.endPostponement(), starts.endPostponement()]
        #expect(ends == [true, false] && !starts.isRescuePostponed)
        starts.beginWithoutClock(Self.key, PageLoadToken(4), at: at(9))
        #expect(starts.run?.isProven == true && starts.run?.isSecondChance == false)
        #expect(starts.run?.clock.isExpired(at: .zero) == true && starts.run?.startedAt == at(9))
    }

    @Test("The file of starts is changed until it is written, and only its note on the record may go alone")
    func startsFile() {
        var starts = ProcessStarts()
        var read = StartsFile()
        read.countStart(Self.key)
        starts.fileRead(read)
        #expect(!starts.isFileChanged && starts.file == read && starts.written == read)
        starts.file.countStart(Self.other)
        #expect(starts.isFileChanged)
        starts.file.isRecordUnsynced = true
        read.isRecordUnsynced = true
        #expect(starts.fileOfUnsyncedRecord == read)
        starts.fileWritten(starts.file)
        #expect(!starts.isFileChanged)
    }

    @Test("A version that recovery has left is started again only by its user")
    func selection() {
        var selection = StartSelection()
        #expect(selection.choice == nil && selection.userChoice == nil && !selection.isWithoutContent)
        selection.abandon(Self.key)
        selection.abandon(Self.other)
        selection.choice = StartChoice(key: Self.other, activatesPending: true)
        selection.isWithoutContent = true
        selection.userStarts(Self.key)
        #expect(selection.userChoice == Self.key && selection.choice == nil && !selection.isWithoutContent)
        #expect(!selection.hasAbandoned(Self.key) && selection.hasAbandoned(Self.other))
        selection.endUserChoice()
        #expect(selection.userChoice == nil)
        let isNew = [Self.key, Self.key, Self.other].map { selection.logLowSchema(of: $0) }
        #expect(isNew == [true, false, true])
    }

    // MARK: Pages

    @Test("R11: pages are loaded again three times in ten minutes, and once for a death in background")
    func webProcesses() {
        var processes = WebProcesses()
        let times: [Int64] = [0, 1, 2, 600, 601, 602, 603]
        let isLoaded = times.map { processes.countReload(at: at($0)) }
        #expect(isLoaded == [true, true, true, false, true, true, true])
        let none = processes.takeDead()
        #expect(none == DeadPages())
        processes.diedInBackground(otherWebView: PageLoadToken(5))
        processes.diedInBackground(otherWebView: nil)
        processes.diedInBackground(otherWebView: PageLoadToken(6))
        var copy = processes
        let dead = processes.takeDead()
        #expect(dead.first && dead.otherWebViews == [PageLoadToken(5), PageLoadToken(6)])
        let noneLeft = processes.takeDead()
        #expect(noneLeft == DeadPages())
        copy.firstPageLoads()
        let rest = copy.takeDead()
        #expect(!rest.first && rest.otherWebViews.count == 2)
    }

    @Test("A page load is a request until it is answered, then an open page until it is closed")
    func pageLoads() {
        var pages = PageLoads()
        let (first, second) = (PageLoadToken(1), PageLoadToken(2))
        pages.add(PageLoadRequest(token: first, moment: .processStart))
        pages.add(PageLoadRequest(token: second, moment: .otherWebView))
        #expect(pages.undecided.map(\.token) == [first, second])
        pages.choose(Self.key, for: PageLoadToken(9))
        pages.choose(Self.key, for: second)
        #expect(pages.undecided.map(\.token) == [first])
        for (token, isOther) in [(first, false), (second, true)] {
            let request = pages.takeRequest(token)
            #expect(request?.token == token && request?.isOtherWebView == isOther)
            let again = pages.takeRequest(token)
            #expect(again == nil)
            if let request { pages.answer(request, with: Self.key) }
            #expect(pages.page(token)?.key == Self.key && pages.page(token)?.isOtherWebView == isOther)
            #expect(pages.page(token)?.isWatchedAfterLoad == false)
        }
        #expect(pages.undecided.isEmpty && pages.isShown(Self.key) && !pages.isShown(Self.other))
        pages.watch(PageLoadToken(9), true)
        pages.watch(second, true)
        #expect(pages.open.map(\.isWatchedAfterLoad) == [false, true])
        pages.watch(second, false)
        #expect(pages.open.map(\.isWatchedAfterLoad) == [false, false])
        let closed = [PageLoadToken(9), first, second, second].map { pages.close($0) }
        #expect(closed == [nil, nil, Self.key, nil], "the version is left with its last page")
        #expect(pages.open.isEmpty)
    }

    @Test("R13: the cover clock is that of the last page; content, its end and a new page end it")
    func coverClock() {
        var cover = CoverClock()
        let token = PageLoadToken(1)
        #expect(!cover.isRecoveryShown)
        let none = cover.update(isCounting: true, at: .zero)
        #expect(!none)
        cover.begin(token, limit: .seconds(20))
        let isRunning = cover.update(isCounting: true, at: .zero)
        #expect(isRunning)
        cover.discount(.seconds(5))
        let early = cover.takeExpired(at: at(24))
        #expect(early == nil && cover.run?.token == token)
        cover.end(PageLoadToken(2))
        #expect(cover.run != nil)
        let expired = [cover.takeExpired(at: at(25)), cover.takeExpired(at: at(25))]
        #expect(expired == [token, nil])
        cover.begin(token, limit: .seconds(20))
        cover.end(token)
        #expect(cover.run == nil)
        let screens: [(screen: Updater.Screen, isRecovery: Bool, isAfterContent: Bool)] = [
            (.recovery, true, true), (.recoveryUntilContent, true, false), (.none, false, false),
            (.loading(nil), false, false), (.offline, false, false), (.noSpace, false, false),
        ]
        for (screen, isRecovery, isAfterContent) in screens {
            cover.shows(screen)
            #expect(cover.isRecoveryShown == isRecovery, "\(screen)")
            cover.contentShown()
            #expect(cover.isRecoveryShown == isAfterContent, "\(screen)")
        }
    }

    // MARK: Switches

    @Test("U6: a page holds off switches for a day from its first request, however often it repeats it")
    func holdOff() {
        var switching = AutomaticSwitches()
        #expect(!switching.isHeldOff(at: .zero) && !switching.hasSwitched && !switching.isPushed)
        #expect(switching.launchWait == nil && !switching.hasWaitedForFix)
        let isFirst = [switching.holdOff(at: .zero), switching.holdOff(at: .zero + .hours(20))]
        #expect(isFirst == [true, false])
        #expect(switching.isHeldOff(at: .zero + .hours(24) - .seconds(1)))
        #expect(!switching.isHeldOff(at: .zero + .hours(24)))
        switching.endHoldOff()
        #expect(!switching.isHeldOff(at: .zero + .seconds(1)))
        let again = switching.holdOff(at: at(9))
        #expect(again)
        switching.isPushed = true
        switching.switched()
        #expect(switching.hasSwitched && !switching.isPushed)
    }

    @Test("U6, R13: a launch waits ten seconds without progress, and half a minute or a minute in all")
    func launchWait() {
        let limits: [(purpose: LaunchWait.Purpose, most: Int64)] = [(.forced, 30), (.fix, 60)]
        for (purpose, most) in limits {
            var wait = LaunchWait(purpose: purpose, key: Self.key, since: .zero, lastProgress: .zero)
            #expect(wait.remaining(at: .zero) == .seconds(10))
            #expect(wait.remaining(at: at(9)) == .seconds(1) && wait.remaining(at: at(10)) == .zero)
            wait.lastProgress = at(most - 3)
            #expect(wait.remaining(at: at(most - 1)) == .seconds(1))
            #expect(wait.remaining(at: at(most)) == .zero && wait.remaining(at: at(most + 9)) == .zero)
            wait.discount(.seconds(5))
            #expect(wait.since == at(5) && wait.lastProgress == at(most + 2))
        }
    }
}
