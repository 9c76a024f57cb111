import Core

/// Starts of any version, proven and embedded ones included, that ended in failure or in front (R13). Two in
/// a row of the only version make the next launch in front check first.
struct BrokenStarts: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var version: Version
        var count = UnsyncedCount()
    }

    private var entries: [Entry] = []
    /// Starts that may have begun, and ended, without a sign of them.
    private var unknown = UnsyncedCount()

    static let limit = 2

    /// A start has ended.
    /// - Parameters:
    ///   - mayBeBroken: whether it may have ended in failure or in front.
    ///   - isBroken: whether it certainly has.
    mutating func add(_ version: Version, mayBeBroken: Bool, isBroken: Bool) {
        let index = entries.firstIndex { $0.version == version } ?? entries.endIndex
        if index == entries.endIndex { entries.append(Entry(version: version)) }
        if mayBeBroken { entries[index].count.add(isCertain: isBroken) }
        if !isBroken { entries[index].count.mayEnd() }
    }

    /// A process was stopped in the middle of a step.
    mutating func addUnknown() {
        unknown.add(isCertain: false)
        mayEnd()
    }

    mutating func confirm() { changeAll { $0.end() } }

    /// The counts may be over: a check has ended, and what it offers may still be on its way; or a start may
    /// have been confirmed without a report of it.
    mutating func mayEnd() { changeAll { $0.mayEnd() } }

    mutating func mayBeEarlier() { changeAll { $0.mayBeEarlier() } }

    func mustCheck(before version: Version) -> Bool {
        entries.contains { $0.version == version && $0.count.least >= BrokenStarts.limit }
    }

    func mustCheck(beforeID id: String) -> Bool {
        entries.contains { $0.version.id == id && $0.count.least >= BrokenStarts.limit }
    }

    func mayCheck(beforeID id: String) -> Bool {
        unknown.most + (entries.first { $0.version.id == id }?.count.most ?? 0) >= BrokenStarts.limit
    }

    private mutating func changeAll(_ change: (inout UnsyncedCount) -> Void) {
        for index in entries.indices { change(&entries[index].count) }
        change(&unknown)
    }
}

extension ReferenceModel {
    /// A process has ended and another one begins: how its last start ended, for R13.
    /// - Parameter isSameBoot: whether the device has not booted since; else it did not end in front (R3).
    mutating func countBroken(isSameBoot: Bool) {
        guard let end = life.end else { return }
        if end.isBeforePowerCut { broken.mayBeEarlier() }
        // A process that was stopped in the middle of a step may have served an index.
        guard let last = starts.last, last.process == life.process - 1, last.servedAt != nil else {
            return broken.addUnknown()
        }
        if last.wasChanged(justBefore: end) {
            broken.mayBeEarlier()
            broken.addUnknown()
        }
        if last.confirmedAt != nil { return }
        // Its end was counted when it was reported.
        if last.end != nil { return }
        if last.failureReportedAt != nil {
            return broken.add(last.version, mayBeBroken: true, isBroken: false)
        }
        let mayBeConfirmed = last.mayBeConfirmed(at: end.at, byServer: mayServerHaveConfirmed(last))
        if mayBeConfirmed { broken.mayEnd() }
        let isRecorded = end.exitRecord == "crash" || end.exitRecord == "notResponding"
        let presences = last.presences(at: end)
        let mayBeInFront =
            presences.contains(.front) && isSameBoot && profile.providesBootID && end.exitRecord == nil
        broken.add(
            last.version, mayBeBroken: isRecorded || mayBeInFront,
            isBroken: !end.isBeforePowerCut && !mayBeConfirmed
                && (isRecorded && presences != [nil] || mayBeInFront && presences == [.front]))
    }

    /// R13: before the page load of the only version the launch has checked, waited ten seconds, or
    /// the user has pressed a button. A launch that leaves the front before is none in front.
    mutating func compareCheckFirst(_ shown: Version) {
        guard life.launchedInFront, broken.mustCheck(before: shown), life.isOnline,
            app.settings.updates == .automatic, !isReplaceable(shown)
        else { return }
        decide(.twoEnds)
        if moments.answers > 0 || life.awake >= .seconds(9) { return }
        disagree(
            .twoEnds, shown, allowed: "a check before the only version is started a third time",
            actual: "it is started at once")
    }

    /// R13: where another version could be started, it is, in place of the embedded one that ended so twice.
    mutating func compareSkipped(_ embedded: Version, shown: Version) {
        if moments.hasSetAside {
            decide(.otherVersion)
            if !broken.mayCheck(beforeID: embedded.id) {
                disagree(.otherVersion, embedded, allowed: "it is started", actual: "it is skipped")
            }
            return
        }
        guard broken.mustCheck(before: embedded), report.pending == nil, !chain(without: [embedded]).isEmpty
        else { return }
        decide(.otherVersion)
        if shown != embedded { return }
        disagree(
            .otherVersion, embedded, allowed: "another version, after two ends in failure or in front",
            actual: "it is started a third time")
    }

    /// Whether another version than this one could be started.
    private func isReplaceable(_ version: Version) -> Bool {
        !chain(without: [version]).isEmpty || report.pending.map { $0 != version } ?? false
    }
}
