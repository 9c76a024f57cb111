import Core
import Updater

extension AppHost.Event {
    /// Who waits for the event to be handled (S9). A shell keeps events in a ``LaneQueue``: one of the
    /// background lane is handled when no urgent one waits, and then the shell looks for what has arrived.
    public var lane: WorkLane {
        switch self {
        case .again(let lane): lane
        case .transfer, .signaturesVerified: .background
        case .timer(.updater(let name)): name.lane
        case .launched, .synced, .timer, .listener, .connection, .upstream, .webView, .foreground,
            .background, .active, .inactive,
            .suspended, .resumed, .frozen, .push, .check, .network, .user, .settings, .openLink, .callPage,
            .nativeMethodReturned, .delivered, .handlerAnswer, .routes:
            .urgent
        }
    }
}

extension Updater.TimerName {
    /// Timers of the update wait behind the parts of responses that have arrived before them.
    fileprivate var lane: WorkLane {
        switch self {
        case .idle, .retry, .recheck, .collectGarbage: .background
        case .startup, .sendingAllowance, .aliveAfterLoad, .forced, .cover, .disk: .urgent
        }
    }
}
