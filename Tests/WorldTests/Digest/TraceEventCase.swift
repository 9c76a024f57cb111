import Backend
@testable import World

enum TraceEventCase {
    /// No default: a new case has to be said here, and then in ``DigestTests``.
    static func number(_ kind: TraceEvent.Kind) -> Int {
        switch kind {
        case .note: 1
        case .actionDidNothing: 2
        case .raced: 3
        case .raceGivenUp: 4
        case .deployed: 5
        case .deployedFor: 6
        case .recalled: 7
        case .unblocked: 8
        case .routed: 9
        case .faultBegan: 10
        case .faultApplied: 11
        case .faultHealed: 12
        case .networkChanged: 13
        case .requestSent: 14
        case .answerHead: 15
        case .transferEnded: 16
        case .transferFailed: 17
        case .transferCancelled: 18
        case .outcomes: 19
        case .installed: 20
        case .launched: 21
        case .processEnded: 22
        case .processFailed: 64
        case .foregrounded: 23
        case .backgrounded: 24
        case .activated: 57
        case .deactivated: 58
        case .suspended: 25
        case .resumed: 26
        case .powerCut: 27
        case .pushed: 28
        case .checkRequested: 29
        case .settingsChanged: 30
        case .damaged: 31
        case .boundExceeded: 32
        case .callsOnStoppedDisk: 33
        case .answerDelayed: 56
        case .status: 34
        case .log: 35
        case .screen: 36
        case .pageLoad: 37
        case .answered: 38
        case .report: 39
        case .listening: 40
        case .forwarded: 59
        case .clientAnswered: 60
        case .navigation: 41
        case .pageRequested: 42
        case .pageReceived: 43
        case .committed: 44
        case .contentShown: 45
        case .pageReady: 46
        case .pageFailed: 47
        case .called: 48
        case .messageDelivered: 49
        case .nativeAsked: 61
        case .nativeAnswered: 62
        case .linkTaken: 63
        case .touched: 50
        case .webProcessDied: 51
        case .pageClosed: 52
        case .whiteBegan: 53
        case .whiteEnded: 54
        case .userDid: 55
        }
    }
}
