import Backend
import Core
import Oracle
import Runner
import Updater
import World

/// What is under way on a device at a moment. With a disturbance it makes a cell: the same disturbance finds
/// other mistakes while a version is downloaded than while one starts.
package enum Circumstance: String, CaseIterable, Hashable, Sendable {
    case notRunning = "not running"
    case suspended
    /// A page load whose start is not decided, before its page is shown.
    case loading
    /// The page is shown, and its start is not decided.
    case starting
    /// The user sees a screen of the native side.
    case screen
    case manifestRequested = "manifest requested"
    case downloading
    /// All that was requested has arrived, and the version is not complete yet.
    case completing
    /// A complete version waits for its switch.
    case pending
    case background
    case idle
}

/// Follows the trace of a device, as far as ``circumstance(of:)`` needs it.
struct CircumstanceTracker: Sendable {
    private var open: [(transfer: TransferID, kind: OriginRequest.Kind)] = []

    mutating func observe(_ event: TraceEvent, of device: Int) {
        guard event.device == device else { return }
        switch event.kind {
        case .requestSent(let request): open.append((request.transfer, request.kind))
        case .transferEnded(let transfer, _, _), .transferFailed(let transfer, _, _),
            .transferCancelled(let transfer, _):
            open.removeAll { $0.transfer == transfer }
        case .processEnded, .powerCut: open = []
        default: break
        }
    }

    func circumstance(of device: ObservedWorld) -> Circumstance {
        let view = device.world.view(of: device.device)
        if view.process == nil { return .notRunning }
        if view.isSuspended { return .suspended }
        let observed = device.observer.observed
        switch view.screen {
        case .page, .cover: break
        default: return .screen
        }
        if let start = observed.starts.last, start.process == observed.process, start.end == nil,
            !observed.isConfirmed(start)
        {
            return view.webViews.first?.state == .loading ? .loading : .starting
        }
        if open.contains(where: { if case .file = $0.kind { true } else { false } }) { return .downloading }
        if open.contains(where: { $0.kind == .manifest }) { return .manifestRequested }
        if view.status?.downloading != nil { return .completing }
        if view.status?.pending != nil { return .pending }
        return view.isInForeground ? .idle : .background
    }
}
