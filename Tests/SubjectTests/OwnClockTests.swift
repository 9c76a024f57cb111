import Core
import Testing

@testable import Subject

@Suite("The clock of a subject whose time passes by command")
struct OwnClockTests {
    /// A clock whose subject has just said that it rests.
    private func resting(next: TimeSpan?, open: Int? = 0) -> OwnClock {
        var clock = OwnClock(at: .zero)
        _ = clock.shouldAsk(at: .zero)
        clock.asked(at: .zero)
        var answer = SubjectAnswer(to: 1, isOK: true)
        (answer.next, answer.open) = (next, open)
        clock.answered(answer)
        return clock
    }

    @Test("It is settled when nothing is due soon, and not while something is tried again by itself")
    func settled() {
        #expect(resting(next: nil).isSettled)
        #expect(resting(next: .hours(1)).isSettled)
        #expect(!resting(next: .seconds(30)).isSettled && resting(next: .seconds(30)).isResting)
        var busy = resting(next: nil)
        busy.somethingHappened()
        #expect(!busy.isSettled)
    }

    @Test("What only one side knows of is held back after a while, but not while the subject works")
    func heldBack() {
        let clock = resting(next: nil, open: 1)
        let late = Instant.zero + OwnClock.longestTransit + .milliseconds(1)
        func agrees(at wall: Instant, isIdle: Bool) -> Bool {
            clock.agrees(withOpen: 0, isPageWaiting: false, at: wall, isIdle: { isIdle })
        }
        #expect(!agrees(at: .zero, isIdle: true))
        #expect(!agrees(at: late, isIdle: false))
        #expect(agrees(at: late, isIdle: true))
        #expect(clock.agrees(withOpen: 1, isPageWaiting: false, at: .zero, isIdle: { false }))
    }
}
