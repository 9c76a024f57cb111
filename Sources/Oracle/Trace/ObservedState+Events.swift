import AppHost
import Backend
import Core
import LocalServer
import Updater

extension ObservedState {
    /// Takes in one event. Checkers receive the event after this.
    package mutating func observe(_ event: TraceEvent) {
        count(to: event.at)
        if event.lane != .lab { lastActivity = event.at }
        switch event.kind {
        case .note, .actionDidNothing, .raced, .raceGivenUp, .deployed, .deployedFor, .routed,
            .faultBegan, .faultApplied, .faultHealed, .networkChanged, .outcomes, .pushed, .checkRequested,
            .boundExceeded, .answerDelayed, .callsOnStoppedDisk, .report, .listening,
            .navigation, .pageRequested, .pageReceived, .contentShown, .messageDelivered, .whiteBegan,
            .whiteEnded, .userDid:
            break
        case .recalled(let ids): recalled = ids
        case .unblocked(let ids): unblocked += ids.map { UnblockOrder(id: $0, at: event.at) }
        case .damaged: isMediumDamaged = true
        case .settingsChanged: break
        case .requestSent, .answerHead, .transferEnded, .transferFailed, .transferCancelled:
            observeTransfer(event)
        case .installed, .launched, .processEnded, .foregrounded, .backgrounded, .suspended, .resumed,
            .powerCut:
            observeDevice(event)
        case .status(let reported):
            previousStatus = status
            status = reported
        case .log(let entry): observeLog(entry, event)
        case .screen(let shown): screen = shown
        case .pageLoad, .answered, .committed, .pageReady, .pageFailed, .called, .touched, .webProcessDied,
            .pageClosed:
            observePage(event)
        }
    }

    /// Adds foreground time to the starts of the running process.
    package mutating func count(to instant: Instant) {
        now = instant
        for index in starts.indices.reversed() {
            guard starts[index].process == process else { break }
            if isInForeground, !isSuspended, starts[index].servedAt != nil {
                starts[index].inFront += instant - starts[index].countedAt
            }
            starts[index].countedAt = instant
        }
    }

    // MARK: - The device

    private mutating func observeDevice(_ event: TraceEvent) {
        switch event.kind {
        case .installed(let name):
            if name != build {
                build = name
                buildsSeen.append(name)
                goodVersions.removeAll()
            }
        case .launched(let foreground, let boot):
            process = event.process
            isAlive = true
            isInForeground = foreground
            isSuspended = false
            processBegan = event.at
            bootID = boot
            loads.removeAll()
            status = nil
            screen = .cover
        case .processEnded(let cause):
            lastDeath = cause
            endProcess()
        case .powerCut:
            if isAlive { lastDeath = .battery }
            endProcess()
        case .foregrounded:
            isInForeground = true
            isSuspended = false
        case .backgrounded: isInForeground = false
        case .suspended: isSuspended = true
        case .resumed: isSuspended = false
        default: break
        }
    }

    private mutating func endProcess() {
        for index in starts.indices.reversed() {
            guard starts[index].process == process else { break }
            starts[index].death = lastDeath
        }
        isAlive = false
        isInForeground = false
        isSuspended = false
        loads.removeAll()
        for index in transfers.indices where transfers[index].state == .open {
            transfers[index].state = .cancelled
        }
    }

    // MARK: - Transfers

    private mutating func observeTransfer(_ event: TraceEvent) {
        switch event.kind {
        case .requestSent(let request):
            transfers.append(TransferTrace(request: request, process: event.process, sentAt: event.at))
        case .answerHead(let id, let status, let offered, let note):
            change(id, event.process) {
                $0.status = status
                $0.offered = offered
                $0.serial = note.serial
                $0.withheldSerial = note.withheldSerial
                $0.isComplete = note.unsatisfiedLength.map { [from = $0.request.from] in $0 == from } ?? false
            }
        case .transferEnded(let id, let bytes, _):
            change(id, event.process) {
                $0.bytes = bytes
                $0.state = .ended
            }
            if let ended = transfers.last(where: { $0.request.transfer == id && $0.process == event.process }
            ),
                ended.isGoodManifestAnswer
            {
                observeGoodAnswer(at: event.at)
            }
        case .transferFailed(let id, let failure, let bytes):
            change(id, event.process) {
                $0.bytes = bytes
                $0.state = .failed(failure)
            }
        case .transferCancelled(let id, let bytes):
            change(id, event.process) {
                $0.bytes = bytes
                $0.state = .cancelled
            }
        default: break
        }
    }

    private mutating func change(
        _ id: TransferID, _ process: Int, _ body: (inout TransferTrace) -> Void
    ) {
        for index in transfers.indices.reversed()
        where transfers[index].process == process && transfers[index].request.transfer == id {
            return body(&transfers[index])
        }
    }

    private mutating func observeGoodAnswer(at instant: Instant) {
        lastGoodAnswer = instant
        for index in starts.indices.reversed() {
            guard starts[index].process == process else { break }
            starts[index].isReachable = true
        }
    }

