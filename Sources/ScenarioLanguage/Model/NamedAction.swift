/// An action with the name that its step gives to what it begins: a page load or a fault.
package struct NamedAction: Hashable, Sendable {
    package var action: Action
    package var name: String?

    package init(_ action: Action, as name: String? = nil) {
        self.action = action
        self.name = name
    }
}

/// An action that waits for its trigger.
package struct TriggeredAction: Hashable, Sendable {
    package var trigger: Trigger
    package var namedAction: NamedAction
    /// Index of its step, for trace events.
    package var step: Int

    package init(_ trigger: Trigger, _ namedAction: NamedAction, step: Int = 0) {
        self.trigger = trigger
        self.namedAction = namedAction
        self.step = step
    }

    package init(_ trigger: Trigger, _ action: Action, step: Int = 0) {
        self.init(trigger, NamedAction(action), step: step)
    }
}

/// Where an action takes effect.
package enum ActionSide: Hashable, Sendable {
    /// At the origin, or on the network to it.
    case origin
    /// On a device: done by its user, its system, its app store or its pages.
    case device
    /// In the scenario only: time, expectations, names and structure.
    case scenario
}

extension Action {
    package var side: ActionSide {
        switch self {
        case .deploy, .recall, .unblock, .route, .network, .heal: .origin
        case .fault(let fault):
            switch fault.kind.domain {
            case .request, .network: .origin
            case .disk, .port, .timers: .device
            }
        case .launch, .relaunch, .kill, .powerCut, .restart, .background, .foreground, .active, .inactive,
            .suspend,
            .resume,
            .freeze, .socketsLost,
            .storeUpdate, .check, .push, .page, .native, .user, .client, .disk, .set, .flushDisk:
            .device
        case .wait, .settle, .expect, .always, .never, .mark, .repeat, .gap, .crash: .scenario
        }
    }
}

extension Step {
    /// Link that a launch opens the app with; nil: none, or the step is no launch.
    package var link: Spanned<String>? {
        get {
            switch action {
            case .launch(_, let link), .relaunch(_, let link): link
            default: nil
            }
        }
        set {
            switch action {
            case .launch(let mode, _): action = .launch(mode, link: newValue)
            case .relaunch(let mode, _): action = .relaunch(mode, link: newValue)
            default: break
            }
        }
    }

    /// Actions that a world performs for this step, in order; none for steps in which time passes or that
    /// check an expectation.
    package var namedActions: [NamedAction] {
        switch action {
        case .relaunch(let mode, let link):
            [NamedAction(.kill(.user)), NamedAction(.launch(mode, link: link), as: name?.value)]
        case .page(let spec): switchCall(of: spec) + [NamedAction(action, as: name?.value)]
        case _ where action.side == .scenario: []
        default: [NamedAction(action, as: name?.value)]
        }
    }

    /// The call that requests the switch, for a race with the event "switch applied". The page makes the
    /// call, as Meteor's page does before it navigates, and does not wait for the answer.
    private func switchCall(of spec: PageSpec) -> [NamedAction] {
        if case .calls = spec.action { return [] }
        guard anyOrder.contains(where: { $0.value == .switchApplied }) else { return [] }
        return [
            NamedAction(.page(PageSpec(page: spec.page, action: .calls(Spanned(.switchToPendingVersion)))))
        ]
    }
}
