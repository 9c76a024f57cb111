import Core

/// The start that was open, or may have been, when its process ended, and the ends that the rules allow for
/// it (R3).
struct OpenStart: Hashable, Sendable {
    var start: Start
    /// Ends that the rules allow; empty: any, or none.
    var allowed: [Start.End]
    /// The clauses that say so, each once: the first is that of the most probable end.
    private(set) var clauses: [ModelClause] = []
    /// Whether no report is allowed, too.
    var mayBeNone: Bool
    /// Whether the app has reported an end.
    var isReported = false

    /// - Parameters:
    ///   - providesBootID: whether the platform gives a boot id.
    ///   - isSameBoot: whether the device has not booted since.
    ///   - clock: least time in front after which its clock may have ended it.
    ///   - serverConfirms: whether a page confirms without a call, 5 s after it is loaded (R6).
    init(
        _ start: Start, _ end: DeviceLife.ProcessEnd, providesBootID: Bool, isSameBoot: Bool,
        clock: TimeSpan, serverConfirms: Bool
    ) {
        self.start = start
        allowed = []
        mayBeNone = true
        // What the page reported, or the clock, may have ended it before the process did.
        guard start.end == nil, start.servedAt != nil, start.confirmedAt == nil,
            start.failureReportedAt == nil,
            start.webProcessDeaths < 2
        else { return }
        if start.inFront >= clock - .seconds(1) { return }
        if serverConfirms, end.at - start.begunAt >= .seconds(5) { return }
        mayBeNone = start.mayBeAbandoned
        if let record = end.exitRecord, record == "crash" || record == "notResponding" {
            add(.failed, .exitRecord)
            // A boot may have lost the note, without which the record is no evidence against this version
            // (R4).
            if !isSameBoot { add(.unclear, .noNote) }
            return
        }
        let isPowerCut = end.isPowerCut || !isSameBoot
        for presence in start.presences(at: end) {
            switch presence {
            case .front:
                let isInFront = providesBootID && end.exitRecord == nil && !isPowerCut
                add(isInFront ? .inFront : .unclear, isInFront ? .endInFront : .endInFrontOfBoot)
                if end.isPowerCut { add(.unclear, .unclearPowerCut) }
            case .away: add(.unclear, end.isPowerCut ? .unclearPowerCut : .unclearKill)
            case .unseen:
                add(.uncounted, .endInBackground)
                // A power cut may lose the note: then the start ended unclear.
                if isPowerCut { add(.unclear, .unclearPowerCut) }
            case nil: add(isPowerCut ? .unclear : .uncounted, .noNote)
            }
        }
        let isNearBorder = start.inFront > .milliseconds(4_900) && start.inFront < .milliseconds(5_100)
        // The note about the previous version may be closed before the record names the other one.
        let mayLackNote = start.mayBeAbandoned
        if mayLackNote || (isNearBorder && (allowed.contains(.uncounted) || allowed.contains(.unclear))) {
            for end in [Start.End.uncounted, .unclear] where !allowed.contains(end) { allowed.append(end) }
        }
    }

    /// Only its record was written: it may have any end, or the record was not written either.
    init(unseen start: Start) {
        self.start = start
        allowed = []
        mayBeNone = true
    }

    /// Another process begins before one has shown a page.
    mutating func reopen() {
        allowed = []
        clauses = []
        mayBeNone = true
        isReported = false
    }

    private mutating func add(_ end: Start.End, _ clause: ModelClause) {
        if !clauses.contains(clause) { clauses.append(clause) }
        if !allowed.contains(end) { allowed.append(end) }
    }
}
