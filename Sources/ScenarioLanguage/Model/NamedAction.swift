/// An action as a step has it done: with the name that the step gives to what it begins, a page load or a
/// fault.
package struct NamedAction: Hashable, Sendable {
    package var action: Action
    package var name: String?

    package init(_ action: Action, as name: String? = nil) {
        self.action = action
        self.name = name
    }
}

/// A performance that waits for its trigger.
package struct TriggeredAction: Hashable, Sendable {
    package var trigger: Trigger
    package var namedAction: NamedAction
    /// The number of the step it belongs to, for facts.
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

/// Whose doing an action is.
package enum ActionSide: Hashable, Sendable {
    /// Done at the origin, or on the way to it.
    case origin
    /// Done to a device, by its user, its system, its store or its pages.
    case device
    /// Time, looks, names and structure: a story's, and no world's.
    case story
}

extension Action {
    package var side: ActionSide {
        switch self {
        case .deploy, .recall, .unblock, .route, .network, .heal: .origin
        case .fault(let fault):
            switch fault.kind.domain {
            case .request, .network: .origin
            case .disk, .port: .device
            }
        case .launch, .relaunch, .kill, .powerCut, .restart, .background, .foreground, .suspend, .resume,
            .storeUpdate, .check, .push, .page, .user, .disk, .set, .flushDisk:
            .device
        case .wait, .settle, .expect, .always, .never, .mark, .repeat, .crash: .story
        }
    }
}

extension Step {
    /// What it has a world do, in order; nothing where time passes or somebody looks.
    package var namedActions: [NamedAction] {
        switch action {
        case .relaunch(let mode): [NamedAction(.kill(.user)), NamedAction(.launch(mode), as: name?.value)]
        case .page(let spec): switchCall(of: spec) + [NamedAction(action, as: name?.value)]
        case _ where action.side == .story: []
        default: [NamedAction(action, as: name?.value)]
        }
    }

    /// A race with the switch in it needs somebody who asks for the switch: the page does, as Meteor's own
    /// does before it navigates, and does not wait for the answer (meteor.md §14).
    private func switchCall(of spec: PageSpec) -> [NamedAction] {
        if case .calls = spec.action { return [] }
        guard anyOrder.contains(where: { $0.value == .switchApplied }) else { return [] }
        return [
            NamedAction(.page(PageSpec(page: spec.page, action: .calls(Spanned(.switchToPendingVersion)))))
        ]
    }
}
