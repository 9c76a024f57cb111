import Core
import ScenarioLanguage

/// All disturbances that a sweep tries in a scenario.
///
/// The list follows the verbs and faults of the language: a test holds that each verb that acts and each kind
/// of fault is in it, or in ``leftOut`` with a reason.
package enum SweepDisturbances {
    package static func all(for scenario: Scenario) -> [SweepDisturbance] {
        process + surroundings + users(scenario) + pages + origin(scenario) + requests(scenario)
            + disk(scenario)
    }

    /// Verbs that act and that no sweep tries.
    package static let leftOut: [(verb: Verb, reason: String)] = [
        (.client, "needs a scenario's own route and key; explore draws it"),
        (.foreground, "comes after each background"),
        (.active, "comes after each inactive"),
        (.resume, "a suspended process resumes after its time"),
        (.heal, "each fault ends by itself, and all end before the device is used further"),
        (.crash, "crash points try it"),
    ]

    // MARK: - The process and its surroundings

    private static let away: [TimeSpan] = [
        .seconds(1), .seconds(29), .seconds(31), .minutes(31), .days(1), .days(7),
    ]

    private static var process: [SweepDisturbance] {
        var all: [SweepDisturbance] = [.init(.change, .kill(.user)), .init(.change, .relaunch)]
        let launch = [(after: TimeSpan.seconds(1), action: Action.launch(.foreground))]
        all += DeathCause.kills.map { .init(.change, .kill($0), then: launch) }
        all += [
            .init(.change, .powerCut(.nothing), then: launch), .init(.change, .restart, then: launch),
            .init(.change, .kill(.lowMemory), then: [(.seconds(1), .launch(.background))]),
            .init(.change, .launch(.foreground)),
        ]
        all += away.map { .init(.change, .background, then: [($0, .foreground)]) }
        all += away.prefix(3).map { .init(.change, .inactive, then: [($0, .active)]) }
        all += [TimeSpan.seconds(1), .minutes(31)].map { .init(.change, .suspend(for: $0)) }
        all += [TimeSpan.seconds(5), .minutes(1)].map { .init(.change, .freeze(for: $0)) }
        all.append(.init(.change, .socketsLost))
        return all
    }

    private static var surroundings: [SweepDisturbance] {
        let times: [TimeSpan] = [.seconds(5), .minutes(2), .minutes(20)]
        return times.map { .init(.change, .network(.offline), then: [($0, .network(.online))]) }
            + [
                .init(.change, .network(.metered), then: [(.minutes(2), .network(.online))]),
                .init(.change, .check), .init(.change, .push),
                .init(.change, fault(.lateTimers(.seconds(30)), for: .minutes(2))),
                .init(.change, fault(.offline, for: .seconds(10))),
                .init(.change, fault(.portTaken, for: .minutes(1)), then: [(.seconds(1), .restart)]),
                .init(.change, fault(.portRefused, for: .minutes(1)), then: [(.seconds(1), .socketsLost)]),
            ]
    }

    // MARK: - The user and the page

    private static func users(_ scenario: Scenario) -> [SweepDisturbance] {
        var other = SettingsSpec()
        other.user = Spanned("another")
        var channel = SettingsSpec()
        channel.channel = Spanned("other")
        let current = scenario.app.builds.map(\.name.value)
        return [
            .init(.change, .user(.types(from: nil, to: nil))), .init(.change, .user(.taps)),
            .init(.change, .user(.tapsLink)), .init(.change, .user(.swipesAway)),
        ] + ScreenButton.allCases.map { .init(.change, .user(.presses($0))) } + [
            .init(.change, .set(other)), .init(.change, .set(channel)),
        ] + current.map { .init(.change, .storeUpdate(build: Spanned($0))) }
    }

    private static var pages: [SweepDisturbance] {
        let plain: [PageAction] = [
            .reload, .reloadFromOrigin, .replaceLocation, .tapsLink, .submitsForm, .goesBack, .dies,
            .follows(Spanned("/help")), .pushes(Spanned("/help")), .opens(Spanned("/")),
            .stores(Spanned("note")), .setsCookie(Spanned("visit")),
            .asks(Spanned("/")), .asks(Spanned("/missing")), .embeds(Spanned("/")),
            .sends(Spanned("{\"call\":1}"), size: nil),
        ]
        let calls = BridgeCall.allCases.map { PageAction.calls(Spanned($0)) }
        return (plain + calls).map { .init(.change, .page(PageSpec(action: $0))) }
            + NativeAnswerMode.allCases.map {
                .init(.change, .native(NativeSpec(method: Spanned("cart"), answer: $0)))
            }
            // From a page that starts again and calls at once.
            + [
                .init(
                    .change, .page(PageSpec(action: .reload)),
                    then: [(.microseconds(1), .page(PageSpec(action: .calls(Spanned(.startupDidComplete)))))])
            ]
    }

    // MARK: - The origin

    private static func origin(_ scenario: Scenario) -> [SweepDisturbance] {
        let versions = scenario.versions.map(\.name)
        var all: [SweepDisturbance] = []
        for version in versions.prefix(3) {
            all += [
                .init(.change, .deploy(DeploySpec(version))),
                .init(.change, .deploy(DeploySpec(version, keepsOldFiles: false))),
                .init(.change, .recall([version])),
                .init(.change, .recall([version]), then: [(.minutes(1), .unblock([version]))]),
            ]
        }
        for version in versions.suffix(1) {
            var files = DeploySpec(version)
            var manifest = DeploySpec(version)
            (files.parts, manifest.parts) = (.files, .manifest)
            all += [
                .init(.change, .deploy(files), then: [(.seconds(20), .deploy(manifest))]),
                .init(.change, .deploy(manifest), then: [(.seconds(20), .deploy(files))]),
                .init(.change, .deploy(DeploySpec(version, order: .force))),
                .init(.change, .unblock([version])),
            ]
        }
        all.append(.init(.change, .deploy(DeploySpec(nil, order: .embedded))))
        return all + scenario.origin.edges.map { .init(.change, .route(edge: $0)) }
    }

    static func fault(
        _ kind: FaultKind, _ target: RequestSubject? = nil, times: Int? = nil, for span: TimeSpan? = nil
    ) -> Action {
        var spec = FaultSpec(kind, target: target)
        spec.times = times.map { Spanned($0) }
        spec.duration = span.map { Spanned($0) }
        return .fault(spec)
    }
}

extension Action {
    fileprivate static var relaunch: Action { .relaunch(.foreground) }
}
