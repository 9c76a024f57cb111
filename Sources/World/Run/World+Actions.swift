import AppHost
import Core
import Updater

extension World {
    /// Does it now. `order` holds the named events of the race that it begins back until their turn; an order
    /// that does not come about is given up after a second and told.
    package mutating func perform(
        _ action: Action, step: Int = 0, device: Int = 0, order: [RacingEvent] = []
    ) {
        eventCause = stepCause
        lastFact = stepCause
        history.note(
            EventRecord(
                at: now, code: EventCode.action.rawValue, device: UInt16(truncatingIfNeeded: device),
                process: UInt32(truncatingIfNeeded: step), detail: 0))
        if !order.isEmpty {
            gates.append(Gate(order: order, step: step))
            let number = gates.count - 1
            kernel.schedule(
                WorldEvent(device: Int32(device), process: 0, what: .gateOpens(number)), at: now + .seconds(1)
            )
        }
        guard devices.indices.contains(device) else {
            return fact(.actionDidNothing("there is no device \(device)"), -1)
        }
        act(action, device)
        performDue()
        for place in devices.indices { settleDevice(place) }
    }

    mutating func act(_ action: Action, _ device: Int) {
        switch action {
        case .deploy(let deploy): self.deploy(deploy)
        case .recall(let names): recall(names)
        case .unblock(let names): unblock(names)
        case .route(let edge): route(edge, device)
        case .network(let state): setNetwork(state, device)
        case .fault(let fault): begin(fault)
        case .heal(let id): heal(id)
        case .launch(let foreground, let name): launch(foreground: foreground, name: name, device)
        case .kill(let cause): kill(cause, device)
        case .powerCut(let outcome): powerCut(outcome, device)
        case .background: sendToBackground(device)
        case .foreground: bringToFront(device)
        case .suspend(let span):
            suspend(device)
            if let span { post(.resumes, device, after: span) }
        case .resume: resume(device)
        case .storeUpdate(let build): storeUpdate(build, device)
        case .push: push(device)
        case .check:
            if devices[device].isRunning { fact(.checkWished, device) }
            arrive(.check, device)
        case .page(let page, let action, let name): act(action, page, name, device)
        case .user(let action): act(action, device)
        case .set(let change):
            change.apply(to: &devices[device].settings)
            fact(.settingsChanged, device)
            arrive(.settings, device)
        case .damage(let thing, let damage): self.damage(thing, damage, device)
        case .flushDisk: devices[device].disk.flush()
        case .restartDevice: restart(device)
        }
    }

    private mutating func kill(_ cause: DeathCause, _ device: Int) {
        guard cause != .battery else {
            let key = choices.draw(.powerCut, UInt64(device), UInt64(devices[device].boot))
            return powerCut(.keyed(key), device)
        }
        end(cause, device)
    }

    private mutating func storeUpdate(_ name: String, _ device: Int) {
        guard let build = setup.app.builds.firstIndex(where: { $0.name == name }) else {
            return fact(.actionDidNothing("there is no build \(name)"), device)
        }
        storeUpdate(build, device)
    }

    // MARK: - The origin

    private mutating func deploy(_ deploy: Deploy) {
        let place = deploy.version.flatMap { library.place(ofVersion: $0) }
        if deploy.version != nil, place == nil {
            return fact(.actionDidNothing("there is no version \(deploy.version ?? "")"), -1)
        }
        guard place != nil || deploy.command == .embedded else {
            return fact(.actionDidNothing("a deploy names a version, or orders the embedded one"), -1)
        }
        let edges =
            deploy.edges.isEmpty
            ? Array(setup.origin.edges.indices)
            : deploy.edges.compactMap { setup.origin.edges.firstIndex(of: $0) }
        if let audience = deploy.audience, let place, let version = deploy.version {
            let serial = origin.deploy(
                place, for: audience, edges: edges, command: deploy.command, now: originTime, library)
            return fact(.deployedFor(audience, version: version, edges: edges, serial: serial), -1)
        }
        let serial = origin.deploy(
            place, edges: edges, parts: deploy.parts, command: deploy.command,
            keepsOldFiles: deploy.keepsOldFiles, now: originTime, library)
        fact(
            .deployed(
                version: deploy.version, edges: edges, deploy.parts, deploy.command, serial: serial), -1)
    }

    private mutating func recall(_ names: [String]) {
        origin.recall(names.map(manifestID), now: originTime, library)
        fact(.recalled(names), -1)
    }

    private mutating func unblock(_ names: [String]) {
        origin.unblock(names.map(manifestID), now: originTime, library)
        fact(.unblocked(names), -1)
    }

    private func manifestID(_ name: String) -> String {
        library.place(ofVersion: name).map { library.versions[$0].id } ?? name
    }

    private mutating func route(_ edge: String, _ device: Int) {
        guard let place = setup.origin.edges.firstIndex(of: edge) else {
            return fact(.actionDidNothing("there is no edge \(edge)"), device)
        }
        devices[device].edge = place
        // What runs goes on; the next request opens a connection to the other edge.
        devices[device].link.forgetConnections()
        fact(.routed(edge: place), device)
    }

    // MARK: - Pages and users

    private mutating func act(_ action: PageAction, _ page: String?, _ name: String?, _ device: Int) {
        let process = devices[device].process
        guard !process.webViews.isEmpty else {
            return fact(.actionDidNothing("no page is there"), device)
        }
        var chosen = process.webViews.first
        if let page {
            chosen = process.webViews.first { $0.knows(page) }
            guard chosen != nil else {
                return fact(.actionDidNothing("there is no page \(page) any more"), device)
            }
        }
        guard let id = chosen?.id else { return }
        switch action {
        case .opens(let route): openWebView(route, beside: id, name, device)
        case .closes: closeWebView(id, page, device)
        case .reload, .reloadFromOrigin, .replaceLocation, .tapsLink, .submitsForm, .goesBack, .calls, .sends,
            .asks,
            .stores, .setsCookie:
            self.page(id, .act(action, on: page, name: name), device)
        }
    }

    private mutating func act(_ action: UserAction, _ device: Int) {
        fact(.userDid(action), device)
        switch action {
        case .waits: endUser(device)
        case .types(let from, let to): types(from: from, to: to, device)
        case .taps: userTouches(.tapped, device)
        case .tapsLink:
            if let id = devices[device].process.webViews.first?.id {
                page(id, .act(.tapsLink(nil), on: nil, name: nil), device)
            }
        case .swipesAway: end(.user, device)
        case .presses(let intent): arrive(.user(AppHost.UserIntent(intent)), device)
        }
    }
}

extension AppHost.UserIntent {
    init(_ intent: UserIntent) {
        self =
            switch intent {
            case .retry: .retry
            case .tryAgain: .tryAgain
            case .lookForUpdate: .lookForUpdate
            case .sendReport: .sendReport
            }
    }
}
