import AppHost
import Backend
import Core
import Updater

extension World {
    /// Handles the next event.
    package mutating func step() -> WorldStepResult {
        if let reachedLimit { return .exhausted(reachedLimit) }
        guard let event = kernel.advance() else { return .idle }
        history.note(event.record(at: now))
        causality.begin(event.cause)
        dispatch(event)
        if !armed.isEmpty { performDue() }
        let device = Int(event.device)
        if devices.indices.contains(device) { settleDevice(device) }
        if let stopped = stoppedDevice {
            stoppedDevice = nil
            return .diskStopped(device: stopped, now)
        }
        return .happened(now)
    }

    /// The limit of the setup that has been reached.
    var reachedLimit: RunLimit? {
        if kernel.idleEvents > setup.limits.eventsWithoutProgress {
            return .noProgress(events: kernel.idleEvents)
        }
        if kernel.events >= setup.limits.events { return .tooManyEvents }
        if now.microseconds > setup.limits.virtualTime.microseconds { return .tooMuchTime }
        return nil
    }

    /// Handles all events up to and at an instant, and sets the clock to it. Returns early at a stopped disk
    /// and at a limit.
    @discardableResult
    package mutating func run(until end: Instant) -> WorldStepResult {
        while let next = nextEventTime, next <= end {
            let result = step()
            switch result {
            case .happened: continue
            case .diskStopped, .exhausted, .idle: return result
            }
        }
        kernel.wait(until: end)
        return .happened(now)
    }

    @discardableResult
    package mutating func run(for span: TimeSpan) -> WorldStepResult { run(until: now + span) }

    /// Runs until only idle timers are left, at most for `limit`; false if more was left to do.
    package mutating func settle(limit: TimeSpan) -> Bool {
        let end = now + limit
        while !isSettled {
            guard let next = nextEventTime, next <= end else {
                kernel.wait(until: end)
                return isSettled
            }
            switch step() {
            case .happened: continue
            case .diskStopped, .exhausted, .idle: return isSettled
            }
        }
        return true
    }

    /// Whether nothing is in progress (transfers, syncs, answers, starting pages) and only timers of the app
    /// wait.
    package var isSettled: Bool {
        // Not `for device in devices`, which would copy each device.
        for index in devices.indices {
            if !devices[index].network.link.isIdle { return false }
            if !devices[index].process.isSuspended, !devices[index].process.inbox.isFree { return false }
        }
        return !kernel.queue.contains { event in
            switch event.what {
            case .timer, .suspends, .resumes, .thaws, .scheduled, .faultEnds, .user: false
            case .input, .syncBatch, .wake, .leave, .link, .loopback, .toServer, .page, .raceTimesOut: true
            }
        }
    }

    private mutating func dispatch(_ event: WorldEvent) {
        let device = Int(event.device)
        touched.insert(device)
        if event.process != 0, devices[device].process.ordinal != Int(event.process) { return }
        if event.process != 0, event.what.isWorkOfProcess, devices[device].process.isFrozen {
            return devices[device].process.held.hold(event.what)
        }
        switch event.what {
        case .input(let input): arrive(input, device)
        case .timer(let name):
            _ = devices[device].process.timers.remove(name)
            arrive(.timer(name), device)
        case .syncBatch: completeSyncs(device)
        case .wake: wake(device)
        case .leave(let effects): carryOut(effects, device)
        case .link(let id, let stage): advanceTransfer(id, stage, device)
        case .loopback(let id): sendPiece(id, device)
        case .toServer(let id, let event): reachServer(id, event, device)
        case .page(let id, let event): deliverToWebView(id, event, device)
        case .user(let index): userTypes(index, device)
        case .suspends: suspend(device)
        case .resumes: resume(device)
        case .thaws: thaw(device)
        case .scheduled(let index): performScheduled(index)
        case .faultEnds(let id):
            touched.insertAll()
            heal(id)
        case .raceTimesOut(let index): giveUpRace(index)
        }
    }

