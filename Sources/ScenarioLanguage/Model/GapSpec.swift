import Core

/// A step at which anything may happen except what the expectations after it are about.
///
/// A run does nothing there. `otalab explore` replaces the gap by random steps (a *filling*).
package struct GapSpec: Hashable, Sendable {
    /// Classes of steps that no filling has.
    package var without: [Spanned<StepClass>] = []
    /// Longest time that all steps of a filling take together; nil for no limit.
    package var atMost: Spanned<TimeSpan>?
    package var span: SourceSpan

    package init(span: SourceSpan) { self.span = span }

    /// Whether a filling can have these steps.
    package func allows(_ actions: [Action]) -> Bool {
        let excluded = without.map(\.value)
        var time = TimeSpan.zero
        for action in actions {
            guard let known = action.stepClass, !excluded.contains(known) else { return false }
            switch action {
            case .wait(let span): time += span.value
            // How long it takes is not known before the run.
            case .settle: if atMost != nil { return false }
            default: break
            }
        }
        return atMost.map { time <= $0.value } ?? true
    }
}

/// What a step does to the app, as coarse as a property needs it: each step that can fill a gap has one
/// class.
package enum StepClass: String, CaseIterable, Hashable, Sendable {
    /// Time passes.
    case time
    /// The app is launched, or comes to the front by it.
    case launch
    /// The process ends and the app is launched again.
    case relaunch
    /// The process ends, and the platform does not blame the app: by the user, the system, low memory.
    case kill
    /// The process ends by the app's fault, as far as the platform can say: a crash, or it did not respond.
    case crash
    case powerCut = "power cut"
    case restart
    /// The app goes to the front or leaves it, or gets the user's input or loses it.
    case front
    /// The process is suspended, resumed or frozen.
    case suspend
    case storeUpdate = "store update"
    case deploy
    /// The origin orders devices to take or to leave a version, or takes versions off blacklists.
    case order
    case recall
    /// The app or its page asks for updates.
    case check
    case push
    case reload
    /// The page follows a link, submits a form, goes back, or another web view opens or closes.
    case navigation
    /// The page reports that it started.
    case confirmation
    /// The page reports that it failed.
    case failure
    /// The page calls for a switch to the pending version.
    case switching = "switch"
    /// The page holds switches off, or lets them happen again.
    case holdOff = "hold off"
    /// Other messages between the page and native code.
    case message
    /// Requests, stored values and cookies of the page.
    case request
    /// The user taps or types.
    case input
    /// The user presses a button of a native screen.
    case button
    /// Other clients of the local server.
    case client
    case settings
    /// The device's network, or a fault of it.
    case network
    /// Another edge of the origin.
    case edge
    /// Requests to the origin or to the remote root fail or are answered oddly.
    case requestFault = "request fault"
    case diskFault = "disk fault"
    /// Stored files are damaged.
    case damage
    /// The local server's port is taken.
    case port
    /// The app's timers fire late.
    case timers
    /// Faults end.
    case heal
}

extension Action {
    /// The class of a step with this action; nil for a step that fills no gap, because it structures a
    /// scenario or checks it.
    package var stepClass: StepClass? {
        switch self {
        case .wait, .settle: .time
        case .launch: .launch
        case .relaunch: .relaunch
        case .kill(let cause): cause.stepClass
        case .powerCut: .powerCut
        case .restart: .restart
        case .background, .foreground, .active, .inactive: .front
        case .suspend, .resume, .freeze, .socketsLost: .suspend
        case .storeUpdate: .storeUpdate
        case .deploy(let deploy): deploy.order == .update ? .deploy : .order
        case .unblock: .order
        case .recall: .recall
        case .check: .check
        case .push: .push
        case .page(let page): page.action.stepClass
        case .native: .message
        case .user(let action): action.stepClass
        case .client: .client
        case .route: .edge
        case .network: .network
        case .fault(let fault): fault.kind.domain.stepClass
        case .heal: .heal
        case .disk: .damage
        case .set: .settings
        case .expect, .always, .never, .mark, .repeat, .gap, .crash, .flushDisk: nil
        }
    }
}

extension DeathCause {
    fileprivate var stepClass: StepClass {
        switch self {
        case .user, .system, .lowMemory: .kill
        case .crash, .notResponding: .crash
        case .battery: .powerCut
        case .storeUpdate: .storeUpdate
        }
    }
}

extension PageAction {
    fileprivate var stepClass: StepClass {
        switch self {
        case .reload, .reloadFromOrigin, .replaceLocation: .reload
        case .tapsLink, .submitsForm, .goesBack, .follows, .pushes, .opens, .closes: .navigation
        case .dies: .kill
        case .calls(let call): call.value.stepClass
        case .sends: .message
        case .asks, .embeds, .stores, .setsCookie: .request
        }
    }
}

extension BridgeCall {
    fileprivate var stepClass: StepClass {
        switch self {
        case .startupDidComplete: .confirmation
        case .startupDidFail: .failure
        case .switchToPendingVersion: .switching
        case .checkForUpdates: .check
        case .holdOff, .release: .holdOff
        case .onNewVersionReady, .onError: .message
        }
    }
}

extension UserAction {
    fileprivate var stepClass: StepClass {
        switch self {
        case .waits, .types, .taps: .input
        case .tapsLink: .navigation
        case .swipesAway: .kill
        case .presses: .button
        }
    }
}

extension FaultDomain {
    fileprivate var stepClass: StepClass {
        switch self {
        case .request: .requestFault
        case .network: .network
        case .disk: .diskFault
        case .port: .port
        case .timers: .timers
        }
    }
}
