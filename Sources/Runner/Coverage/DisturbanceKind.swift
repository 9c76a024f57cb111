import AppHost
import Backend
import Core
import Oracle
import ScenarioLanguage
import Updater

/// A kind of thing that can happen to an app: a fault, a deploy, something that user, page or platform does.
///
/// The kinds follow the trace, not the scenario, so that what a run does by itself counts too. A word of the
/// language that leads to a new event needs a kind here, because the switch is exhaustive.
struct DisturbanceKind: Hashable, Sendable {
    var name: String
    /// Where it can happen.
    var setting: Setting

    /// Which circumstances a kind of disturbance can meet.
    enum Setting: Hashable, Sendable {
        case any
        /// Begins a process.
        case noProcess
        case process
        /// Something of the app's code or of its page.
        case awake
        /// As ``awake``, and only in the foreground.
        case inFront
        case suspended
    }

    var circumstances: [Circumstance] {
        Circumstance.allCases.filter { circumstance in
            switch setting {
            case .any: true
            case .noProcess: circumstance == .notRunning
            case .process: circumstance.hasProcess
            case .awake: circumstance.isAwake
            case .inFront: circumstance.isAwake && circumstance != .background
            case .suspended: circumstance == .suspended
            }
        }
    }

    init(_ name: String, _ setting: Setting) {
        self.name = name
        self.setting = setting
    }

    // MARK: - All kinds

    static let all: [DisturbanceKind] = device + origin + pages + faults + damages

    private static let device: [DisturbanceKind] =
        [
            launchInFront, launchInBackground, toFront, toBackground, active, inactive, suspended, resumed,
            installed, pushed, check, settings,
        ] + NetworkState.allCases.map { network($0) }

    private static let launchInFront = DisturbanceKind("launch in front", .noProcess)
    private static let launchInBackground = DisturbanceKind("launch in background", .noProcess)
    private static let toFront = DisturbanceKind("to the front", .process)
    private static let toBackground = DisturbanceKind("to the background", .inFront)
    private static let active = DisturbanceKind("active", .inFront)
    private static let inactive = DisturbanceKind("inactive", .inFront)
    private static let suspended = DisturbanceKind("suspended", .awake)
    private static let resumed = DisturbanceKind("resumed", .suspended)
    /// The store ends the process before it replaces the app.
    private static let installed = DisturbanceKind("store update", .noProcess)
    private static let pushed = DisturbanceKind("push", .process)
    private static let check = DisturbanceKind("check by native code", .awake)
    private static let settings = DisturbanceKind("settings", .any)

    private static func network(_ state: NetworkState) -> DisturbanceKind {
        DisturbanceKind("network \(state.rawValue)", .any)
    }

    private static let origin: [DisturbanceKind] =
        [ManifestCommand.update, .force, .rollBack, .embedded].map { deploy($0) }
        + [filesAlone, manifestAlone, someDevices, recall, unblock, route]

    private static let filesAlone = DisturbanceKind("deploy of files alone", .any)
    private static let manifestAlone = DisturbanceKind("deploy of the manifest alone", .any)
    private static let someDevices = DisturbanceKind("deploy for some devices", .any)
    private static let recall = DisturbanceKind("recall", .any)
    private static let unblock = DisturbanceKind("unblock", .any)
    private static let route = DisturbanceKind("other edge", .any)

    private static func deploy(_ command: ManifestCommand) -> DisturbanceKind {
        DisturbanceKind(command == .update ? "deploy" : "deploy: \(command.rawValue)", .any)
    }

    private static let pages: [DisturbanceKind] =
        // Why a page navigates is always known in a world.
        AppHost.NavigationKind.allCases.filter { $0 != .unknown }.map { navigation($0) }
        + BridgeCall.allCases.map { call($0) }
        + [
            pageFailed, webProcessDied, touched, nativeAsks, linkTaken, client, tap, typing, link, swipe,
        ] + ScreenButton.allCases.map { button($0) }

    private static func navigation(_ kind: AppHost.NavigationKind) -> DisturbanceKind {
        DisturbanceKind("navigation: \(kind.rawValue)", .awake)
    }