    // MARK: - The app's process

    /// Schedules an event for a device's process.
    mutating func post(_ what: WorldEvent.What, _ device: Int, after: TimeSpan = .zero) {
        let process = devices[device].process.ordinal
        kernel.schedule(
            WorldEvent(device: Int32(device), process: Int32(process), cause: causality.last, what: what),
            at: now + after)
    }

    /// As ``post(_:_:after:)``, for events from outside the process: if ties are explored, the event's order
    /// among equal instants is random.
    mutating func postFromOutside(_ what: WorldEvent.What, _ device: Int, after: TimeSpan = .zero) {
        let process = devices[device].process.ordinal
        let event = WorldEvent(
            device: Int32(device), process: Int32(process), cause: causality.last, what: what)
        var tie: UInt64 = 0
        if case .keyed(let salt) = setup.ties {
            // One choice for a whole connection or transfer, so that its events keep their order.
            let record = event.record(at: .zero)
            tie = choices.fixed(.tie, salt, UInt64(record.code), record.detail & 0xffff_ffff) | 1
        }
        kernel.schedule(event, at: now + after, tie: tie)
    }

    /// An input reaches the process; it is handled at once if no other waits.
    mutating func arrive(_ input: AppInput, _ device: Int) {
        let process = devices[device].process.ordinal
        guard process != 0 else { return }
        if !races.isEmpty, isHeld(input, device, process) { return }
        deliver(input, device)
    }

    mutating func deliver(_ input: AppInput, _ device: Int) {
        guard devices[device].isRunning else { return }
        if !devices[device].process.hasBegun { return begin(input, device) }
        let isFree = devices[device].process.inbox.isFree && devices[device].process.inbox.busyUntil <= now
        devices[device].process.noteWait(input, isInInbox: !isFree)
        if isFree {
            run(input, device)
        } else {
            devices[device].process.inbox.add(input)
            setWake(device)
        }
    }

    /// The platform launches a process before it tells it anything else: what arrives at the same moment
    /// waits.
    private mutating func begin(_ input: AppInput, _ device: Int) {
        guard input == .launched else {
            devices[device].process.noteWait(input, isInInbox: true)
            return devices[device].process.inbox.add(input)
        }
        devices[device].process.hasBegun = true
        if devices[device].process.inbox.isPaused { return devices[device].process.inbox.addFirst([input]) }
        run(input, device)
        // An app that lives outside hears it in the same moment: it would be at work before the next event.
        while devices[device].isAppExternal, let next = devices[device].process.inbox.next() {
            run(next, device)
        }
        setWake(device)
    }

    /// Schedules the handling of the next input that waits.
    mutating func setWake(_ device: Int) {
        guard devices[device].process.inbox.wantsWake else { return }
        let busy = devices[device].process.inbox.busyUntil
        devices[device].process.inbox.wakeWasSet()
        post(.wake, device, after: max(busy - now, .zero))
    }

    private mutating func wake(_ device: Int) {
        devices[device].process.inbox.woke()
        guard !devices[device].process.inbox.isPaused else { return }
        if devices[device].process.inbox.busyUntil > now { return setWake(device) }
        guard let input = devices[device].process.inbox.next() else { return }
        run(input, device, wasInInbox: true)
        setWake(device)
    }

