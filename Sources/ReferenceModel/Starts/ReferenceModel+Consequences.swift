/// R3, R5: what follows from the end of a start: the version stays pending, waits, is parked or blacklisted.
extension ReferenceModel {
    /// An end of a start of this version is not determined, or what it led to.
    mutating func doubt(_ version: Version) {
        histories[historyIndex(of: version)].isUncertain = true
        if wait?.version == version { wait = nil }
    }

    /// Index of what the version's starts have added up to; it begins here if it has not begun.
    private mutating func historyIndex(of version: Version) -> Int {
        if let index = histories.firstIndex(where: { $0.version == version }) { return index }
        histories.append(StartHistory(version))
        return histories.count - 1
    }

    mutating func follow(_ end: Start.End, of start: Start, byClock: Bool, atLaunch: Bool) {
        let index = historyIndex(of: start.version)
        let before = histories[index]
        let ended = starts.lastIndex { $0.version == start.version && $0.process == start.process }
        if let ended, starts[ended].historyBefore == nil { starts[ended].historyBefore = before }
        let next = histories[index].add(
            end, of: start, byClock: byClock, unclearUntilRescue: app.settings.unclearEndsUntilRescue)
        guard end != .confirmed else { return }
        if !atLaunch { moments.rescues.append(start.version) }
        if before.isUncertain { return doubt(start.version) }
        consequence = DueConsequence(
            version: start.version, consequence: next,
            clause: StartHistory.clause(of: next, after: end, of: start), atLaunch: atLaunch)
    }

    /// A newer version replaces the one that stays pending or waits.
    mutating func replaced(ofID id: String) {
        guard let due = consequence, due.version.id == id else { return }
        switch due.consequence {
        case .staysPending, .waits: consequence = nil
        case .good, .parked, .blacklisted: break
        }
    }

    mutating func compareConsequence(with shown: Version) {
        guard let due = consequence, due.hasReport, due.atLaunch || due.version != shown else { return }
        consequence = nil
        let version = due.version
        let state = report
        guard !hasOtherAudience, !hasChangedSettings, !isRecalled(version) else { return }
        let isAlone = !hasOther(than: version)
        let isReplaced = state.pending.map { $0 != version } ?? false
        if isAlone, due.consequence == .parked || due.consequence == .blacklisted {
            // The only version is spared, and what its starts add up to is not reset.
            return doubt(version)
        }
        switch due.consequence {
        case .good: return
        case .staysPending:
            decide(due.clause)
            if state.lists(version) {
                disagree(due.clause, version, allowed: "it stays pending", actual: describe(version))
            } else if !isReplaced, state.pending != version, state.current != version {
                disagree(due.clause, version, allowed: "it stays pending", actual: describe(version))
            }
        case .waits:
            if state.pending == version, state.pendingWaits {
                decide(due.clause)
                if wait?.version != version {
                    wait = SecondChanceWait(version: version, since: life.process)
                }
            } else if !isReplaced, !isAlone {
                decide(due.clause)
                disagree(
                    due.clause, version, allowed: "it waits for its second chance", actual: describe(version))
            }
        case .parked:
            decide(due.clause)
            if !state.parked.contains(version) {
                disagree(due.clause, version, allowed: "it is parked", actual: describe(version))
            }
        case .blacklisted:
            decide(due.clause)
            if !state.blacklist.contains(version) {
                disagree(due.clause, version, allowed: "it is blacklisted", actual: describe(version))
            }
            good.remove(version)
        }
    }

    /// Whether the recovery chain has another version.
    private func hasOther(than version: Version) -> Bool { !chain(without: [version]).isEmpty }

    private func describe(_ version: Version) -> String {
        if report.blacklist.contains(version) { return "it is blacklisted" }
        if report.parked.contains(version) { return "it is parked" }
        if report.pending == version { return report.pendingWaits ? "it waits" : "it is pending" }
        return report.current == version ? "it is current" : "it has no state"
    }
}

extension StartHistory {
    /// The clause that a consequence rests on.
    static func clause(
        of consequence: Consequence, after end: Start.End, of start: Start
    ) -> ModelClause {
        switch consequence {
        case .good: return .ownPage
        case .staysPending: return .staysPending
        case .waits: return start.isSecondChance ? .failureAfterFront : .waiting
        case .blacklisted: return end == .failed ? .secondFailure : .thirdParking
        case .parked: return start.isSecondChance ? .secondUnclear : .parked
        }
    }
}