    private static func call(_ call: BridgeCall) -> DisturbanceKind {
        DisturbanceKind("page calls \(call.rawValue)", .awake)
    }

    private static func button(_ button: ScreenButton) -> DisturbanceKind {
        DisturbanceKind("user presses \(button.rawValue)", .inFront)
    }

    private static let pageFailed = DisturbanceKind("page fails", .awake)
    private static let webProcessDied = DisturbanceKind("web process dies", .process)
    private static let touched = DisturbanceKind("page touched", .inFront)
    private static let nativeAsks = DisturbanceKind("native code asks the page", .awake)
    private static let linkTaken = DisturbanceKind("native code takes a link over", .awake)
    private static let client = DisturbanceKind("another client", .any)
    private static let tap = DisturbanceKind("user taps", .any)
    private static let typing = DisturbanceKind("user types", .any)
    private static let link = DisturbanceKind("user taps a link", .any)
    private static let swipe = DisturbanceKind("user swipes the app away", .any)

    private static let faults = FaultKind.coverageNames.map { DisturbanceKind("fault: \($0)", .any) }

    private static let damages = StorePart.allCases.map { DisturbanceKind("damage: \($0.rawValue)", .any) }

    // MARK: - Of an event

    /// The kind of a trace event; nil if nothing happens to the app from outside.
    /// - Parameter faults: faults of the run by their names.
    init?(_ event: TraceEvent.Kind, faults: [String: FaultKind]) {
        switch event {
        case .launched(let isInFront, _): self = isInFront ? .launchInFront : .launchInBackground
        case .foregrounded: self = .toFront
        case .backgrounded: self = .toBackground
        case .activated: self = .active
        case .deactivated: self = .inactive
        case .suspended: self = .suspended
        case .resumed: self = .resumed
        case .installed: self = .installed
        case .pushed: self = .pushed
        case .checkRequested: self = .check
        case .settingsChanged: self = .settings
        case .networkChanged(let state): self = .network(state)
        case .deployed(_, _, .files, _, _, _): self = .filesAlone
        case .deployed(_, _, .manifest, _, _, _): self = .manifestAlone
        case .deployed(_, _, .all, let command, _, _): self = .deploy(command)
        case .deployedFor: self = .someDevices
        case .recalled: self = .recall
        case .unblocked: self = .unblock
        case .routed: self = .route
        case .navigation(_, let kind, _): self = .navigation(kind)
        case .called(_, let call, _): self = .call(call)
        case .pageFailed: self = .pageFailed
        case .webProcessDied: self = .webProcessDied
        case .touched: self = .touched
        case .nativeAsked: self = .nativeAsks
        case .linkTaken: self = .linkTaken
        case .clientAnswered: self = .client
        case .userDid(let action):
            guard let kind = DisturbanceKind(action) else { return nil }
            self = kind
        // A fault of requests counts where it meets one; the others have no event for that.
        case .faultBegan(let id, _, _, _, _):
            guard let fault = faults[id], fault.domain != .request else { return nil }
            self.init("fault: \(fault.coverageName)", .any)
        case .faultApplied(let id):
            guard let fault = faults[id], fault.domain == .request else { return nil }
            self.init("fault: \(fault.coverageName)", .any)
        case .damaged(let path): self.init("damage: \(StorePart(path: path).rawValue)", .any)
        case .note, .actionDidNothing, .raced, .raceGivenUp, .faultHealed, .requestSent, .answerHead,
            .transferEnded, .transferFailed, .transferCancelled, .outcomes, .processEnded, .processFailed,
            .powerCut,
            .boundExceeded, .answerDelayed, .callsOnStoppedDisk, .status, .log, .screen, .pageLoad, .answered,
            .report, .listening, .forwarded, .pageRequested, .pageReceived, .committed, .contentShown,
            .pageReady, .messageDelivered, .nativeAnswered, .pageClosed, .whiteBegan, .whiteEnded:
            return nil
        }
    }

    private init?(_ action: UserAction) {
        switch action {
        case .waits: return nil
        case .types: self = .typing
        case .taps: self = .tap
        case .tapsLink: self = .link
        case .swipesAway: self = .swipe
        case .presses(let button): self = .button(button)
        }
    }
}
