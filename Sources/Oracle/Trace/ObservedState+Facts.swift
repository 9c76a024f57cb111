import AppHost
import Backend
import Core
import LocalServer
import Updater

extension ObservedState {
    /// Takes in one fact; the checkers see it after this.
    package mutating func observe(_ fact: TraceEvent) {
        count(to: fact.at)
        if fact.lane != .lab { lastActivity = fact.at }
        switch fact.kind {
        case .step, .note, .actionDidNothing, .raced, .raceGivenUp, .deployed, .deployedFor, .routed,
            .faultBegan, .faultApplied, .faultHealed, .networkChanged, .outcomes, .pushed, .checkRequested,
            .boundExceeded, .callsOnStoppedDisk, .report, .listening,
            .navigation, .pageRequested, .pageReceived, .contentShown, .messageDelivered, .whiteBegan,
            .whiteEnded, .userDid:
            break
        case .recalled(let ids): recalled = ids
        case .unblocked(let ids): unblocked += ids.map { ($0, fact.at) }
        case .damaged: isMediumDamaged = true
        case .settingsChanged: break
        case .requestSent, .answerHead, .transferEnded, .transferFailed, .transferCancelled:
            observeTransfer(fact)
        case .installed, .launched, .processEnded, .foregrounded, .backgrounded, .suspended, .resumed,
            .powerCut:
            observeDevice(fact)
        case .status(let told):
            formerStatus = status
            status = told
        case .log(let entry): observeLog(entry, fact)
        case .screen(let shown): screen = shown
        case .pageLoad, .answered, .committed, .pageReady, .pageFailed, .called, .touched, .webProcessDied,
            .pageClosed:
            observePage(fact)
        }
    }

    /// Counts time in front for the starts that go on.
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

    private mutating func observeDevice(_ fact: TraceEvent) {
        switch fact.kind {
        case .installed(let name):
            if name != build {
                build = name
                buildsSeen.append(name)
                good.removeAll()
            }
        case .launched(let foreground, let boot):
            process = fact.process
            isAlive = true
            isInForeground = foreground
            isSuspended = false
            processBegan = fact.at
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

    private mutating func observeTransfer(_ fact: TraceEvent) {
        switch fact.kind {
        case .requestSent(let request):
            transfers.append(TransferTrace(request: request, process: fact.process, sentAt: fact.at))
        case .answerHead(let id, let status, let offered, let note):
            change(id, fact.process) {
                $0.status = status
                $0.offered = offered
                $0.serial = note.serial
            }
        case .transferEnded(let id, let bytes, _):
            change(id, fact.process) {
                $0.bytes = bytes
                $0.state = .ended
            }
            if let ended = transfers.last(where: { $0.request.transfer == id && $0.process == fact.process }),
                ended.isGoodManifestAnswer
            {
                goodAnswer(at: fact.at)
            }
        case .transferFailed(let id, let failure, let bytes):
            change(id, fact.process) {
                $0.bytes = bytes
                $0.state = .failed(failure)
            }
        case .transferCancelled(let id, let bytes):
            change(id, fact.process) {
                $0.bytes = bytes
                $0.state = .cancelled
            }
        default: break
        }
    }

    private mutating func change(
        _ id: TransferID, _ process: Int, _ body: (inout TransferTrace) -> Void
    ) {
        for place in transfers.indices.reversed()
        where transfers[place].process == process && transfers[place].request.transfer == id {
            return body(&transfers[place])
        }
    }

    private mutating func goodAnswer(at instant: Instant) {
        lastGoodAnswer = instant
        for index in starts.indices.reversed() {
            guard starts[index].process == process else { break }
            starts[index].isReachable = true
        }
    }

    // MARK: - Pages and starts

    private mutating func observePage(_ fact: TraceEvent) {
        switch fact.kind {
        case .pageLoad(let view, let token, let key):
            loads.append(
                LoadTrace(
                    token: token, view: view, version: key, process: fact.process, begunAt: fact.at))
            beginOrGoOn(key, token, fact)
        case .answered(let answer): observeAnswer(answer, fact.at)
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
        // What fails before the page can say so is no report.
        case .pageFailed: break
        case .touched(let view): changeStart(inFrontOf: view) { $0.isTouched = true }
        case .webProcessDied(let view): changeStart(inFrontOf: view) { $0.webProcessDeaths += 1 }
        default: break
        }
    }

    private mutating func beginOrGoOn(_ key: VersionKey, _ token: PageLoadToken, _ fact: TraceEvent) {
        let place = starts.lastIndex { $0.key == key && $0.process == fact.process }
        if let place, starts[place].end == nil || starts[place].end == .confirmed {
            starts[place].loads.append(token)
            return
        }
        var start = StartTrace(key: key, process: fact.process, at: fact.at, load: token)
        if let lastGoodAnswer, fact.at - lastGoodAnswer <= .minutes(1) { start.isReachable = true }
        starts.append(start)
    }

    private mutating func observeAnswer(_ answer: LocalServer.AccessLogEntry, _ now: Instant) {
        guard let token = answer.load, let place = loads.lastIndex(where: { $0.token == token }) else {
            return
        }
        loads[place].isAnswered = true
        let key = loads[place].version
        let start = starts.lastIndex { $0.key == key && $0.process == process }
        if let start, starts[start].servedAt == nil {
            starts[start].servedAt = now
            starts[start].countedAt = now
        }
    }

    private mutating func changeLoad(_ token: PageLoadToken, _ body: (inout LoadTrace) -> Void) {
        if let place = loads.lastIndex(where: { $0.token == token }) { body(&loads[place]) }
    }

    private mutating func changeStart(
        of token: PageLoadToken?, _ view: WebViewID, _ body: (inout StartTrace) -> Void
    ) {
        guard let token else { return changeStart(inFrontOf: view, body) }
        let place = starts.lastIndex { $0.process == process && $0.loads.contains(token) }
        if let place { body(&starts[place]) }
    }

    /// The start whose document a web view shows.
    private mutating func changeStart(inFrontOf view: WebViewID, _ body: (inout StartTrace) -> Void) {
        let shown = loads.last { $0.view == view && $0.isCommitted } ?? loads.last { $0.view == view }
        guard let shown else { return }
        let place = starts.lastIndex { $0.process == process && $0.loads.contains(shown.token) }
        if let place { body(&starts[place]) }
    }

    // MARK: - The log

    private mutating func observeLog(_ entry: LogEntry, _ fact: TraceEvent) {
        logged.append(
            LoggedEntry(fact: fact.number, at: fact.at, process: fact.process, entry: entry))
        guard let end = StartTrace.End(entry.cause) else { return }
        let place = starts.lastIndex {
            ($0.end == nil || ($0.end == .confirmed && end != .confirmed && $0.process != process))
                && (entry.version == nil || $0.key.id == entry.version)
        }
        guard let place else { return }
        if starts[place].end == nil {
            starts[place].end = end
            starts[place].endedAt = fact.at
        }
        if end == .confirmed { becameGood(starts[place].key) }
    }

    private mutating func becameGood(_ key: VersionKey) {
        let former = good.first { $0.key == key }
        good.removeAll { $0.key == key }
        good.append((key, (former?.processes ?? 0) + 1))
    }
}

extension StartTrace.End {
    /// The end that a log entry tells; nil: it tells none.
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
