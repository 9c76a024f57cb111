import Backend
import Core
import Oracle
import Updater

/// Hashes the state of a device's observer and checkers, so that equal states that were reached in different
/// ways can be merged: disk, origin, the platform's state and the checkers' memory must be equal
/// (<doc:CrashPoints>).
///
/// The device must have no running process. State of a process that has ended is left out if nothing reads it
/// any more; each checker does the same (``Checker/hashMemory(into:)``). A test launches merged states too
/// and compares the verdicts (`MergeCheck` in Search).
extension RunObserver {
    package func hashMemory(into sum: inout Hasher) {
        observed.hashMemory(into: &sum)
        checkers.hashMemory(into: &sum)
        sum.combine(view.lost)
        sum.combine(view.resized)
        sum.combine(view.isDamaged)
    }

    /// Adds the state of the process that is being cut off: its reported log entries and the records that it
    /// found. Other entries of its record count as reported when it ends.
    package func hashProcessMemory(into sum: inout Hasher) {
        previousRecords.hashMemory(into: &sum)
        for logged in observed.logged where logged.process == observed.process {
            sum.combine(logged.entry.cause)
            sum.combine(logged.entry.version)
        }
    }
}

extension ObservedState {
    /// Causes that checkers read however long ago they were logged.
    private static let lasting: [LogCause] = [
        .blacklistEntry, .parked, .storeUnavailable, .diskFailed, .recordNotWritten, .noSpace,
    ]

    package func hashMemory(into sum: inout Hasher) {
        sum.combine(settings)
        sum.combine(leastStartupTimeout)
        sum.combine(port)
        sum.combine(build)
        sum.combine(buildsSeen)
        sum.combine(formerBuild)
        sum.combine(process)
        sum.combine(bootID)
        sum.combine(lastDeath)
        sum.combine(seconds: lastGoodAnswer)
        sum.combine(recalled)
        sum.combine(newestSerial)
        if !app.keys.isEmpty { sum.combine(signing) }
        sum.combine(retryAfterLeft.microseconds / 1_000_000)
        sum.combine(shownContent)
        for order in unblocked {
            sum.combine(order.id)
            sum.combine(seconds: order.at)
        }
        sum.combine(status)
        sum.combine(previousStatus)
        sum.combine(isMediumDamaged)
        sum.combine(isRecordDamaged)
        sum.combine(timerDelay)
        for version in goodVersions {
            sum.combine(version.key)
            sum.combine(version.confirmations)
        }
        hashStarts(into: &sum)
        hashLog(into: &sum)
        if app.dialect != .own { hashTransfers(into: &sum) }
    }

    /// Adds what is read of starts after their process has ended: each version's last start (R4), whether it
    /// was the last one of the process (T1), and the blame that the trace has shown (``BlameEvidence``).
    private func hashStarts(into sum: inout Hasher) {
        var lasts: [StartTrace] = []
        for start in starts.reversed() where !lasts.contains(where: { $0.key.id == start.key.id }) {
            lasts.append(start)
        }
        let ofProcess = starts.last.flatMap { $0.process == process ? $0.key : nil }
        for start in lasts.sorted(by: { $0.key.id < $1.key.id }) {
            start.hashMemory(into: &sum)
            sum.combine(start.key == ofProcess)
            let blame = BlameEvidence(name(start.key), self)
            sum.combine(min(blame.failed, BlameEvidence.failedStartsForBlame))
            sum.combine(min(blame.unconfirmed, BlameEvidence.unconfirmedStartsForBlame))
        }
        sum.combine(lasts.count)
    }

    private func hashLog(into sum: inout Hasher) {
        var lasting: [LogEntry] = []
        for item in logged {
            if ObservedState.lasting.contains(item.entry.cause) {
                let entry = LogEntry(item.entry.cause, version: item.entry.version)
                if !lasting.contains(entry) { lasting.append(entry) }
            } else if item.at == now {
                // The next process may start at the same instant.
                sum.combine(item.entry.cause)
                sum.combine(item.entry.version)
            }
        }
        for entry in lasting { sum.combine(entry) }
        sum.combine(lasting.count)
    }

    /// Adds the transfers that U1 reads: whether a version whose assets have no hash was offered again after
    /// its last file. In the own dialect all assets have a hash.
    private func hashTransfers(into sum: inout Hasher) {
        for transfer in transfers where transfer.state == .ended {
            if !transfer.isGoodManifestAnswer, transfer.route == nil { continue }
            sum.combine(transfer.request.kind)
            sum.combine(transfer.request.version)
            sum.combine(transfer.offered)
            sum.combine(transfer.process)
            sum.combine(seconds: transfer.sentAt)
        }
    }
}

extension StartTrace {
    /// Page loads are left out because they end with their process; foreground time counts in whole seconds.
    fileprivate func hashMemory(into sum: inout Hasher) {
        sum.combine(key)
        sum.combine(servedAt == nil)
        sum.combine(inFront.microseconds / 1_000_000)
        sum.combine(isTouched)
        sum.combine(hasSignalled)
        sum.combine(hasReportedFailure)
        sum.combine(hasFailedFirst)
        sum.combine(webProcessDeaths)
        sum.combine(death)
        sum.combine(isReachable)
        sum.combine(end)
    }
}

extension TraceEvent.Kind {
    /// Whether app, page or their process caused it. Such an event changes the device and the observer's
    /// state; others change the world around the device.
    var isAppEvent: Bool {
        switch self {
        case .note, .actionDidNothing, .messageDelivered, .nativeAsked, .nativeAnswered,
            .linkTaken, .requestSent, .answerHead, .transferEnded,
            .transferFailed, .transferCancelled, .launched, .processEnded, .processFailed, .foregrounded,
            .backgrounded,
            .activated, .deactivated,
            .suspended, .resumed, .powerCut, .boundExceeded, .answerDelayed, .callsOnStoppedDisk, .status,
            .log, .screen,
            .pageLoad, .answered, .report, .listening, .forwarded, .clientAnswered, .navigation,
            .pageRequested, .pageReceived,
            .committed,
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
