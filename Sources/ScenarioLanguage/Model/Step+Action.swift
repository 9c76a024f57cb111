import Core

extension Step {
    /// A step that has this action and nothing else.
    package init(action: Action) {
        let span = SourceSpan(start: 0, end: 0)
        self.init(
            verb: action.verb, action: action, trigger: nil, device: nil, name: nil, because: nil,
            crashPoints: nil, anyOrder: [], span: span, verbSpan: span)
    }
}

extension Action {
    /// The verb of a step with this action.
    package var verb: Verb {
        switch self {
        case .launch: .launch
        case .relaunch: .relaunch
        case .kill: .kill
        case .powerCut: .powerCut
        case .restart: .restart
        case .background: .background
        case .foreground: .foreground
        case .active: .active
        case .inactive: .inactive
        case .suspend: .suspend
        case .resume: .resume
        case .freeze: .freeze
        case .socketsLost: .socketsLost
        case .storeUpdate: .storeUpdate
        case .deploy: .deploy
        case .recall: .recall
        case .unblock: .unblock
        case .check: .check
        case .push: .push
        case .page: .page
        case .native: .native
        case .user: .user
        case .client: .client
        case .wait: .wait
        case .settle: .settle
        case .expect: .expect
        case .always: .always
        case .never: .never
        case .mark: .mark
        case .repeat: .repeat
        case .gap: .gap
        case .route: .route
        case .network: .network
        case .fault: .fault
        case .heal: .heal
        case .disk, .flushDisk: .disk
        case .set: .set
        case .crash: .crash
        }
    }
}
