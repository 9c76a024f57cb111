/// An action as a step has it done: with the name that the step gives to what it begins, a page load or a
/// fault.
package struct Performance: Hashable, Sendable {
    package var action: Action
    package var name: String?

    package init(_ action: Action, as name: String? = nil) {
        self.action = action
        self.name = name
    }
}

/// A performance that waits for its trigger.
package struct Scheduled: Hashable, Sendable {
    package var trigger: Trigger
    package var performance: Performance
    /// The number of the step it belongs to, for facts.
    package var step: Int

    package init(_ trigger: Trigger, _ performance: Performance, step: Int = 0) {
        self.trigger = trigger
        self.performance = performance
        self.step = step
    }

    package init(_ trigger: Trigger, _ action: Action, step: Int = 0) {
        self.init(trigger, Performance(action), step: step)
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
    package var performances: [Performance] {
        switch action {
        case .relaunch(let mode): [Performance(.kill(.user)), Performance(.launch(mode), as: name?.value)]
        case .page(let spec): switchCall(of: spec) + [Performance(action, as: name?.value)]
        case _ where action.side == .story: []
        default: [Performance(action, as: name?.value)]
        }
    }

    /// A race with the switch in it needs somebody who asks for the switch: the page does, as Meteor's own
    /// does before it navigates, and does not wait for the answer (meteor.md §14).
    private func switchCall(of spec: PageSpec) -> [Performance] {
        if case .calls = spec.action { return [] }
        guard anyOrder.contains(where: { $0.value == .switchApplied }) else { return [] }
        return [
            Performance(.page(PageSpec(page: spec.page, action: .calls(Spanned(.switchToPendingVersion)))))
        ]
    }
}
