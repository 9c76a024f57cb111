import Core
import ScenarioLanguage

/// One thing that happens to an updater that is seen from outside, in the words of the scenario language.
///
/// What concerns the network happens at a request, whose number is exact because the origin is the
/// laboratory's. What concerns the process happens at a request as well, or at a time.
struct OutsideDisturbance: Hashable, Sendable {
    /// Where its steps belong in the story of an update.
    enum Place: Hashable, Sendable {
        /// Before the version is deployed and the app checks: for what waits for a request.
        case before
        /// While the app downloads.
        case during
        /// While the new version starts.
        case start
    }

    enum Kind: CaseIterable, Hashable, Sendable {
        /// Faults of a transfer that each network has.
        case usualAnswer
        /// The others.
        case answer
        case killAtRequest, killAtTime, killAtStart, command, deploy, startup
    }

    /// The order in which worlds take the kinds, again and again: what is tried first matters where a world
    /// takes a second.
    static let order: [Kind] = [
        .usualAnswer, .killAtRequest, .startup, .usualAnswer, .command, .deploy, .usualAnswer, .killAtTime,
        .killAtStart, .answer,
    ]

    var kind: Kind
    var place: Place
    var steps: [PrintedValue]
    /// What becomes of the version that starts, as `startup` says it; nil: it starts well.
    var startup: PrintedValue?
    /// Whether a transfer may have no end until the fault is over.
    var canStall = false

    /// What asks the origin: the manifest, the index and files that differ between versions.
    static let targets: [RequestSubject] = [.manifest, .index, "/app.js", "/logo.png"]
    private static let files: [RequestSubject] = ["/app.js", .manifest]

    /// All of a kind.
    static func all(_ kind: Kind) -> [OutsideDisturbance] {
        switch kind {
        case .usualAnswer: files.flatMap { answers($0, times: 1) }.filter(\.isUsual)
        case .answer:
            targets.flatMap { target in [1, 3].flatMap { answers(target, times: $0) } }.filter { !$0.isUsual }
        case .killAtRequest: kills
        case .killAtTime: kills(.during, kind)
        case .killAtStart: kills(.start, kind)
        case .command: commands
        case .deploy: deploys
        case .startup: startups
        }
    }

    // MARK: - At a request

    /// - Parameters:
    ///   - nth: the only request that has the fault; nil: the next ones.
    ///   - times: how many of the next ones.
    static func answers(_ target: RequestSubject, nth: Int? = nil, times: Int? = nil) -> [OutsideDisturbance]
    {
        SweepDisturbances.faults.compactMap { kind in
            // Needs a second edge.
            if kind == .staleEdge { return nil }
            var spec = FaultSpec(kind, target: target)
            (spec.nth, spec.times) = (nth.map { Spanned($0) }, times.map { Spanned($0) })
            let canStall = [.connectTimeout, .blackHoledAddress].contains(kind) || kind.isSlow
            return OutsideDisturbance(
                kind: kind.isUsual ? .usualAnswer : .answer, place: .before,
                steps: [ScenarioPrinter.value(of: .fault(spec))], canStall: canStall)
        }
    }

    private static let causes = ["crash", "user", "system"]

    private static var kills: [OutsideDisturbance] {
        targets.flatMap { target in causes.flatMap { kills(target, nth: 1, $0) } }
    }

    /// A kill when the request reaches the origin, and one when its answer has arrived.
    static func kills(_ target: RequestSubject, nth: Int, _ cause: String) -> [OutsideDisturbance] {
        var asked: [PrintedValue.Pair] = [.init("asked", .text(target.text))]
        if nth > 1 { asked.append(.init("nth", .number(Int64(nth)))) }
        var all: [PrintedValue] = [["kill": .text(cause), "when": .object(asked)]]
        if case .route(let route) = target, nth == 1 {
            all.append(["kill": .text(cause), "after": ["fetched": .text(route)]])
        }
        return all.map { OutsideDisturbance(kind: .killAtRequest, place: .before, steps: [$0]) }
    }

    // MARK: - At a time

    private static let times: [TimeSpan] = [5, 20, 60, 150, 400, 1_000].map { .milliseconds($0) }

