import Core
import ScenarioLanguage
import Updater
import World

/// The world's words for what a step says. A step that lets time pass or looks at something has none.
package enum StoryActions {
    package static func actions(of step: Step, number: Int, in scenario: Scenario) -> [WorldAction] {
        switch step.action {
        case .launch(let mode):
            [.launch(foreground: mode == .foreground, name: step.name?.value)]
        case .relaunch(let mode):
            [.kill(.user), .launch(foreground: mode == .foreground, name: step.name?.value)]
        case .kill(.battery), .powerCut: [.powerCut(.nothing)]
        case .kill(let cause): [.kill(death(cause))]
        case .restart: [.restartDevice]
        case .background: [.background]
        case .foreground: [.foreground]
        case .suspend(let span): [.suspend(for: span)]
        case .resume: [.resume]
        case .storeUpdate(let build): [.storeUpdate(build: build.value)]
        case .deploy(let spec): [.deploy(deploy(spec))]
        case .recall(let names): [.recall(names.map(\.value))]
        case .unblock(let names): [.unblock(names.map(\.value))]
        case .check: [.check]
        case .push: [.push]
        case .page(let spec): switchCall(spec, step) + [page(spec, step)]
        case .user(let action): [.user(user(action))]
        case .route(let edge): [.route(edge: edge.value)]
        case .network(let state): [.network(network(state))]
        case .fault(let spec): [.fault(fault(spec, name: faultName(step, number)))]
        case .heal(let name): [.heal(name?.value)]
        case .disk(let spec): [.damage(thing(spec.file.value), damage(spec.damage.value))]
        case .set(let spec): [.set(StoryCompiler.change(spec))]
        case .wait, .settle, .expect, .always, .never, .mark, .repeat, .crash: []
        }
    }

    /// The fault's id: what the scenario calls it, else by its step.
    package static func faultName(_ step: Step, _ number: Int) -> String {
        step.name?.value ?? namelessFault + "\(number + 1)"
    }

    package static let namelessFault = "fault of step "

    private static func death(_ cause: ScenarioLanguage.DeathCause) -> WorldDeathCause {
        switch cause {
        case .user: .user
        case .system: .system
        case .lowMemory: .lowMemory
        case .crash: .crash
        case .battery: .battery
        }
    }

    private static func deploy(_ spec: DeploySpec) -> Deploy {
        var deploy = Deploy(spec.version?.value)
        deploy.edges = spec.edges.map(\.value)
        deploy.keepsOldFiles = spec.keepsOldFiles
        deploy.audience = spec.audience.map {
            Audience(user: $0.user?.value, cohort: $0.cohort?.value, channel: $0.channel?.value)
        }
        switch spec.parts {
        case .all: deploy.parts = .all
        case .files: deploy.parts = .files
        case .manifest: deploy.parts = .manifest
        }
        switch spec.order {
        case .update: deploy.command = .update
        case .force: deploy.command = .force
        case .embedded: deploy.command = .embedded
        case .rollBack: deploy.command = .rollBack
        }
        return deploy
    }

    private static func page(_ spec: PageSpec, _ step: Step) -> WorldAction {
        let action: WorldPageAction
        switch spec.action {
        case .reload: action = .reload
        case .reloadFromOrigin: action = .reloadFromOrigin
        case .replaceLocation: action = .replaceLocation
        case .tapsLink: action = .tapsLink(nil)
        case .submitsForm: action = .submitsForm
        case .goesBack: action = .goesBack
        case .closes: action = .closes
        case .opens(let route): action = .opens(route.value)
        case .calls(let call): action = .calls(bridge(call.value), after: .zero)
        case .sends(let text, let size): action = .sends(filled(text.value, size?.value))
        case .asks(let target): action = .asks(target.value)
        case .stores(let key): action = .stores(key.value)
        case .setsCookie(let name): action = .setsCookie(name.value)
        }
        return .page(spec.page?.value, action, name: step.name?.value)
    }

    /// White space behind JSON changes nothing of what it says.
    private static func filled(_ text: String, _ size: Int64?) -> String {
        let missing = Int(size ?? 0) - text.utf8.count
        return missing > 0 ? text + String(repeating: " ", count: missing) : text
    }

    /// A race with the switch in it needs somebody who asks for the switch: the page does, as Meteor's own
    /// does before it navigates, and does not wait for the answer (meteor.md §14).
    private static func switchCall(_ spec: PageSpec, _ step: Step) -> [WorldAction] {
        if case .calls = spec.action { return [] }
        guard step.anyOrder.contains(where: { $0.value == .switchApplied }) else { return [] }
        return [.page(spec.page?.value, .calls(.switchToPendingVersion, after: .zero), name: nil)]
    }

    private static func network(_ state: ScenarioLanguage.NetworkState) -> WorldNetworkState {
        switch state {
        case .online: .online
        case .metered: .metered
        case .offline: .offline
        }
    }

    private static func bridge(_ call: ScenarioLanguage.BridgeCall) -> BridgeMethod {
        switch call {
        case .startupDidComplete: .startupDidComplete
        case .startupDidFail: .startupDidFail
        case .switchToPendingVersion: .switchToPendingVersion
        case .checkForUpdates: .checkForUpdates
        case .onNewVersionReady: .onNewVersionReady
        case .onError: .onError
        case .holdOff: .holdOff
        case .release: .release
        }
    }

    private static func user(_ action: ScenarioLanguage.UserAction) -> WorldUserAction {
        switch action {
        case .waits: .waits
        case .types(let from, let to): .types(from: from, to: to)
        case .taps: .taps
        case .tapsLink: .tapsLink
        case .swipesAway: .swipesAway
        case .triesAgain: .presses(.tryAgain)
        case .sendsReport: .presses(.sendReport)
        case .looksForUpdate: .presses(.lookForUpdate)
        }
    }

    // MARK: - Faults and damage

    private static func fault(_ spec: FaultSpec, name: String) -> Fault {
        var fault = Fault(id: name, kind(spec.kind))
        switch spec.path?.value {
        case nil: fault.target = .all
        case "manifest": fault.target = .manifest
        case "index": fault.target = .index
        case "outcomes": fault.target = .outcomes
        case .some(let route): fault.target = .route(route)
        }
        fault.edge = spec.edge?.value
        fault.nth = spec.nth.map { Int($0.value) }
        fault.times = spec.times.map { Int($0.value) }
        fault.duration = spec.duration?.value
        return fault
    }

    private static func kind(_ kind: FaultKind) -> Fault.Kind {
        switch kind {
        case .refuse: .refuse
        case .dnsFailure: .dnsFailure
        case .connectTimeout: .connectTimeout
        case .insecure: .insecure
        case .offline: .offline
        case .staleEdge: .staleEdge
        case .captivePortal: .captivePortal
        case .indexForUnknown: .indexForUnknown
        case .reset(let after): .reset(after: after.map(amount))
        case .stall(let after): .stall(after: after.map(amount))
        case .truncate(let after): .truncate(after: amount(after))
        case .corrupt(let bytes, let at): .corrupt(bytes: Int(bytes), at: at.map(amount))
        case .status(let status, let headers): .status(Int(status), fields: headers.map(field))
        case .answer(let spec): .answer(answer(spec))
        case .slow(.answers, let by): .slowAnswers(by: by)
        case .slow(.diskReads, let by): .slowDisk(.reads, by: by)
        case .slow(.diskWrites, let by): .slowDisk(.writes, by: by)
        case .slow(.diskSyncs, let by): .slowDisk(.syncs, by: by)
        case .slow(.diskRemoves, let by): .slowDisk(.removes, by: by)
        case .noSpace(let after): .noSpace(after: Int(after))
        case .shortWrites(let most): .shortWrites(Int(most))
        case .lockedDevice: .diskDenied
        case .readOnlyDisk: .diskReadOnly
        case .portTaken: .portTaken
        }
    }

    private static func field(_ spec: HeaderSpec) -> OriginField {
        OriginField(spec.name.value, spec.value.value)
    }

    private static func answer(_ spec: AnswerSpec) -> AnswerSetup {
        var answer = AnswerSetup(status: Int(spec.status.value))
        answer.fields = spec.headers.map(field)
        if let span = spec.retryAfter {
            answer.fields.append(OriginField("Retry-After", "\(span.value.microseconds / 1_000_000)"))
        }
        answer.body = spec.body?.value
        answer.bytesOf = spec.bytesOf?.value
        answer.from = spec.from.map { Int($0.value) }
        answer.etag = spec.etag?.value
        return answer
    }

    package static func amount(_ amount: ScenarioLanguage.Amount) -> WorldAmount {
        switch amount {
        case .percent(let count): .percent(Int(count))
        case .bytes(let count): .bytes(Int(count))
        }
    }

    private static func thing(_ thing: ScenarioLanguage.StoredThing) -> WorldStoredThing {
        switch thing {
        case .content(let file): .content(version: file.version, route: file.route)
        case .record: .record
        case .records: .records
        case .starts: .starts
        }
    }

    private static func damage(_ damage: ScenarioLanguage.Damage) -> WorldDamage {
        switch damage {
        case .truncate(let to): .truncate(to: amount(to))
        case .flip(let bytes): .flip(bytes: Int(bytes))
        case .remove: .remove
        case .readError(let at): .readError(at: amount(at))
        }
    }

    // MARK: - Triggers

    package static func trigger(_ trigger: ScenarioLanguage.Trigger) -> WorldTrigger {
        switch trigger {
        case .at(let span): .at(span.value)
        case .delay(let span): .delay(span.value)
        case .when(let awaited): .when(condition(awaited.value))
        case .after(let awaited): .after(condition(awaited.value))
        }
    }

    private static func condition(_ condition: ScenarioLanguage.Condition) -> WorldCondition {
        switch condition {
        case .stored(let part, let route): .stored(amount(part), of: route.value)
        case .asked(let route, let nth): .asked(route.value, nth: Int(nth))
        case .fetched(let route): .fetched(route.value)
        case .pending(let name): .pending(name.value)
        case .running(let name): .running(name.value)
        case .started(let name): .started(name.value)
        case .confirmed(let name): .confirmed(name.value)
        case .progress(let percent): .progress(Int(percent))
        }
    }

    package static func race(_ event: ScenarioLanguage.RacingEvent) -> WorldRacingEvent {
        switch event {
        case .navigationStarts: .navigationStarts
        case .indexRequested: .indexRequested
        case .switchApplied: .switchApplied
        case .confirmationArrives: .confirmationArrives
        }
    }
}
