import Core

/// How the start that was open when the last process ended is evaluated at launch (R3, R13): by the exit
/// record of the platform, the boot id, and the note of R2.
///
/// A start of a version that is not proven has a start record, which the evaluation ends. Of a proven or
/// embedded version there is only the note: it says whether the start counts for R13, and blames nothing.
extension Updater {
    mutating func evaluateLastStart() {
        if let open = record.openStart { return evaluate(open) }
        evaluateNote()
        if store.phase == .readOnlyStore { leaveAfterUnrecordedCrash() }
    }

    /// R13 counts the start of the note, which has no start record.
    private mutating func evaluateNote() {
        guard let note = starts.file.note, note.isOpen else { return }
        let boot = StartNote.hash(ofBoot: launch?.bootID)
        let isSameBoot = boot.flatMap { boot in note.boot.map { $0 == boot } }
        countIfBroken(ProcessEnd(launch?.lastExit, note, isSameBoot: isSameBoot))
    }

    private mutating func evaluate(_ open: OpenStart) {
        let noted = starts.file.note(of: open.token)
        // A record whose writing failed may be on disk all the same. Its version was not started then, and
        // the page load showed another one (R2), which the note is about.
        let isOfAnother = noted.map { $0.digest != open.key.digest } ?? false
        let note = isOfAnother ? nil : noted
        let isSameBoot = launch?.bootID.flatMap { boot in open.boot.map { $0 == boot } }
        let end = ProcessEnd(launch?.lastExit, note, isSameBoot: isSameBoot)
        if isOfAnother { evaluateNote() } else { countIfBroken(end) }
        recordStartEnd(open, outcome(of: open, end))
    }

    private func outcome(of open: OpenStart, _ end: ProcessEnd) -> StartOutcome {
        let exit = launch?.lastExit.map { "exit record: \($0.rawValue)" } ?? "no exit record"
        switch end {
        case .notServed: return .uncounted("nothing was served, \(exit)")
        case .crash: return .failed(.startFailedByCrash, exit)
        case .notResponding: return .failed(.startFailedNotResponding, exit)
        case .inFront:
            return .unclear(
                .startEndedInFront, "process ended in front before the confirmation, \(exit)", waits: true)
        case .unseen: return .uncounted("in background, \(exit)")
        case .unexplained:
            let count = record.startHistory(of: open.key).unclear + 1
            return .unclear(
                .startUnclear, "process ended before the confirmation, \(exit)",
                waits: count >= min(max(settings.unclearEndsUntilRescue, 1), Updater.unclearEndsUntilParking))
        }
    }

    /// Closes the note, so that no later process evaluates it again. The file is written when the store is
    /// open; if this process ends before, the next one evaluates the same.
    private mutating func countIfBroken(_ end: ProcessEnd) {
        guard let note = starts.file.note, note.isOpen else { return }
        starts.file.closeNote()
        if end.isBroken { starts.file.countBroken(note.digest) }
    }

    /// Where nothing can be written, no start is recorded: after a crash the next version of the recovery
    /// chain is started, so that a version can't crash at every launch (R2).
    private mutating func leaveAfterUnrecordedCrash() {
        guard launch?.lastExit == .crash || launch?.lastExit == .notResponding, let current = record.current,
            let next = recoveryVersion(excluding: [current])
        else { return }
        selection.abandon(current)
        record.current = next
    }
}
