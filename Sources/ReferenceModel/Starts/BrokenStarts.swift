import Core

/// Starts of any version, proven and embedded ones included, that ended in failure or in front (R13). Two in
/// a row of the only version make the next launch in front check first.
struct BrokenStarts: Hashable, Sendable {
    private struct Count: Hashable, Sendable {
        var version: Version
        /// In a row, without those about which the events say too little.
        var certain = 0
        var possible = 0
    }

    private var counts: [Count] = []
    /// Starts that may have begun, and ended, without a sign of them.
    private var unknown = 0

    static let limit = 2

    /// A start has ended.
    /// - Parameters:
    ///   - mayBeBroken: whether it may have ended in failure or in front.
    ///   - isBroken: whether it certainly has.
    mutating func add(_ version: Version, mayBeBroken: Bool, isBroken: Bool) {
        let index = counts.firstIndex { $0.version == version } ?? counts.endIndex
        if index == counts.endIndex { counts.append(Count(version: version)) }
        if mayBeBroken { counts[index].possible += 1 }
        counts[index].certain = isBroken ? counts[index].certain + 1 : 0
    }

    /// A process was stopped in the middle of a step.
    mutating func addUnknown() {
        unknown += 1
        checkEnded()
    }

    mutating func confirm() { self = BrokenStarts() }

    /// A check has ended; what it offers may still be on its way, and then the count goes on.
    mutating func checkEnded() {
        for index in counts.indices { counts[index].certain = 0 }
    }

    func mustCheck(before version: Version) -> Bool {
        counts.contains { $0.version == version && $0.certain >= BrokenStarts.limit }
    }

    func mayCheck(beforeID id: String) -> Bool {
        unknown + (counts.first { $0.version.id == id }?.possible ?? 0) >= BrokenStarts.limit
    }
}

extension ReferenceModel {
    /// A process has ended and another one begins: how its last start ended, for R13.
    mutating func countBroken() {
        guard let end = life.end else { return }
        // A process that was stopped in the middle of a step may have served an index.
        guard let last = starts.last, last.process == life.process - 1, last.servedAt != nil else {
            return broken.addUnknown()
        }
        if let confirmedAt = last.confirmedAt {
            if end.at - confirmedAt < Start.timeToNote { broken.addUnknown() }
            return
        }
        // Its end was counted when it was reported.
        if last.end != nil { return }
        if last.failureReportedAt != nil {
            return broken.add(last.version, mayBeBroken: true, isBroken: false)
        }
        let isRecorded = end.exitRecord == "crash" || end.exitRecord == "notResponding"
        let presences = last.presences(at: end.at)
        let mayBeInFront = presences.contains(.front) && profile.providesBootID && end.exitRecord == nil
        broken.add(
            last.version, mayBeBroken: isRecorded || mayBeInFront,
            isBroken: isRecorded && presences != [nil]
                || mayBeInFront && presences == [.front] && !end.isPowerCut)
    }

    /// R13: before the page load of the only version the launch has checked, waited ten seconds, or
    /// the user has pressed a button.
    mutating func compareCheckFirst(_ shown: Version) {
        guard life.launchedInFront, broken.mustCheck(before: shown), moments.answers == 0, life.isOnline,
            app.settings.updates == .automatic, life.awake < .seconds(9), !isReplaceable(shown)
        else { return }
        disagree(
            "R13.two-ends", shown, allowed: "a check before the only version is started a third time",
            actual: "it is started at once")
    }

    /// Whether another version than this one could be started.
    private func isReplaceable(_ version: Version) -> Bool {
        !chain(without: [version]).isEmpty || report.pending.map { $0 != version } ?? false
    }
}