    /// Runs one bounded step of the app.
    mutating func run(_ input: AppInput, _ device: Int, wasInInbox: Bool = false) {
        if case .marker(let index) = input {
            if devices[device].isAppExternal { return queueForExternalApp(.marker(index), device) }
            performScheduled(index)
            return
        }
        guard let event = appEvent(input, device) else { return }
        history.noteInput(input, at: now, device)
        if devices[device].isAppExternal { return queueForExternalApp(.event(event), device) }
        let instant = now
        devices[device].disk.keepsStepCalls = !devices[device].process.waits.isEmpty
        let (effects, cost) = devices[device].handle(event, at: instant)
        for path in devices[device].disk.takeHiddenFiles() where path.volume == .data {
            record(.damaged(path.text), device)
        }
        noteUpdateWork(after: input, effects, wasInInbox: wasInInbox, device)
        if !devices[device].disk.stepCounts.isWithinBounds {
            record(.boundExceeded(devices[device].disk.stepCounts), device)
        }
        if devices[device].disk.isStopped {
            let calls = devices[device].disk.callsAfterStop
            if calls > 1_000 { record(.callsOnStoppedDisk(calls), device) }
            stoppedDevice = device
            return
        }
        if case .suspended = input { freeze(device) }
        if cost == .zero {
            carryOut(effects, device)
        } else {
            devices[device].process.inbox.setBusy(until: instant + cost)
            if !effects.isEmpty { post(.leave(effects), device, after: cost) }
        }
    }

    /// What the step did of the update's work while something was waited for (S9).
    private mutating func noteUpdateWork(
        after input: AppInput, _ effects: [AppHost.Effect], wasInInbox: Bool, _ device: Int
    ) {
        guard devices[device].disk.keepsStepCalls else { return }
        if input.lane == .urgent { devices[device].process.waits.handledUrgent() }
        if devices[device].process.syncs.hasUrgent {
            // The answer waits for a sync of its own: a step does not delay it, another sync could.
            for case .sync(_, let target, _) in effects
            where AnswerWaits.isOfUpdate(.sync, devices[device].disk.path(of: target)) {
                devices[device].process.waits.submittedSync()
            }
        } else if devices[device].disk.stepCalls.contains(where: { AnswerWaits.isOfUpdate($0.call, $0.path) })
        {
            devices[device].process.waits.stepped(devices[device].disk.stepCounts)
        }
        if let delay = devices[device].process.waits.handled(input, wasInInbox: wasInInbox) {
            noteDelay(delay, device)
        }
        // The remote root is to answer it. A step later than that of the request may say so.
        for case .upstream(let upstream, .open) in effects {
            guard let id = devices[device].process.app.connection(of: upstream) else { continue }
            _ = devices[device].process.waits.answered(id)
        }
    }

    mutating func noteDelay(_ delay: AnswerDelay, _ device: Int) {
        if !delay.isNone { record(.answerDelayed(delay), device) }
    }

    mutating func appEvent(_ input: AppInput, _ device: Int) -> AppHost.Event? {
        switch input {
        case .launched: launchEvent(device)
        case .again(let lane): .again(lane)
        case .synced(let ticket, let error): .synced(ticket, error)
        case .timer(let name): .timer(name)
        case .transfer(let id, let event): .transfer(id, event)
        case .signaturesVerified(let id, let answer): .signaturesVerified(id, answer)
        case .listener(let event): .listener(event)
        case .connection(let id, let event): .connection(id, event)
        case .upstream(let id, let event): .upstream(id, event)
        case .webView(let id, let event): .webView(id, event)
        case .foreground: .foreground
        case .background: .background
        case .active: .active
        case .inactive: .inactive
        case .suspended: .suspended
        case .resumed: .resumed
        case .frozen(let span): .frozen(span)
        case .push: .push
        case .check: .check
        case .network(let state): .network(state)
        case .user(let intent): .user(intent)
        case .settings: .settings(devices[device].settings)
        case .openLink(let link): .openLink(link)
        case .callPage(let id, let method, let params): .callPage(id, .first, method: method, params: params)
        case .nativeAnswer(let call, let answer): .nativeMethodReturned(call, answer)
        case .marker: nil
        }
    }

    /// Updates a device's white time after every event that may have changed it.
    mutating func settleDevice(_ device: Int) {
        let instant = now
        switch devices[device].updateWhiteTime(at: instant) {
        case .began?: record(.whiteBegan, device)
        case .ended(let span)?: record(.whiteEnded(span), device)
        case nil: break
        }
    }
}