    /// One kill after the time, and two of them.
    private static func kills(_ place: Place, _ kind: Kind) -> [OutsideDisturbance] {
        times.flatMap { time in
            causes.flatMap { cause in
                let once: [PrintedValue] = [
                    ["wait": .duration(time)], ["kill": .text(cause)], ["wait": "200ms"], ["launch": true],
                ]
                return [once, once + once].map { OutsideDisturbance(kind: kind, place: place, steps: $0) }
            }
        }
    }

    // MARK: - Commands, users and the origin

    private static var commands: [OutsideDisturbance] {
        let steps: [[PrintedValue]] = [
            [["check": true]], [["check": true], ["check": true], ["wait": "100ms"], ["check": true]],
            [["relaunch": true]], [["relaunch": true], ["check": true]], [["page": "reload"]],
            [["background": true], ["wait": "40s"], ["foreground": true]],
            [["background": true], ["wait": "1s"], ["foreground": true]],
            [
                ["network": "offline"], ["wait": "2s"], ["relaunch": true], ["wait": "1s"],
                ["network": "online"],
            ],
            [["network": "offline"], ["wait": "5s"], ["network": "online"]],
            [["wait": "50ms"], ["check": true], ["wait": "50ms"], ["relaunch": true]],
            [["suspend": "1m"]],
        ]
        return steps.map { OutsideDisturbance(kind: .command, place: .during, steps: $0) }
            + [
                [["page": "reload"]], [["check": true]], [["check": true], ["page": "reload"]],
                [["background": true], ["wait": "1s"], ["foreground": true]], [["network": "offline"]],
            ].map { OutsideDisturbance(kind: .command, place: .start, steps: $0) }
    }

    /// The version after the one that is downloaded, or the one before, comes to the origin meanwhile.
    private static var deploys: [OutsideDisturbance] {
        let targets: [PrintedValue] = [
            ["asked": "manifest"], ["asked": "/app.js"], ["asked": "/logo.png"], ["fetched": "/app.js"],
        ]
        let versions: [[PrintedValue.Pair]] = [
            [.init("deploy", "v4")], [.init("deploy", "v4"), .init("keepFiles", false)],
            [.init("deploy", "v1")], [.init("deploy", "v1"), .init("keepFiles", false)],
            [.init("deploy", "v4"), .init("parts", "files"), .init("keepFiles", false)],
            [.init("deploy", "v4"), .init("parts", "manifest")],
        ]
        return targets.flatMap { target in
            versions.map { deploy in
                OutsideDisturbance(
                    kind: .deploy, place: .before,
                    steps: [.object(deploy + [PrintedValue.Pair("when", target)])])
            }
        } + versions.map { OutsideDisturbance(kind: .deploy, place: .during, steps: [.object($0)]) }
    }

    /// A version that does not start, and what users do with it.
    private static var startups: [OutsideDisturbance] {
        let failing: [PrintedValue] = [
            "hangs", "throws", "dies", ["ready": "after 4s"], ["ready": "after 6s"],
        ]
        let users: [[PrintedValue]] = [
            [["wait": "6s"], ["relaunch": true], ["wait": "6s"], ["relaunch": true], ["wait": "6s"]],
            [["wait": "12s"], ["page": "reload"], ["wait": "6s"]],
            [
                ["wait": "1s"], ["kill": "crash"], ["launch": true], ["wait": "1s"], ["kill": "crash"],
                ["launch": true], ["wait": "1s"], ["kill": "crash"], ["launch": true],
            ],
            [["wait": "1s"], ["background": true], ["wait": "20s"], ["foreground": true], ["wait": "6s"]],
            [["wait": "6s"], ["check": true], ["relaunch": true], ["wait": "6s"]],
        ]
        return failing.flatMap { startup in
            users.map {
                OutsideDisturbance(kind: .startup, place: .start, steps: $0, startup: startup)
            }
        }
    }
}

extension OutsideDisturbance {
    fileprivate var isUsual: Bool { kind == .usualAnswer }
}

extension FaultKind {
    /// Whether each network and each origin has it at times.
    fileprivate var isUsual: Bool {
        switch self {
        case .refuse, .captivePortal, .corrupt, .truncate(.percent), .reset(.percent), .stall(.percent): true
        case .status(let status, _): [206, 304, 404, 416, 500, 503].contains(status)
        case .answer(let spec): spec.body != nil
        default: false
        }
    }

    /// Whether an answer with it may take long, or for ever.
    fileprivate var isSlow: Bool {
        switch self {
        case .stall, .slow: true
        default: false
        }
    }
}
