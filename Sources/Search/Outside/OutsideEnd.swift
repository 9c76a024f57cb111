import ScenarioLanguage

/// The last steps of a world for an updater that is seen from outside: nothing is wrong any more, and a
/// version that was never offered before and has no fault comes to the origin. An app that does not show it
/// after some launches and checks is stuck, whatever its updater's policy.
package struct OutsideEnd: Sendable {
    /// Name of the version; nil: the scenario has none that any build could take, and that a page comes up is
    /// all that is expected.
    let version: String?
    private let updater: OutsideUpdater

    init(version: String?, _ updater: OutsideUpdater) {
        self.version = version
        self.updater = updater
    }

    /// Requests after which a world was a loop of requests: its versions have some files, and it asks for
    /// them a few times.
    private static let mostRequests: Int64 = 400

    /// The first step of a world: a loop of requests would never come to an end.
    static let watch: PrintedValue = [
        "never": ["requests": ["all": ["atLeast": .number(mostRequests + 1)]]],
        "because": "no loop of requests",
    ]

    /// Limit of the events of a world.
    static let limits: PrintedValue = ["events": 20_000]

    var steps: [PrintedValue] {
        let check: [PrintedValue] = updater.checks ? [["check": true]] : []
        let begin: [PrintedValue] = [
            ["heal": true], ["network": "online"], ["relaunch": true], ["settle": true],
        ]
        guard let version else {
            return begin + [["expect": ["page": "ready"], "within": "30s"]]
        }
        // It is deployed in each round: another deploy of the world may still have waited for a request.
        let deploy: [PrintedValue] = [["deploy": .text(version)]]
        let round = deploy + check + [["settle": true], ["relaunch": true], ["settle": true]]
        return begin + [
            ["repeat": 3, "steps": .list(round)], ["page": "reload"],
            [
                "expect": ["running": .text(version), "page": "ready"], "within": "30s",
                "because": "nothing is wrong any more",
            ],
        ]
    }

    /// Whether a scenario has all of such an end, without which its expectations say nothing.
    package static func isWhole(in scenario: Scenario) -> Bool {
        let begin: [Verb] = [.heal, .network, .relaunch, .settle]
        let ends: [[Verb]] = [
            begin + [.expect], begin + [.repeat, .page, .expect],
        ]
        let verbs = scenario.steps.map(\.verb)
        return ends.contains { verbs.suffix($0.count) == $0[...] }
    }
}
