import Core
import ScenarioLanguage
import Updater

/// Candidate steps that could cause the next entry of a log, the most likely first.
struct LogCandidates {
    private typealias CandidateStep = LogSearch.CandidateStep

    private let reconstruction: LogReconstruction
    private let state: LogSearch.State
    private let entry: ReportReading.Entry
    /// Entries after ``entry``, up to the end of its process.
    private let following: ArraySlice<ReportReading.Entry>

    init(_ search: LogSearch, _ state: LogSearch.State) {
        reconstruction = search.reconstruction
        self.state = state
        entry = search.targets[state.matched]
        let rest = search.targets[(state.matched + 1)...]
        following = rest.prefix { $0.cause != .launched }
    }

    /// All candidates; each is a list of steps.
    var all: [[LogSearch.CandidateStep]] {
        if entry.cause == .launched { return launches }
        var groups: [[Action]] = []
        if reconstruction.reading.entries[0].line != entry.line || !state.steps.isEmpty { groups.append([]) }
        groups += actionGroups
        let wait = leadTime
        return groups.map { actions in
            let steps = actions.map { CandidateStep(action: $0, guess: LogCandidates.guess($0)) }
            return wait > .zero && !actions.isEmpty
                ? [CandidateStep(action: .wait(Spanned(wait)), guess: nil)] + steps : steps
        }
    }

    /// Time until the cause of the entry must happen, which is earlier than the entry because an answer takes
    /// time.
    private var leadTime: TimeSpan {
        guard let after = entry.after else { return .seconds(1) }
        // A check that joins another one is logged at once.
        let answer = entry.cause == .checkJoined ? TimeSpan.zero : .milliseconds(130)
        let begin = state.launchedAt + after - answer
        let span = begin - state.world.now
        return span > .zero ? TimeSpan.milliseconds(span.microseconds / 1_000) : .zero
    }

    /// What the report does not say about an action.
    private static func guess(_ action: Action) -> String? {
        switch action {
        case .kill: "what ended it"
        case .fault(let fault) where fault.kind == .slowAnswers: "that its check had no answer yet"
        case .fault(let fault) where fault.kind.isManifest: "what the origin said instead of a manifest"
        case .fault: "where and how often"
        case .disk: "what was damaged, and how"
        case .network: "what was wrong with the network"
        default: nil
        }
    }

    // MARK: - Start of a process

    private var launches: [[LogSearch.CandidateStep]] {
        let isFront = entry.detail("front") != "false"
        var groups: [[LogSearch.CandidateStep]] = []
        for before in beforeLaunch {
            for end in processEnds {
                let steps = end + before.map { CandidateStep(action: $0, guess: LogCandidates.guess($0)) }
                groups.append(steps + [CandidateStep(action: .launch(front: isFront), guess: nil)])
            }
        }
        return groups
    }

    /// Candidates for the end of the previous process.
    private var processEnds: [[LogSearch.CandidateStep]] {
        if state.steps.isEmpty { return [[]] }
        var actions: [Action] = []
        switch entry.detail("last-exit") {
        case ExitRecord.crash.rawValue: actions = [.kill(.crash)]
        case ExitRecord.notResponding.rawValue: actions = [.kill(.notResponding)]
        case ExitRecord.lowMemory.rawValue: actions = [.kill(.lowMemory)]
        case ExitRecord.userRequested.rawValue: actions = [.kill(.user)]
        case ExitRecord.other.rawValue: actions = [.kill(.system)]
        default: actions = [.kill(.user), .kill(.crash)]
        }
        let boot = entry.detail("boot")
        if boot != nil, boot != lastBoot, lastBoot != nil {
            actions = [.powerCut(.nothing), .restart] + actions
        }
        var groups: [[LogSearch.CandidateStep]] = []
        for wait in [TimeSpan.seconds(1), .seconds(15), .zero] {
            for action in actions {
                let hasExitReason = entry.detail("last-exit") != nil
                let guess = hasExitReason ? "when it ended" : "how and when it ended"
                let end = CandidateStep(action: action, guess: guess)
                groups.append(
                    wait == .zero ? [end] : [CandidateStep(action: .wait(Spanned(wait)), guess: nil), end])
            }
        }
        // The process may have ended without an action.
        let longWait = CandidateStep(action: .wait(Spanned(.seconds(25))), guess: "how long it was looked at")
        groups.append([longWait])
        groups.append(
            [CandidateStep(action: .background, guess: "that it left the front"), longWait]
                + groups[0].suffix(1))
        return groups
    }

