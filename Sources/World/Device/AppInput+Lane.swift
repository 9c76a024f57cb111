import AppHost
import Core

extension AppInput {
    /// Lane of the event that the input becomes (``AppHost/Event/lane``).
    var lane: WorkLane {
        switch self {
        case .again(let lane): AppHost.Event.again(lane).lane
        case .timer(let name): AppHost.Event.timer(name).lane
        case .transfer(let id, let part): AppHost.Event.transfer(id, part).lane
        case .signaturesVerified(let id, let answer): AppHost.Event.signaturesVerified(id, answer).lane
        // The inputs before it have been handled: it comes after all that waits, and so behind the parts of
        // responses, which most triggers follow.
        case .marker: .background
        case .launched, .synced, .listener, .connection, .upstream, .webView, .foreground, .background,
            .active, .inactive,
            .suspended, .resumed, .frozen, .push, .check, .network, .user, .settings, .openLink,
            .callPage, .nativeAnswer:
            .urgent
        }
    }
}
