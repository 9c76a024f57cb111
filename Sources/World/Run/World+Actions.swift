import AppHost
import Core
import ScenarioLanguage
import Updater

extension Action {
    fileprivate var isFault: Bool {
        switch self {
        case .fault, .heal: true
        default: false
        }
    }
}

extension World {
    package mutating func perform(
        _ action: Action, as name: String? = nil, step: Int = 0, device: Int = 0, order: [RacingEvent] = []
    ) {
        perform(NamedAction(action, as: name), step: step, device: device, order: order)
    }

    /// Performs an action now. `order` is enforced on the race that the action begins; an order that is not
    /// reached within a second is given up, with a trace event.
    package mutating func perform(
        _ namedAction: NamedAction, step: Int = 0, device: Int = 0, order: [RacingEvent] = []
    ) {
        causality.beginAction()
        history.note(
            EventRecord(
                at: now, code: EventCode.action.rawValue, device: UInt16(truncatingIfNeeded: device),
                process: UInt32(truncatingIfNeeded: step), detail: 0))
        if !order.isEmpty { beginRace(order, step: step, device) }
        guard devices.indices.contains(device) else {
            return record(.actionDidNothing("there is no device \(device)"), -1)
        }
        act(namedAction, step: step, device)
        performDue()
        for index in touched.devices.sorted() { settleDevice(index) }
    }

    mutating func act(_ namedAction: NamedAction, step: Int, _ device: Int) {
        let name = namedAction.name
        // A fault can begin and end on all devices.
        if namedAction.action.isFault { touched.insertAll() } else { touched.insert(device) }
        switch namedAction.action {
        case .deploy(let deploy): self.deploy(deploy)
        case .recall(let names): recall(names.map(\.value))
        case .unblock(let names): unblock(names.map(\.value))
        case .route(let edge): route(edge.value, device)
        case .network(let network): setNetwork(NetworkState(network), device)
        case .fault(let fault): begin(fault, as: name ?? World.faultName(ofStep: step))
        case .heal(let id): heal(id?.value)
        case .launch(let mode, let link):
            launch(foreground: mode == .foreground, link: link?.value, name: name, device)
        case .relaunch(let mode, let link):
            endByUser(device)
            if devices[device].disk.isStopped { return }
            launch(foreground: mode == .foreground, link: link?.value, name: name, device)
        case .kill(let cause): kill(cause, device)
        case .powerCut(let outcome): powerCut(outcome, device)
        case .background: sendToBackground(device)
        case .foreground: bringToFront(device)
        case .active: setActive(true, device)
        case .inactive: setActive(false, device)
        case .suspend(let span):
            suspend(device)
            if let span { post(.resumes, device, after: span) }
        case .resume: resume(device)
        case .freeze(let span): stop(for: span, device)
        case .socketsLost: loseSockets(device)
        case .storeUpdate(let build): storeUpdate(build.value, device)
        case .push: push(device)
        case .check:
            if devices[device].isRunning { record(.checkRequested, device) }
            arrive(.check, device)
        case .page(let page): act(page.action, page.page?.value, name, device)
        case .native(let spec): sendFromNativeCode(spec, device)
        case .user(let action): act(action, device)
        case .client(let spec): connectClients(spec, device)
        case .set(let change):
            change.apply(to: &devices[device].settings)
            record(.settingsChanged(change), device)
            arrive(.settings, device)
        case .disk(let spec): damage(spec.file.value, spec.damage.value, device)
        case .flushDisk: devices[device].disk.flush()
        case .restart: restart(device)
        case .wait, .settle, .expect, .always, .never, .mark, .repeat, .gap, .crash:
            record(.actionDidNothing("the run does that, not the world"), device)
        }
    }

    /// The id of a fault whose step gives it no name.
    package static func faultName(ofStep number: Int) -> String { "fault of step \(number + 1)" }

    private mutating func kill(_ cause: DeathCause, _ device: Int) {
        switch cause {
        case .battery: powerCut(.nothing, device)
        case .user: endByUser(device)
        default: end(cause, device)
        }
    }

    private mutating func storeUpdate(_ name: String, _ device: Int) {
        guard let build = setup.app.builds.firstIndex(where: { $0.name == name }) else {
            return record(.actionDidNothing("there is no build \(name)"), device)
        }
        storeUpdate(build, device)
    }