    private var lastBoot: String? {
        reconstruction.reading.entries.last { $0.cause == .launched && $0.line < entry.line }?.detail("boot")
    }

    /// Candidates for the actions between the processes, from the log of the new one.
    private var beforeLaunch: [[Action]] {
        var groups: [[Action]] = [[]]
        let build = entry.detail("native")
        if let build, build != state.build, reconstruction.builds.contains(where: { $0.number == build }) {
            groups = [[.storeUpdate(build: Spanned(build))]]
        }
        let base = groups
        if let next = following.first(where: { $0.cause == .downloadStarted }), let name = name(next.version),
            !state.deployedVersions.contains(name)
        {
            let deploys = faults.map { $0 + [Action.deploy(name, kind(name))] }
            let deployedFirst = base.flatMap { group in deploys.map { group + $0 } }
            let startsSoon = (next.after ?? .zero) < .seconds(2)
            groups = startsSoon ? deployedFirst + groups : groups + deployedFirst
        }
        // A launch checks automatically; if no result was logged, the answer was slow.
        let isChecked = following.contains { LogCandidates.checkOutcomes.contains($0.cause) }
        if isChecked, state.hasSlowAnswers { groups = groups.map { [.heal(nil)] + $0 } }
        if !isChecked, !state.hasSlowAnswers {
            groups += base.map { $0 + [.fault(.slowAnswers, on: .manifest)] }
        }
        if following.contains(where: { $0.cause == .checkFailed }) {
            groups +=
                base.map { $0 + [.network(.offline)] }
                + base.map { $0 + [.heal(nil), .network(.online)] }
        }
        if let refused = refusedManifest { groups += base.map { $0 + refused } }
        if let orders { groups += base.map { $0 + orders } }
        return groups + damage.flatMap { action in base.map { $0 + [action] } }
    }

    /// Causes of the entries that end a check.
    private static let checkOutcomes: [LogCause] = [
        .upToDate, .nothingOffered, .alreadyPending, .alreadyDownloading, .olderThanAccepted,
        .contradictsAccepted, .leftBefore, .blacklisted, .parkedOffer, .recalledOffer, .checkFailed,
        .downloadStarted, .originAskedToWait, .rolledBackByOrder, .embeddedByOrder, .manifestUnreadable,
        .manifestUnknownFormat, .manifestWithoutVersion, .manifestFieldMissing,
    ]

    /// A single answer that is not a valid manifest, if the process refused one.
    private var refusedManifest: [Action]? {
        for later in [entry] + following {
            guard let text = reconstruction.manifest(refusedFor: later.cause) else { continue }
            return [.fault(.manifest(text), on: .manifest, times: 1)]
        }
        return nil
    }

    /// Damage of stored files that the process logged.
    private var damage: [Action] {
        var actions: [Action] = []
        let causes = following.map(\.cause)
        if causes.contains(.recordLost) || entry.cause == .recordLost {
            actions.append(.flip(.records))
        }
        if causes.contains(.recordFellBack) || entry.cause == .recordFellBack {
            actions.append(.flip(.record))
        }
        for later in following where later.cause == .contentDamaged {
            if let name = name(later.version) {
                actions.append(.flip(.content(FileReference(version: name, route: "/app.js"))))
            }
        }
        return actions
    }

    /// Order of the origin that the process logged.
    private var orders: [Action]? {
        for later in following {
            guard let name = name(later.version) else { continue }
            switch later.cause {
            case .recalled: return [.recall(name)]
            case .unblocked: return [.unblock(name)]
            case .rolledBackByOrder: return [.deploy(name, .rollBack)]
            case .embeddedByOrder: return [.deployEmbedded]
            default: continue
            }
        }
        return nil
    }

    // MARK: - Within a process

