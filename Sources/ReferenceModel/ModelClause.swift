/// The clauses of the rules that a ``ReferenceModel`` compares, in the order of the rules.
package enum ModelClause: Int, CaseIterable, Sendable {
    case betweenLoads
    case checkAtLaunch
    case checkInFront
    case processStart
    case switchCall
    case reload
    case notNavigation
    case share
    case recalledPending
    case recalledNotStarted
    case neverChecks
    case noNote
    case pageFailure
    case exitRecord
    case clock
    case clockUnreachable
    case clockTouched
    case clockSecondChance
    case clockSlow
    case unclearKill
    case unclearPowerCut
    case endInBackground
    case eighthUncounted
    case endInFront
    case endInFrontOfBoot
    case staysPending
    case waiting
    case waitingNotPending
    case waitingFirst
    case waitingSecond
    case secondFailure
    case failureAfterFront
    case secondUnclear
    case parked
    case parkedDay
    case thirdParking
    case provenNoClock
    case provenThree
    case firstSevenDays
    case secondThirtyDays
    case ownPage
    case lastGood
    case embedded
    case twoEnds
    case otherEnds
    case otherVersion
    case bareDialects
    case startRecord
    case parkingEnds
    case blacklistEnds

    /// As in `Sources/Runner/Runner.docc/Rules.md`.
    package var id: String {
        switch self {
        case .betweenLoads: "S1.between-loads"
        case .checkAtLaunch: "U5.check-at-launch"
        case .checkInFront: "U5.check-in-front"
        case .processStart: "U6.process-start"
        case .switchCall: "U6.switch-call"
        case .reload: "U6.reload"
        case .notNavigation: "U6.not-navigation"
        case .share: "U9.share"
        case .recalledPending: "U13.pending"
        case .recalledNotStarted: "U13.not-started"
        case .neverChecks: "U14.never"
        case .noNote: "R2.no-note"
        case .pageFailure: "R3.page-failure"
        case .exitRecord: "R3.exit-record"
        case .clock: "R3.clock"
        case .clockUnreachable: "R3.clock-unreachable"
        case .clockTouched: "R3.clock-touched"
        case .clockSecondChance: "R3.clock-second-chance"
        case .clockSlow: "R3.clock-slow"
        case .unclearKill: "R3.unclear-kill"
        case .unclearPowerCut: "R3.unclear-power-cut"
        case .endInBackground: "R3.background"
        case .eighthUncounted: "R3.eighth-uncounted"
        case .endInFront: "R3.front"
        case .endInFrontOfBoot: "R3.front-boot"
        case .staysPending: "R3.stays-pending"
        case .waiting: "R3.waiting"
        case .waitingNotPending: "R3.waiting-not-pending"
        case .waitingFirst: "R3.waiting-first"
        case .waitingSecond: "R3.waiting-second"
        case .secondFailure: "R3.second-failure"
        case .failureAfterFront: "R3.failure-after-front"
        case .secondUnclear: "R3.second-unclear"
        case .parked: "R3.parked"
        case .parkedDay: "R3.parked-day"
        case .thirdParking: "R3.third-parking"
        case .provenNoClock: "R3.proven-no-clock"
        case .provenThree: "R3.proven-three"
        case .firstSevenDays: "R5.first-7-days"
        case .secondThirtyDays: "R5.second-30-days"
        case .ownPage: "R6.own-page"
        case .lastGood: "R9.last-good"
        case .embedded: "R9.embedded"
        case .twoEnds: "R13.two-ends"
        case .otherEnds: "R13.other-ends"
        case .otherVersion: "R13.other-version"
        case .bareDialects: "N1.bare-dialects"
        case .startRecord: "N1.start-record"
        case .parkingEnds: "N1.parking-ends"
        case .blacklistEnds: "N1.blacklist-ends"
        }
    }
}

/// How often a model has compared each clause.
struct ClauseCounts: Sendable {
    private var counts = [Int](repeating: 0, count: ModelClause.allCases.count)

    subscript(_ clause: ModelClause) -> Int { counts[clause.rawValue] }

    mutating func add(_ clause: ModelClause) { counts[clause.rawValue] += 1 }
}
