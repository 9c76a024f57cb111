import Core
import ScenarioLanguage
import Updater

/// What could bring the next entry of a log, the likeliest first.
struct LogCandidates {
    private typealias Line = LogSearch.Line

    private let story: LogReconstruction
    private let state: LogSearch.State
    private let entry: ReportReading.Entry
    /// After it, up to the end of its process.
    private let ahead: ArraySlice<ReportReading.Entry>

    init(_ search: LogSearch, _ state: LogSearch.State) {
        story = search.story
        self.state = state
        entry = search.wanted[state.met]
        let rest = search.wanted[(state.met + 1)...]
        ahead = rest.prefix { $0.cause != .launched }
    }

    var all: [[LogSearch.Line]] {
        if entry.cause == .launched { return launches }
        var groups: [[LogMove]] = []
        if story.reading.entries[0].line != entry.line || state.lines.isEmpty == false { groups.append([]) }
        groups += moves.map { $0 }
        let wait = lead
        return groups.map { moves in
            let lines = moves.map { Line(move: $0, guess: LogCandidates.guess($0)) }
            return wait > .zero && !moves.isEmpty
                ? [Line(move: .wait(Spanned(wait)), guess: nil)] + lines : lines
        }
    }

    /// Until what brings it must happen: an answer takes some time.
    private var lead: TimeSpan {
        guard let after = entry.after else { return .seconds(1) }
        // A check that joins another one is told at once.
        let answer = entry.cause == .checkJoined ? TimeSpan.zero : .milliseconds(130)
        let begin = state.launchedAt + after - answer
        let span = begin - state.world.now
        return span > .zero ? TimeSpan.milliseconds(span.microseconds / 1_000) : .zero
    }

    private static func guess(_ move: LogMove) -> String? {
        switch move {
        case .kill: "what ended it"
        case .fault(let fault) where fault.kind == .slowAnswers: "that its check had no answer yet"
        case .fault(let fault) where fault.kind.isManifest: "what the origin said instead of a manifest"
        case .fault: "where and how often"
        case .disk: "what was damaged, and how"
        case .network: "what was wrong with the network"
        default: nil
        }
    }

    // MARK: - A process begins

    private var launches: [[LogSearch.Line]] {
        let isFront = entry.fact("front") != "false"
        var groups: [[LogSearch.Line]] = []
        for before in beforeLaunch {
            for end in ends {
                let lines = end + before.map { Line(move: $0, guess: LogCandidates.guess($0)) }
                groups.append(lines + [Line(move: .launch(front: isFront), guess: nil)])
            }
        }
        return groups
    }

    /// How the process before ended, and when.
    private var ends: [[LogSearch.Line]] {
        if state.lines.isEmpty { return [[]] }
        var moves: [LogMove] = []
        switch entry.fact("last-exit") {
        case ExitRecord.crash.rawValue, ExitRecord.notResponding.rawValue: moves = [.kill(.crash)]
        case ExitRecord.lowMemory.rawValue: moves = [.kill(.lowMemory)]
        case ExitRecord.userRequested.rawValue: moves = [.kill(.user)]
        case ExitRecord.other.rawValue: moves = [.kill(.system)]
        default: moves = [.kill(.user), .kill(.crash)]
        }
        let boot = entry.fact("boot")
        if boot != nil, boot != lastBoot, lastBoot != nil { moves = [.powerCut(.nothing), .restart] + moves }
        var groups: [[LogSearch.Line]] = []
        for wait in [TimeSpan.seconds(1), .seconds(15), .zero] {
            for move in moves {
                let isToldWhy = entry.fact("last-exit") != nil
                let why = isToldWhy ? "when it ended" : "how and when it ended"
                let end = Line(move: move, guess: why)
                groups.append(wait == .zero ? [end] : [Line(move: .wait(Spanned(wait)), guess: nil), end])
            }
        }
        // It may have died by itself.
        let patience = Line(move: .wait(Spanned(.seconds(25))), guess: "how long it was looked at")
        groups.append([patience])
        groups.append(
            [Line(move: .background, guess: "that it left the front"), patience] + groups[0].suffix(1))
        return groups
    }

    private var lastBoot: String? {
        story.reading.entries.last { $0.cause == .launched && $0.line < entry.line }?.fact("boot")
    }

    /// What happened before the launch that its process tells of.
    private var beforeLaunch: [[LogMove]] {
        var groups: [[LogMove]] = [[]]
        let build = entry.fact("native")
        if let build, build != state.build, story.builds.contains(where: { $0.number == build }) {
            groups = [[.storeUpdate(build: Spanned(build))]]
        }
        let former = groups
        if let next = ahead.first(where: { $0.cause == .downloadStarted }), let name = name(next.version),
            !state.deployed.contains(name)
        {
            let deploys = faults.map { $0 + [LogMove.deploy(name, kind(name))] }
            let early = former.flatMap { group in deploys.map { group + $0 } }
            let isSoon = (next.after ?? .zero) < .seconds(2)
            groups = isSoon ? early + groups : groups + early
        }
        // A launch checks by itself; where nothing came of it the answer was slow.
        let isChecked = ahead.contains { LogCandidates.outcomes.contains($0.cause) }
        if isChecked, state.isSlow { groups = groups.map { [.heal(nil)] + $0 } }
        if !isChecked, !state.isSlow {
            groups += former.map { $0 + [.fault(.slowAnswers, on: .manifest)] }
        }
        if ahead.contains(where: { $0.cause == .checkFailed }) {
            groups +=
                former.map { $0 + [.network(.offline)] }
                + former.map { $0 + [.heal(nil), .network(.online)] }
        }
        if let refused = refusedManifest { groups += former.map { $0 + refused } }
        if let orders { groups += former.map { $0 + orders } }
        return groups + damage.flatMap { one in former.map { $0 + [one] } }
    }