    /// Candidates for the cause of an entry other than a launch.
    private var actionGroups: [[Action]] {
        let name = name(entry.version)
        switch entry.cause {
        case .switched: return switches
        case .recalled: return name.map { [[.recall($0), .check]] } ?? []
        case .unblocked: return name.map { [[.unblock($0), .check]] } ?? []
        case .rolledBackByOrder: return name.map { [[.deploy($0, .rollBack), .check]] } ?? []
        case .embeddedByOrder: return [[.deployEmbedded, .check]]
        case .checkJoined: return [[.check], [.check, .check]]
        case .recordLost, .recordFellBack: return []
        case .waitsForNetwork: return [[.network(.metered), .check]]
        case .olderThanAccepted: return [[.fault(.staleEdge), .check], [.check]]
        case .originAskedToWait:
            return [[.fault(.busy, on: .manifest, times: 1), .check], [.check]]
        case .startMarked, .startConfirmed, .becamePending:
            return [[.reload], [.heal(nil)], [.background, .push], [.check]]
        case .parkingEnded: return [[.looksForUpdate]]
        case .startUnclearByClock: return [[.network(.offline)], [.types]]
        case .rescued, .rescuePostponed: return [[.types], [.background]]
        default: return checks
        }
    }

    /// Candidates for a switch to another version.
    private var switches: [[Action]] {
        switch entry.detail("moment") {
        case "reload": [[.reload]]
        case "switch", "commanded": [[.switchCall], [.reload]]
        case "push": [[.background, .push], [.push]]
        default: [[.switchCall], [.reload], [.background, .push], [.background, .foreground]]
        }
    }

    /// Candidates with a check: what was deployed, and which fault occurred.
    private var checks: [[Action]] {
        var groups: [[Action]] = []
        let version = entry.cause == .downloadStarted || entry.cause == .checkFailed ? entry.version : nil
        let next = version ?? following.first { $0.cause == .downloadStarted }?.version ?? entry.version
        // A version that the origin already offers is not deployed again.
        if let name = name(next),
            !state.deployedVersions.contains(name)
                || (entry.cause == .downloadStarted && state.deployedVersions.last != name)
        {
            for fault in faults { groups.append(fault + [.deploy(name, kind(name)), .check]) }
        }
        if reconstruction.manifest(refusedFor: entry.cause) != nil, let refusedManifest {
            groups.insert(refusedManifest + [.check], at: 0)
        }
        for fault in faults { groups.append(fault + [.check]) }
        if entry.cause == .checkFailed { groups.insert([.network(.offline), .check], at: 0) }
        if let name = name(entry.version) {
            groups += [[.deploy(name, kind(name)), .check], [.deploy(name, .rollBack), .check]]
        }
        return groups + [[.heal(nil), .check], [.background, .push], [.reload]]
    }

    /// Candidates for the faults before the version is complete; the last one is none.
    private var faults: [[Action]] {
        let untilPending = ([entry] + following).prefix { $0.cause != .becamePending }
        func count(_ cause: LogCause) -> Int { untilPending.count { $0.cause == cause } }
        let causes: [(LogCause, FaultKind, RequestSubject)] = [
            (.transferFailed, .resetHalfway, "/app.js"), (.transferStalled, .stallHalfway, "/app.js"),
            (.contentMismatch, .corrupt(bytes: 1, at: nil), "/app.js"),
            (.lengthMismatch, .truncate(.percent(50)), "/app.js"),
            (.statusRefused, status, "/app.js"), (.checkFailed, .refuse, .manifest),
            (.checkFailed, .status(503, headers: []), .manifest),
        ]
        var groups: [[Action]] = []
        for (cause, kind, target) in causes where count(cause) > 0 {
            groups.append([.fault(kind, on: target, times: count(cause))])
        }
        if count(.noSpace) > 0 { groups.append([.fault(.noSpace(after: 0))]) }
        if count(.transferFailed) > 0 {
            groups.append([.fault(.refuse, on: "/app.js", times: count(.transferFailed))])
        }
        return groups + [[]]
    }

    /// The status that the process logged.
    private var status: FaultKind {
        let refused = ([entry] + following).first { $0.cause == .statusRefused }
        return .status(refused?.detail("status").flatMap { Int($0) } ?? 404, headers: [])
    }

    // MARK: - Versions

    private func name(_ id: String?) -> String? { id.flatMap { reconstruction.name(ofID: $0) } }

    /// The deployment order of a version, according to its entries.
    private func kind(_ name: String) -> DeployOrder {
        let causes = reconstruction.reading.entries.filter { self.name($0.version) == name }.map(\.cause)
        if causes.contains(.forced) { return .force }
        return causes.contains(.rolledBackByOrder) ? .rollBack : .update
    }
}
