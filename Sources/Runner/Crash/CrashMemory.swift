import Backend
import Core
import Oracle
import Updater

/// What those who watch a device remember of it, as one sum, so that states that were reached on different
/// ways can be one (storage.md: "only if disk, origin, device facts and the checkers' own memory are equal").
///
/// Of a device on which no process runs. What belongs to a process that is gone and that nobody asks for any
/// more is left out; each checker says the like of itself (``Checker/remember(in:)``). A test launches what
/// was merged all the same, and compares the verdicts.
extension RunObserver {
    package func remember(in sum: inout Hasher) {
        observed.remember(in: &sum)
        checkers.remember(in: &sum)
        sum.combine(view.lost)
        sum.combine(view.isDamaged)
    }

    /// Of the process that is being cut off: which of its log it has told, and since when the record is its
    /// own (what the record has beside that counts as told at its end).
    package func rememberProcess(in sum: inout Hasher) {
        found.remember(in: &sum)
        for row in observed.logged where row.process == observed.process {
            sum.combine(row.entry.cause)
            sum.combine(row.entry.version)
        }
    }
}

extension ObservedState {
    /// Causes that checkers ask for however long ago they were told.
    private static let lasting: [LogCause] = [
        .blacklistEntry, .parked, .storeUnavailable, .diskFailed, .recordNotWritten, .noSpace,
    ]

    package func remember(in sum: inout Hasher) {
        sum.combine(settings)
        sum.combine(leastStartupTimeout)
        sum.combine(port)
        sum.combine(build)
        sum.combine(buildsSeen)
        sum.combine(process)
        sum.combine(bootID)
        sum.combine(lastDeath)
        sum.combine(seconds: lastGoodAnswer)
        sum.combine(recalled)
        for order in unblocked {
            sum.combine(order.id)
            sum.combine(seconds: order.at)
        }
        sum.combine(status)
        sum.combine(formerStatus)
        sum.combine(isMediumDamaged)
        for row in good {
            sum.combine(row.key)
            sum.combine(row.processes)
        }
        rememberStarts(in: &sum)
        rememberLog(in: &sum)
        if app.dialect != .own { rememberTransfers(in: &sum) }
    }

    /// Asked for once their process is gone: each version's last one (R4), whether that was the last one of
    /// the process (T1), and which blame the trace has shown (``ExpectedVersionOracle``).
    private func rememberStarts(in sum: inout Hasher) {
        var lasts: [StartTrace] = []
        for start in starts.reversed() where !lasts.contains(where: { $0.key.id == start.key.id }) {
            lasts.append(start)
        }
        let ofProcess = starts.last.flatMap { $0.process == process ? $0.key : nil }
        for start in lasts.sorted(by: { $0.key.id < $1.key.id }) {
            start.remember(in: &sum)
            sum.combine(start.key == ofProcess)
            let blame = ExpectedVersionOracle.blame(name(start.key), self)
            sum.combine(min(blame.failed, ExpectedVersionOracle.enoughFailed))
            sum.combine(min(blame.unconfirmed, ExpectedVersionOracle.enoughUnconfirmed))
        }
        sum.combine(lasts.count)
    }

    private func rememberLog(in sum: inout Hasher) {
        var lasting: [LogEntry] = []
        for row in logged {
            if ObservedState.lasting.contains(row.entry.cause) {
                let entry = LogEntry(row.entry.cause, version: row.entry.version)
                if !lasting.contains(entry) { lasting.append(entry) }
            } else if row.at == now {
                // Told at the instant at which the next process may begin.
                sum.combine(row.entry.cause)
                sum.combine(row.entry.version)
            }
        }
        for entry in lasting { sum.combine(entry) }
        sum.combine(lasting.count)
    }

    /// U1 asks whether a version whose rows have no hash was named once more after its last file. In the own
    /// dialect all have one.
    private func rememberTransfers(in sum: inout Hasher) {
        for row in transfers where row.state == .ended {
            if !row.isGoodManifestAnswer, row.route == nil { continue }
            sum.combine(row.request.kind)
            sum.combine(row.request.version)
            sum.combine(row.offered)
            sum.combine(row.process)
            sum.combine(seconds: row.sentAt)
        }
    }
}

extension StartTrace {
    /// Page loads end with their process; time in front counts in whole seconds.
    fileprivate func remember(in sum: inout Hasher) {
        sum.combine(key)
        sum.combine(servedAt == nil)
        sum.combine(inFront.microseconds / 1_000_000)
        sum.combine(isTouched)
        sum.combine(hasSignalled)
        sum.combine(hasReportedFailure)
        sum.combine(webProcessDeaths)
        sum.combine(death)
        sum.combine(isReachable)
        sum.combine(end)
    }
}

extension TraceEvent.Kind {
    /// What app and page do, and what becomes of their process: it changes the device, and what those who
    /// watch remember. All else changes the world around it.
    var isOfTheApp: Bool {
        switch self {
        case .step, .note, .actionDidNothing, .messageDelivered, .requestSent, .answerHead, .transferEnded,
            .transferFailed, .transferCancelled, .launched, .processEnded, .foregrounded, .backgrounded,
            .suspended, .resumed, .powerCut, .boundExceeded, .callsOnStoppedDisk, .status, .log, .screen,
            .pageLoad, .answered, .report, .listening, .navigation, .pageRequested, .pageReceived, .committed,
            .contentShown,
            .pageReady, .pageFailed, .called, .touched, .webProcessDied, .pageClosed, .whiteBegan,
            .whiteEnded:
            true
        case .raced, .raceGivenUp, .deployed, .deployedFor, .recalled, .unblocked, .routed, .faultBegan,
            .faultApplied, .faultHealed, .networkChanged, .outcomes, .installed, .pushed, .checkRequested,
            .settingsChanged, .damaged, .userDid:
            false
        }
    }
}