    // MARK: - The origin

    private mutating func deploy(_ deploy: DeploySpec) {
        let version = deploy.version?.value
        let command = ManifestCommand(deploy.order)
        let index = version.flatMap { library.index(ofVersion: $0) }
        if let version, index == nil {
            return record(.actionDidNothing("there is no version \(version)"), -1)
        }
        guard index != nil || command == .embedded else {
            return record(.actionDidNothing("a deploy names a version, or orders the embedded one"), -1)
        }
        let edges =
            deploy.edges.isEmpty
            ? Array(setup.origin.edges.indices)
            : deploy.edges.compactMap { setup.origin.edges.firstIndex(of: $0.value) }
        let stated = Origin.Stated(
            serial: deploy.serial?.value, date: deploy.date?.value, signing: signing(deploy))
        if let audience = deploy.audience?.value, let index, let version {
            let serial =
                audience.share == nil
                ? origin.deploy(
                    index, for: audience, edges: edges, command: command, stated: stated, now: originTime,
                    library)
                : origin.deploy(
                    index, share: audience, edges: edges, command: command, stated: stated, now: originTime,
                    library)
            return record(.deployedFor(audience, version: version, edges: edges, serial: serial), -1)
        }
        let serial = origin.deploy(
            index, edges: edges, parts: deploy.parts, command: command, stated: stated,
            keepsOldFiles: deploy.keepsOldFiles, now: originTime, library)
        record(
            .deployed(
                version: version, edges: edges, deploy.parts, command, serial: serial,
                statedDate: deploy.date?.value), -1)
    }

    private func signing(_ deploy: DeploySpec) -> ManifestSigning? {
        deploy.signedBy.map { names in
            ManifestSigning(
                signers: names.map(\.value), form: deploy.signature,
                expires: deploy.expires.map { originTime + $0.value }, keys: deploy.keys.map(\.value))
        }
    }

    private mutating func recall(_ names: [String]) {
        origin.recall(names.map(manifestID), now: originTime, library)
        record(.recalled(names), -1)
    }

    private mutating func unblock(_ names: [String]) {
        origin.unblock(names.map(manifestID), now: originTime, library)
        record(.unblocked(names), -1)
    }

    private func manifestID(_ name: String) -> String {
        library.index(ofVersion: name).map { library.versions[$0].id } ?? name
    }

    private mutating func route(_ edge: String, _ device: Int) {
        guard let index = setup.origin.edges.firstIndex(of: edge) else {
            return record(.actionDidNothing("there is no edge \(edge)"), device)
        }
        devices[device].network.edge = index
        // Running transfers continue; the next request opens a connection to the new edge.
        devices[device].network.link.forgetConnections()
        record(.routed(edge: index), device)
    }

    // MARK: - Pages and users

    private mutating func act(_ action: PageAction, _ page: String?, _ name: String?, _ device: Int) {
        let webViews = devices[device].process.webViews
        guard !webViews.isEmpty else {
            return record(.actionDidNothing("no page is there"), device)
        }
        var chosen = webViews.first
        if let page {
            chosen = webViews.first { $0.knows(page) }
            guard chosen != nil else {
                return record(.actionDidNothing("there is no page \(page) any more"), device)
            }
        }
        guard let id = chosen?.id else { return }
        switch action {
        case .opens(let route): openWebView(route.value, beside: id, name, device)
        case .closes: closeWebView(id, page, device)
        case .reload, .reloadFromOrigin, .replaceLocation, .tapsLink, .submitsForm, .goesBack, .dies, .calls,
            .sends, .follows, .pushes, .asks, .embeds, .stores, .setsCookie:
            deliverToWebView(id, .act(action, on: page, name: name), device)
        }
    }

    private mutating func act(_ action: UserAction, _ device: Int) {
        record(.userDid(action), device)
        switch action {
        case .waits: stopTyping(device)
        case .types(let from, let to): startTyping(from: from, to: to, device)
        case .taps: userTouches(.tapped, device)
        case .tapsLink:
            if let id = devices[device].process.webViews.first?.id {
                deliverToWebView(id, .act(.tapsLink, on: nil, name: nil), device)
            }
        case .swipesAway: endByUser(device)
        case .presses(let button): arrive(.user(AppHost.UserIntent(button)), device)
        }
    }
}
