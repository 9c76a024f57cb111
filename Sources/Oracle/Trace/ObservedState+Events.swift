import AppHost
import Backend
import Core
import LocalServer
import Updater

extension ObservedState {
    /// Takes in one event. Checkers receive the event after this.
    package mutating func observe(_ event: TraceEvent) {
        count(to: event.at)
        signing.observe(event)
        if event.lane != .lab { lastActivity = event.at }
        switch event.kind {
        case .note, .actionDidNothing, .raced, .raceGivenUp, .deployed, .deployedFor, .routed,
            .faultApplied, .networkChanged, .outcomes, .pushed, .checkRequested,
            .boundExceeded, .answerDelayed, .callsOnStoppedDisk, .processFailed, .report, .listening,
            .forwarded,
            .clientAnswered,
            .navigation, .contentShown, .messageDelivered, .nativeAsked, .nativeAnswered,
            .linkTaken, .whiteBegan,
            .whiteEnded, .userDid:
            break
        case .faultBegan(let id, let delay, let failsDisk, let timerDelay, _):
            // A timer that was set before the fault ended may still be late after it.
            self.timerDelay = max(self.timerDelay, timerDelay)
            if failsDisk { diskFaults.append(id) }
            if delay > .zero { diskDelays.append(DiskDelay(fault: id, by: delay)) }
        case .faultHealed(let id):
            diskFaults.removeAll { $0 == id }
            for index in diskDelays.indices where diskDelays[index].fault == id {
                diskDelays[index].endedAt = event.at
            }
        // Only our own dialect can state these orders; the other manifests do not contain them.
        case .recalled(let ids):
            if app.dialect == .own { recalled += withIDs(ids).filter { !recalled.contains($0) } }
        case .unblocked(let ids):
            if app.dialect == .own { unblocked += withIDs(ids).map { UnblockOrder(id: $0, at: event.at) } }
        case .damaged(let path):
            isMediumDamaged = true
            if StoredFile(DiskPath(.data, path)).isRecord { isRecordDamaged = true }
        case .settingsChanged(let change, _): apply(change)
        case .requestSent, .answerHead, .transferEnded, .transferFailed, .transferCancelled:
            observeTransfer(event)
        case .installed, .launched, .processEnded, .foregrounded, .backgrounded, .activated, .deactivated,
            .suspended, .resumed, .powerCut:
            observeDevice(event)
        case .status(let reported):
            previousStatus = status
            status = reported
            if logged(ObservedState.unwritten, since: processBegan) == nil { formerBuild = nil }
        case .log(let entry): observeLog(entry, event)
        case .screen(let shown): screen = shown
        case .pageLoad, .pageRequested, .pageReceived, .answered, .committed, .pageReady, .pageFailed,
            .called, .touched, .webProcessDied, .pageClosed:
            observePage(event)
        }
    }

    /// Adds foreground time to the starts of the running process.
    package mutating func count(to instant: Instant) {
        if isAlive, !isSuspended { retryAfterLeft = max(.zero, retryAfterLeft - (instant - now)) }
        if isSuspended { slept += instant - now }
        now = instant
        let isElsewhere = isRemoteDocument && withoutPage.contains(.first)
        for index in starts.indices.reversed() {
            guard starts[index].process == process else { break }
            let isHidden = isElsewhere && !isInFront(starts[index])
            if isInForeground, !isSuspended, !isHidden, starts[index].servedAt != nil {
                starts[index].inFront += instant - starts[index].countedAt
            }
            starts[index].countedAt = instant
        }
    }

    /// Whether a web view shows a page of a start.
    private func isInFront(_ start: StartTrace) -> Bool {
        loads.contains { $0.isInFront && start.loads.contains($0.token) }
    }

    /// Names of versions, and the ids that a manifest states for them.
    private func withIDs(_ names: [String]) -> [String] {
        names + versions.filter { names.contains($0.name) && !names.contains($0.id) }.map(\.id)
    }

    // MARK: - The device

    private mutating func observeDevice(_ event: TraceEvent) {
        switch event.kind {
        case .installed(let name):
            build = name
            settings.origin = ownOrigin ?? ""
        case .launched(let foreground, let boot):
            noticeBuild()
            process = event.process
            isAlive = true
            isInForeground = foreground
            isActive = foreground
            isRemoteDocument = false
            withoutPage = []
            isSuspended = false
            processBegan = event.at
            postponedRescue = nil
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
            // A process that is stopped without a notice stays so: only `resumed` says that it runs.
            isInForeground = true
            isActive = true
        case .backgrounded:
            isInForeground = false
            postponedRescue = nil
            // A process that is stopped does not learn of it.
            if !isSuspended { leaveFront() }
        case .activated: isActive = true
        case .deactivated: if !isSuspended { leaveFront() }
        case .suspended: isSuspended = true
        case .resumed:
            isSuspended = false
            isActive = isActive && isInForeground
        default: break
        }
    }

    private mutating func leaveFront() {
        if isActive { leftFrontAt = now }
        isActive = false
    }