    /// What a check can come to.
    private static let outcomes: [LogCause] = [
        .upToDate, .nothingOffered, .alreadyPending, .alreadyDownloading, .olderThanAccepted,
        .contradictsAccepted, .leftBefore, .blacklisted, .parkedOffer, .recalledOffer, .checkFailed,
        .downloadStarted, .originAskedToWait, .rolledBackByOrder, .embeddedByOrder, .manifestUnreadable,
        .manifestUnknownFormat, .manifestWithoutVersion, .manifestFieldMissing,
    ]

    /// What the origin says instead of a manifest, once.
    private var refusedManifest: [LogMove]? {
        for row in [entry] + ahead {
            guard let text = story.manifest(refusedFor: row.cause) else { continue }
            return [.fault(.manifest(text), on: .manifest, times: 1)]
        }
        return nil
    }

    /// Told before or right after the launch.
    private var damage: [LogMove] {
        var moves: [LogMove] = []
        let causes = ahead.map(\.cause)
        if causes.contains(.recordLost) || entry.cause == .recordLost {
            moves.append(.flip(.records))
        }
        if causes.contains(.recordFellBack) || entry.cause == .recordFellBack {
            moves.append(.flip(.record))
        }
        for row in ahead where row.cause == .contentDamaged {
            if let name = name(row.version) {
                moves.append(.flip(.content(FileReference(version: name, route: "/app.js"))))
            }
        }
        return moves
    }

    private var orders: [LogMove]? {
        for row in ahead {
            guard let name = name(row.version) else { continue }
            switch row.cause {
            case .recalled: return [.recall(name)]
            case .unblocked: return [.unblock(name)]
            case .rolledBackByOrder: return [.deploy(name, .rollBack)]
            case .embeddedByOrder: return [.deployEmbedded]
            default: continue
            }
        }
        return nil
    }

    // MARK: - In a process

    private var moves: [[LogMove]] {
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

    private var switches: [[LogMove]] {
        switch entry.fact("moment") {
        case "reload": [[.reload]]
        case "switch", "commanded": [[.switchCall], [.reload]]
        case "push": [[.background, .push], [.push]]
        default: [[.switchCall], [.reload], [.background, .push], [.background, .foreground]]
        }
    }

    /// A check, with what the origin has and what goes wrong on the way.
    private var checks: [[LogMove]] {
        var groups: [[LogMove]] = []
        let version = entry.cause == .downloadStarted || entry.cause == .checkFailed ? entry.version : nil
        let next = version ?? ahead.first { $0.cause == .downloadStarted }?.version ?? entry.version
        // What the origin has already need not be deployed once more to be found.
        if let name = name(next),
            !state.deployed.contains(name)
                || (entry.cause == .downloadStarted && state.deployed.last != name)
        {
            for fault in faults { groups.append(fault + [.deploy(name, kind(name)), .check]) }
        }
        if story.manifest(refusedFor: entry.cause) != nil, let refusedManifest {
            groups.insert(refusedManifest + [.check], at: 0)
        }
        for fault in faults { groups.append(fault + [.check]) }
        if entry.cause == .checkFailed { groups.insert([.network(.offline), .check], at: 0) }
        if let name = name(entry.version) {
            groups += [[.deploy(name, kind(name)), .check], [.deploy(name, .rollBack), .check]]
        }
        return groups + [[.heal(nil), .check], [.background, .push], [.reload]]
    }

    /// What goes wrong before the version is there; none of it last.
    private var faults: [[LogMove]] {
        let window = ([entry] + ahead).prefix { $0.cause != .becamePending }
        func count(_ cause: LogCause) -> Int { window.count { $0.cause == cause } }
        let causes: [(LogCause, FaultKind, RequestSubject)] = [
            (.transferFailed, .resetHalfway, "/app.js"), (.transferStalled, .stallHalfway, "/app.js"),
            (.contentMismatch, .corrupt(bytes: 1, at: nil), "/app.js"),
            (.lengthMismatch, .truncate(.percent(50)), "/app.js"),
            (.statusRefused, status, "/app.js"), (.checkFailed, .refuse, .manifest),
            (.checkFailed, .status(503, headers: []), .manifest),
        ]
        var groups: [[LogMove]] = []
        for (cause, kind, target) in causes where count(cause) > 0 {
            groups.append([.fault(kind, on: target, times: count(cause))])
        }
        if count(.noSpace) > 0 { groups.append([.fault(.noSpace(after: 0))]) }
        if count(.transferFailed) > 0 {
            groups.append([.fault(.refuse, on: "/app.js", times: count(.transferFailed))])
        }
        return groups + [[]]
    }

    private var status: FaultKind {
        let told = ([entry] + ahead).first { $0.cause == .statusRefused }
        return .status(told?.fact("status").flatMap { Int($0) } ?? 404, headers: [])
    }

    // MARK: - Versions

    private func name(_ id: String?) -> String? { id.flatMap { story.name(ofID: $0) } }

    /// How it was published, as far as its entries say so.
    private func kind(_ name: String) -> DeployOrder {
        let own = story.reading.entries.filter { self.name($0.version) == name }.map(\.cause)
        if own.contains(.forced) { return .force }
        return own.contains(.rolledBackByOrder) ? .rollBack : .update
    }
}