    // MARK: - Pages and starts

    private mutating func observePage(_ event: TraceEvent) {
        switch event.kind {
        case .pageLoad(let view, let token, let key):
            loads.append(
                LoadTrace(
                    token: token, view: view, version: key, process: event.process, begunAt: event.at))
            beginOrContinueStart(key, token, event)
        case .answered(let answer): observeAnswer(answer, event.at)
        case .committed(_, let token, _):
            if let token { changeLoad(token) { $0.isCommitted = true } }
        case .pageClosed(_, let token):
            if let token { changeLoad(token) { $0.isClosed = true } }
        case .pageReady(let view):
            if settings.confirmation == .loaded { changeStart(inFrontOf: view) { $0.hasSignalled = true } }
        case .called(let view, let method, let token):
            switch method {
            case .startupDidComplete:
                changeStart(of: token, view) { $0.hasSignalled = true }
            case .startupDidFail:
                changeStart(of: token, view) { $0.hasReportedFailure = true }
            case .switchToPendingVersion, .checkForUpdates, .onNewVersionReady, .onError, .holdOff, .release:
                break
            }
        // A page that fails before it can call the bridge has reported nothing.
        case .pageFailed: break
        case .touched(let view): changeStart(inFrontOf: view) { $0.isTouched = true }
        case .webProcessDied(let view): changeStart(inFrontOf: view) { $0.webProcessDeaths += 1 }
        default: break
        }
    }

    private mutating func beginOrContinueStart(_ key: VersionKey, _ token: PageLoadToken, _ event: TraceEvent)
    {
        let index = starts.lastIndex { $0.key == key && $0.process == event.process }
        if let index, starts[index].end == nil || starts[index].end == .confirmed {
            starts[index].loads.append(token)
            return
        }
        var start = StartTrace(key: key, process: event.process, at: event.at, load: token)
        if let lastGoodAnswer, event.at - lastGoodAnswer <= .minutes(1) { start.isReachable = true }
        starts.append(start)
    }

    private mutating func observeAnswer(_ answer: LocalServer.AccessLogEntry, _ now: Instant) {
        guard let token = answer.load, let index = loads.lastIndex(where: { $0.token == token }) else {
            return
        }
        loads[index].isAnswered = true
        let key = loads[index].version
        let start = starts.lastIndex { $0.key == key && $0.process == process }
        if let start, starts[start].servedAt == nil {
            starts[start].servedAt = now
            starts[start].countedAt = now
        }
    }

    private mutating func changeLoad(_ token: PageLoadToken, _ body: (inout LoadTrace) -> Void) {
        if let index = loads.lastIndex(where: { $0.token == token }) { body(&loads[index]) }
    }

    private mutating func changeStart(
        of token: PageLoadToken?, _ view: WebViewID, _ body: (inout StartTrace) -> Void
    ) {
        guard let token else { return changeStart(inFrontOf: view, body) }
        let index = starts.lastIndex { $0.process == process && $0.loads.contains(token) }
        if let index { body(&starts[index]) }
    }

    /// Changes the start whose document a web view shows.
    private mutating func changeStart(inFrontOf view: WebViewID, _ body: (inout StartTrace) -> Void) {
        let shown = loads.last { $0.view == view && $0.isCommitted } ?? loads.last { $0.view == view }
        guard let shown else { return }
        let index = starts.lastIndex { $0.process == process && $0.loads.contains(shown.token) }
        if let index { body(&starts[index]) }
    }

    // MARK: - The log

    private mutating func observeLog(_ entry: LogEntry, _ event: TraceEvent) {
        logged.append(
            LoggedEntry(eventOrdinal: event.ordinal, at: event.at, process: event.process, entry: entry))
        guard let end = StartTrace.End(entry.cause) else { return }
        let index = starts.lastIndex {
            ($0.end == nil || ($0.end == .confirmed && end != .confirmed && $0.process != process))
                && (entry.version == nil || $0.key.id == entry.version)
        }
        guard let index else { return }
        if starts[index].end == nil {
            starts[index].end = end
            starts[index].endedAt = event.at
        }
        if end == .confirmed { addConfirmation(of: starts[index].key) }
    }

    private mutating func addConfirmation(of key: VersionKey) {
        let confirmations = confirmedProcesses(of: key)
        goodVersions.removeAll { $0.key == key }
        goodVersions.append(GoodVersion(key: key, confirmations: confirmations + 1))
    }
}

extension StartTrace.End {
    /// The end that a log entry reports; nil if it reports no end of a start.
    package init?(_ cause: LogCause) {
        switch cause {
        case .startConfirmed: self = .confirmed
        case .startFailedByPage, .startFailedByCrash, .startFailedNotResponding, .startFailedWebProcess,
            .startFailedByClock:
            self = .failed
        case .startUnclear, .startUnclearByClock: self = .unclear
        case .startUncounted: self = .uncounted
        default: return nil
        }
    }
}