    private mutating func endProcess() {
        for index in starts.indices.reversed() {
            guard starts[index].process == process else { break }
            starts[index].death = lastDeath
            starts[index].diedAt = now
            // A crash in the step that handles the notice, or in the one that it waits for, may come before
            // the note (R2); a user's swipe comes after it.
            let isStepOpen = leftFrontAt.map { now - $0 <= .milliseconds(10) } ?? false
            let wasLeaving = isStepOpen && lastDeath != .user
            // A disk that refuses or delays calls may keep the note out for seconds, and nothing is left to
            // report that.
            let isDiskHindered = !diskFaults.isEmpty || diskDelay > .zero
            let isNoteLate = leftFrontAt.map { now - $0 <= .seconds(5) + diskDelay } ?? false
            starts[index].endedInFront = isActive || wasLeaving || (isDiskHindered && isNoteLate)
        }
        isAlive = false
        isInForeground = false
        isActive = false
        leftFrontAt = nil
        isSuspended = false
        loads.removeAll()
        for index in openIndices { transfers[index].state = .cancelled }
        openIndices = []
    }

    // MARK: - Transfers

    private mutating func observeTransfer(_ event: TraceEvent) {
        switch event.kind {
        case .requestSent(let request):
            if event.process == process { openIndices.append(transfers.count) }
            transfers.append(TransferTrace(request: request, process: event.process, sentAt: event.at))
        case .answerHead(let id, let status, let offered, let note):
            retryAfterLeft = max(retryAfterLeft, note.retryAfter ?? .zero)
            let isAuthentic = status != 200 || signing.isAuthentic(note.signature)
            change(id, event.process) {
                $0.status = status
                $0.offered = offered
                $0.serial = note.serial
                $0.date = note.date.map { Int($0.seconds) }
                $0.withheldSerial = note.withheldSerial
                $0.isAuthentic = isAuthentic
                $0.signers = note.signature.signers
                $0.isComplete = note.unsatisfiedLength.map { [from = $0.request.from] in $0 == from } ?? false
            }
        case .transferEnded(let id, let bytes, let contentOf):
            change(id, event.process) {
                $0.bytes = bytes
                $0.state = .ended
                $0.endedAt = event.at
                $0.contentOf = contentOf
            }
            if let ended = transfer(id, ofProcess: event.process), ended.isGoodManifestAnswer {
                newestSerial = max(newestSerial, ended.serial ?? 0)
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
            body(&transfers[index])
            if transfers[index].state != .open { openIndices.removeAll { $0 == index } }
            return
        }
    }

    private mutating func observeGoodAnswer(at instant: Instant) {
        lastGoodAnswer = instant
        for index in starts.indices.reversed() {
            guard starts[index].process == process else { break }
            starts[index].isReachable = true
        }
    }

    // MARK: - The log

    private mutating func observeLog(_ entry: LogEntry, _ event: TraceEvent) {
        logged.append(
            LoggedEntry(eventOrdinal: event.ordinal, at: event.at, process: event.process, entry: entry))
        if entry.cause == .rescuePostponed { postponedRescue = entry.version }
        if entry.cause == .downloadStarted || entry.cause == .contradictsAccepted { noteDamagedOffer() }
        if entry.cause == .downloadStarted, let id = entry.version { fetched(id) }
        guard let end = StartTrace.End(entry.cause) else { return }
        if end == .confirmed { postponedRescue = nil }
        let index = starts.lastIndex {
            ($0.end == nil || ($0.end == .confirmed && end != .confirmed && $0.process != process))
                && (entry.version == nil || $0.key.id == entry.version)
        }
        if let index, starts[index].end == nil {
            starts[index].end = end
            starts[index].endedAt = event.at
        }
        guard end == .confirmed else { return }
        // A version that is started again in the same process is confirmed again, in its first start.
        let ofProcess = starts.filter { $0.process == process && $0.key.id == entry.version }
        // Of two versions with this id, it is the one whose start has not ended otherwise.
        let confirmed = ofProcess.last { $0.end == .confirmed } ?? ofProcess.last
        if let key = confirmed?.key ?? index.map({ starts[$0].key }) { addConfirmation(of: key) }
    }

    /// A manifest was taken: no deploy has made the answer that it came with, if the origin knows none.
    private mutating func noteDamagedOffer() {
        let answer = transfers.last { $0.isManifest && $0.state == .ended && $0.process == process }
        if let answer, answer.status == 200, answer.offered == nil { damagedOffersTaken += 1 }
    }

    /// A version that had left the device has to prove itself anew (R7). One that was damaged is repaired,
    /// and the last two good ones keep their places.
    private mutating func fetched(_ id: String) {
        let isRepaired = logged.contains { $0.entry.cause == .contentDamaged && $0.entry.version == id }
        if isRepaired { return }
        for index in goodVersions.indices.dropLast()
        where goodVersions[index].key.id == id && !isEmbedded(goodVersions[index].key) {
            goodVersions[index].confirmations = 0
        }
    }

    private mutating func addConfirmation(of key: VersionKey) {
        let known = goodVersions.first { $0.key == key }
        let before =
            known.map { max($0.process == process ? $0.confirmations - 1 : $0.confirmations, 0) } ?? 0
        goodVersions.removeAll { $0.key == key }
        goodVersions.append(GoodVersion(key: key, confirmations: before + 1, process: process))
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
        case .startUnclear, .startUnclearByClock, .startEndedInFront: self = .unclear
        case .startUncounted: self = .uncounted
        default: return nil
        }
    }
}
