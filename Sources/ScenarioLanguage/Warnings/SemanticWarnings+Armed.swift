extension SemanticWarnings {
    /// `{ kill: "user", when: … }, { launch: true }`: the launch does not wait for the kill and finds the
    /// app still running.
    var earlyLaunches: [Diagnostic] {
        let steps = SemanticWarnings.flat(scenario.steps)
        return steps.enumerated().compactMap { index, step in
            guard case .launch = step.action, step.trigger == nil, endsArmed(before: index, in: steps) else {
                return nil
            }
            return warning(
                .earlyLaunch, "this launch does not wait for the armed step before it",
                label: "launches at once, into the app that still runs", at: step.verbSpan,
                help: "wait for the end first: { expect: { process: \"gone\" }, within: \"30s\" }")
        }
    }

    /// Whether a step with a trigger that ends the app of the same device is before this step, with no time
    /// between.
    private func endsArmed(before index: Int, in steps: [Step]) -> Bool {
        var isArmed = false
        for previous in steps[..<index].reversed() {
            switch previous.action {
            case .wait, .settle, .repeat, .gap, .crash: if !isArmed { return false }
            case .expect(let look):
                if !isArmed, look.within != nil || look.throughout != nil { return false }
            case .kill, .powerCut, .restart, .storeUpdate, .launch, .relaunch:
                if previous.device?.value != steps[index].device?.value { continue }
                // A step without a trigger decides whether the app runs when the step is armed.
                if previous.trigger == nil { return isArmed && !previous.ends }
                if previous.ends { isArmed = true }
            case .background, .foreground, .active, .inactive, .suspend, .resume, .freeze,
                .socketsLost, .deploy, .recall, .unblock, .check,
                .push,
                .page, .native, .user, .client, .always, .never, .mark, .route, .network, .fault, .heal,
                .disk, .set,
                .flushDisk:
                break
            }
        }
        return false
    }
}

extension Step {
    /// Whether the step ends the app's process.
    fileprivate var ends: Bool {
        switch verb {
        case .kill, .powerCut, .restart, .storeUpdate: true
        default: false
        }
    }
}
