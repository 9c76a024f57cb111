import Backend
import Core
import DeviceShell
import Foundation
import World

/// How the scenario's time passes.
extension SubjectBackend {
    package func advance(to end: Instant) -> StepOutcome {
        while true {
            if let failure { return .exhausted(.other(failure)) }
            if let outcome = ownClock == nil ? advanceInRealTime(to: end) : advanceByItsClock(to: end) {
                return outcome
            }
        }
    }

    // MARK: Real time

    /// The scenario's time that should have been reached by now.
    private var scenarioTime: Instant {
        let passed = (startsSince ?? clock.now) - startedAt - startingTime
        return .zero + TimeSpan(microseconds: passed.microseconds &* options.speed)
    }

    /// The process has started, or ended before that: the scenario's time goes on.
    func startEnded() {
        guard let since = startsSince else { return }
        startingTime = startingTime + (clock.now - since)
        startsSince = nil
    }

    /// One thing that is due, or a wait for the next one.
    private func advanceInRealTime(to end: Instant) -> StepOutcome? {
        let reached = min(scenarioTime, end)
        if let next = world.nextEventTime, next <= reached {
            let outcome = world.advance(to: reached)
            deliverWorldOutput()
            if outcome != .reachedEnd { return outcome }
        }
        _ = world.run(until: max(world.now, reached))
        deliverWorldOutput()
        if takeInputs() { return .event }
        if hasComeToRest() { return .event }
        if reached >= end { return .reachedEnd }
        let time = min(world.nextEventTime ?? end, end)
        wait(max(time - scenarioTime, .zero).microseconds / options.speed + 1)
        return nil
    }

    /// Whether rest is waited for, and was reached since the last call: nothing arrives then, and who waits
    /// for it is told.
    private func hasComeToRest() -> Bool {
        guard isRestWanted else { return false }
        let isSettled = isSettled
        defer { wasSettled = isSettled }
        return isSettled && !wasSettled
    }

    // MARK: The subject's own clock

    private func advanceByItsClock(to end: Instant) -> StepOutcome? {
        if takeInputs() { return .event }
        // Without a process there is nobody whose time could be another.
        if process == nil { return happen(in: end) ?? .reachedEnd }
        if suspendedAt != nil { return advanceWhileSuspended(to: end) }
        if isListening, ownClock?.shouldAsk(at: clock.now) == true {
            ownClock?.asked(at: clock.now)
            let line = session.send(.rest, at: world.now, wall: clock.now)
            process?.write(line)
        }
        guard let own = ownClock, own.isResting,
            own.agrees(
                withOpen: adapter.openCount, isPageWaiting: world.isPageWaiting(), at: clock.now,
                isIdle: { isIdle() })
        else {
            wait(1_000)
            return nil
        }
        if let next = world.nextEventTime, next <= world.now { return happen(in: world.now) }
        if hasComeToRest() { return .event }
        if world.now >= end { return .reachedEnd }
        let target = min(world.nextEventTime ?? end, own.wakes(after: world.now) ?? end, end)
        let milliseconds = ownClock?.move(to: target) ?? 0
        if milliseconds > 0 { send(.advance(milliseconds: milliseconds)) }
        return happen(in: target)
    }

    /// Whether all threads of the subject sleep, and have done nothing since the last call.
    func isIdle() -> Bool {
        let before = activity
        activity = process?.activity()
        return activity?.isAsleep ?? true && activity == before
    }

    /// A suspended subject is not asked. When it goes on, its clock is behind, as that of a process is: what
    /// became due meanwhile is due at once.
    private func advanceWhileSuspended(to end: Instant) -> StepOutcome? {
        if let next = world.nextEventTime, next <= world.now { return happen(in: world.now) }
        if world.now >= end { return .reachedEnd }
        return happen(in: min(world.nextEventTime ?? end, end))
    }

    /// Lets the world do what is due until then.
    private func happen(in time: Instant) -> StepOutcome? {
        let outcome = world.advance(to: time)
        deliverWorldOutput()
        return outcome == .reachedEnd ? nil : outcome
    }

    /// Waits until something arrives, for this many microseconds at most, and never more than 50 ms: a
    /// process can end, and its time to answer pass, without a byte.
    private func wait(_ microseconds: Int64) {
        let limit = min(microseconds, 50_000)
        var polled = [port.poller.descriptor, pages.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        if let pageServer {
            polled.append(pollfd(fd: pageServer.descriptor, events: Int16(POLLIN), revents: 0))
        }
        if let process { polled.append(pollfd(fd: process.output, events: Int16(POLLIN), revents: 0)) }
        if poll(&polled, nfds_t(polled.count), 0) > 0 { return }
        if limit < 1_000 {
            usleep(UInt32(limit))
        } else {
            poll(&polled, nfds_t(polled.count), Int32(limit / 1_000))
        }
    }
}
