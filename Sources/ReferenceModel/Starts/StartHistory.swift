/// What the ends of a version's starts have added up to, and what follows from the next one (R3, R5).
struct StartHistory: Hashable, Sendable {
    /// What the rules require after an end.
    enum Consequence: Hashable, Sendable {
        /// The version is good.
        case good
        /// It stays pending, and starts again at the next process start.
        case staysPending
        /// It stays pending and waits for its second chance; the user gets the next version of the chain.
        case waits
        case parked
        case blacklisted
    }

    var version: Version
    /// Failures without a confirmation between.
    var failures = 0
    /// Unclear ends in a row.
    var unclear = 0
    /// Uncounted ends in a row.
    var uncounted = 0
    var parkings = 0
    /// Whether the version was left after an end in front, and its next start is its second chance.
    var hasWaited = false
    /// Whether an end of one of its starts was not determined: the counts may be higher.
    var isUncertain = false
    /// Whether it has failed at its second chance. Where it was spared as the only version, the rules do not
    /// say whether its next start is a second chance once more.
    var hasFailedTwice = false
    /// Whether an origin was reachable in a start that ended unclear.
    var wasReachable = false

    static let unclearUntilParking = 3
    static let uncountedUntilUnclear = 8
    static let parkingsUntilBlame = 3

    init(_ version: Version) { self.version = version }

    var needsSecondChance: Bool { failures > 0 || hasWaited }

    /// - Parameters:
    ///   - byClock: the clock ran out, and the process goes on.
    ///   - unclearUntilRescue: the app's setting: 1 to 3.
    mutating func add(_ end: Start.End, of start: Start, byClock: Bool, unclearUntilRescue: Int)
        -> Consequence
    {
        switch end {
        case .confirmed:
            failures = 0
            unclear = 0
            uncounted = 0
            hasWaited = false
            hasFailedTwice = false
            // Parkings are kept, and with them what is not known of them.
            isUncertain = isUncertain && parkings > 0
            return .good
        case .failed:
            failures += 1
            uncounted = 0
            hasWaited = true
            if failures >= 2 {
                self = StartHistory(version)
                hasFailedTwice = true
                return .blacklisted
            }
            return .waits
        case .inFront: return addUnclear(start, leavesIt: true)
        case .unclear:
            return addUnclear(start, leavesIt: !byClock && unclear + 1 >= min(max(unclearUntilRescue, 1), 3))
        case .uncounted:
            uncounted += 1
            return .staysPending
        }
    }

    private mutating func addUnclear(_ start: Start, leavesIt: Bool) -> Consequence {
        unclear += 1
        uncounted = 0
        wasReachable = wasReachable || start.isReachable
        if start.isSecondChance || unclear >= StartHistory.unclearUntilParking {
            parkings += 1
            unclear = 0
            hasWaited = false
            guard parkings >= StartHistory.parkingsUntilBlame, wasReachable else { return .parked }
            self = StartHistory(version)
            return .blacklisted
        }
        if leavesIt { hasWaited = true }
        return leavesIt ? .waits : .staysPending
    }
}

/// The consequence of an end that the app has reported, until it is compared with the app's state.
struct DueConsequence: Hashable, Sendable {
    var version: Version
    var consequence: StartHistory.Consequence
    /// Clause that the consequence rests on.
    var clause: ModelClause
    /// Whether the app has reported its state since.
    var hasReport = false
    /// Whether the end was found out at a launch.
    var atLaunch: Bool
}

/// A version that waits for its second chance (R3): a process start takes it up, the first one after the
/// rescuing version has confirmed, at the latest the second after the rescue.
struct SecondChanceWait: Hashable, Sendable {
    var version: Version
    /// Process in which it was left.
    var since: Int
    var rescuerConfirmed = false
    /// Whether the rescuing version may have confirmed without a report of it.
    var rescuerMayHaveConfirmed = false
    /// Process starts since, without and with those that ended before they reported anything.
    var certainLaunches = 0
    var possibleLaunches = 0

    /// What a power cut may have taken back is not certain any more: process starts and confirmations of
    /// proven and embedded versions are written without a sync (R2).
    mutating func powerCut() {
        rescuerMayHaveConfirmed = rescuerMayHaveConfirmed || rescuerConfirmed
        rescuerConfirmed = false
        certainLaunches = 0
    }

    var isDue: Bool { rescuerConfirmed || certainLaunches >= 2 }
    var mayBeDue: Bool { rescuerConfirmed || rescuerMayHaveConfirmed || possibleLaunches >= 2 }
}
