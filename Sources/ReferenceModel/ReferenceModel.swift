import Backend
import Core

/// What the rules let an updater decide, computed a second time from what happened on one device.
///
/// The model receives the events of a run: processes and how they ended, what pages did, what the origin
/// answered, time. From them it computes by the rules alone which ends of starts, which waiting, parked and
/// blacklisted versions, and which version of a page load they allow, and compares with what the app reports
/// and shows. A difference is a ``Disagreement`` that names the clause. It shares no code with the updater
/// and knows neither its record nor its files, so that one mistake can't be on both sides.
///
/// Where the rules leave freedom, or a process ended while it wrote, a fact is the set of values that they
/// allow: ends of the open start (``OpenStart``), ranges of counts (``UnsyncedCount``), confirmations that
/// were not reported (``GoodVersions``). What the next process logs and reports shows which it is.
///
/// Silent about: everything after trouble with the disk (``hasTrouble``), because what is then lost is not
/// determined; starts of proven and embedded versions, which have no start record; versions that declare a
/// data schema (R12).
package struct ReferenceModel: Sendable {
    var app: AppSetup
    let profile: DeviceProfile
    var life: DeviceLife
    /// What the running process reported last, or the process before it.
    var report = Report()
    /// Versions that were parked before: another one that is parked takes their place (R7).
    var parkedBefore: [Version] = []
    /// Whether the running process has reported its state, and whether the one before had.
    var hasReported = false
    var hadReported = false
    /// What the process before reported last.
    var previousReport = Report()
    /// Starts of all processes on this build, the oldest first; ended ones are folded into ``histories``.
    var starts: [Start] = []
    var histories: [StartHistory] = []
    /// The end that was reported and whose consequence has not been compared.
    var consequence: DueConsequence?
    var wait: SecondChanceWait?
    var good = GoodVersions()
    var moments = Moments()
    /// Whether stored data or its record may differ from what processes wrote.
    var hasTrouble = false
    /// Those of the scenario.
    private let versions: [(name: String, id: String)]
    /// Ids and names of versions that an order of the origin names: recalled ones.
    var recalled: [String] = []
    /// Whether a version of the scenario declares a data schema.
    let hasSchemas: Bool
    var settingsChangedAt: Instant?
    /// When a page last confirmed without a call, before the settings changed.
    var serverConfirmedUntil: Instant?
    /// Whether the settings that versions depend on changed in this process or while none ran.
    var hasOtherAudience = false
    /// Whether they have ever changed. What was not offered since does not become pending again when recovery
    /// leaves it (U9), in later processes either; what was, may not have been recorded as offered.
    var hasChangedSettings = false
    /// Whether they changed while no process ran.
    var isAudienceChangedWithoutProcess = false
    var answers = ManifestAnswers()
    var obligations: [Obligation] = []
    var unconfirmed = UnconfirmedStarts()
    var broken = BrokenStarts()
    var checks = CheckReasons()
    var terms = EntryTerms()
    var offers = Offers()
    /// Whose signatures count (U16).
    var signing: SigningState
    var recalls = Recalls()
    /// Whether the first process of another build has not reported its state.
    var isFirstReportOfBuild = false
    /// What the start that was open when the process before ended may have ended as.
    var openAtLaunch: OpenStart?
    /// How often each clause was compared: what the rules allow with what the app did, where the two could
    /// have differed.
    private var compared = ClauseCounts()
    private var found: [Disagreement] = []

    package init(_ app: AppSetup, _ versions: [VersionSetup], _ profile: DeviceProfile) {
        self.app = app
        self.profile = profile
        life = DeviceLife(build: app.installed)
        signing = SigningState(app)
        self.versions = versions.map { (name: $0.name, id: $0.id) }
        hasSchemas = versions.contains { $0.dataSchema != nil }
    }

    /// Takes in one event of the device, or of none.
    /// - Returns: where the app differs from the rules; empty if it does not.
    package mutating func observe(_ event: TraceEvent) -> [Disagreement] {
        found = []
        pass(to: event.at)
        signing.observe(event)
        observeDevice(event)
        switch event.kind {
        case .recalled(let names):
            // An origin recalls an id, and with it each version that has it.
            recalled += names + versions.filter { names.contains($0.name) }.map(\.id)
        case .unblocked, .installed: recalls.end()
        case .powerCut(let survived, let written): if survived < written { wait?.powerCut() }
        case .damaged, .callsOnStoppedDisk: hasTrouble = true
        // The times that the rules give for a decision don't count the calls that it waits for.
        case .faultBegan(_, let diskDelay, _, let timerDelay, _):
            if diskDelay >= .seconds(1) { hasTrouble = true }
            life.timerDelay = max(life.timerDelay, timerDelay)
        case .settingsChanged(let change, let isByPage):
            settingsChange(byPage: isByPage, at: event.at)
            change.apply(to: &app.settings)
        case .networkChanged(let state):
            life.isOnline = state != .offline
            checks.allow(at: event.at)
            if state == .offline { checks.excuse() }
        case .checkRequested: checks.allow(at: event.at)
        case .status(let status):
            let before = report
            parkedBefore = report.parked
            report = Report(
                embedded: status.embedded.map { Version($0.id, $0.digest) },
                current: status.current.map { Version($0.id, $0.digest) },
                pending: status.pending.map { Version($0.id, $0.digest) },
                pendingWaits: status.pendingWaits,
                lastKnownGood: status.lastKnownGood.map { Version($0.id, $0.digest) },
                good: status.good.map { Version($0.id, $0.digest) },
                blacklist: status.blacklist.map { Version($0.id, $0.digest) },
                parked: status.parked.map { Version($0.id, $0.digest) })
            hasReported = true
            good.reported(lastKnownGood: report.lastKnownGood, recall: recall(of:))
            for clause in terms.reported(report) where !hasOtherAudience { decide(clause) }
            compareStoreUpdate(after: before)
            consequence?.hasReport = true
            // A report shows what is durable: the end of the start before is.
            compareOpenStart()
        case .pageRequested(let request):
            if request.destination == .document, request.webView == .first {
                moments.isForwarding = isForwarded(request.path)
            }
        case .log(let entry): logged(entry.cause.rawValue, entry.version)
        case .pageLoad(let view, let token, let key):
            pageLoad(Version(key.id, key.digest), token, view: view.rawValue)
        case .answered(let answer):
            // A version starts with its index; a link can lead to a file that is no page.
            if let load = answer.load, answer.type?.hasPrefix("text/html") == true { served(load) }
        case .called(let view, let call, let token): called(call.rawValue, view.rawValue, token, event.at)
        case .touched(let view):
            start(shownIn: view.rawValue) { $0.touchedAt = $0.touchedAt ?? event.at }
        case .webProcessDied(let view):
            let isInFront = life.isInFront
            start(shownIn: view.rawValue) { if isInFront { $0.webProcessDeaths += 1 } }
        case .committed(let view, let token, _):
            pagesChange({ $0.show(token, in: view.rawValue) }, shown: token)
        case .pageClosed(_, let token):
            if let token { pagesChange({ $0.close(token) }, shown: nil) }
        case .navigation(let view, let kind, _): navigated(kind.rawValue, view.rawValue)
        // The screen from which the user gets the fix looks for one, if what runs is recalled (U13, R9).
        case .screen(.recovery):
            if report.current.map(isRecalled) ?? false { checks.allow(at: event.at) }
        case .pushed:
            moments.push(inFront: life.isInFront, isAlive: life.isAlive, at: event.at)
            checks.allow(at: event.at)
        case .userDid(.presses):
            moments.isUsersChoice = true
            checks.allow(at: event.at)
        case .deployed(_, _, _, let command, _, _):
            if command == .force { moments.mayBeForced = true }
        case .requestSent, .answerHead, .transferEnded: observeAnswer(event)
        default: break
        }
        return found
    }

    /// Whether a request is the remote root's (S7).
    private func isForwarded(_ path: Substring) -> Bool {
        app.api.contains { path.hasPrefix($0.prefix { $0 != "*" }) }
    }

    /// The settings are about to change.
    private mutating func settingsChange(byPage isByPage: Bool, at now: Instant) {
        if isByPage { moments.takesUpEnvironment = true }
        if serverConfirms { serverConfirmedUntil = now }
        settingsChangedAt = now
        hasOtherAudience = true
        hasChangedSettings = true
        recalls.end()
        if !life.isAlive { isAudienceChangedWithoutProcess = true }
        checks.allow(at: now)
        checks.excuse()
    }

    private mutating func navigated(_ kind: String, _ view: Int) {
        moments.navigation = Moments.Navigation(kind: kind, view: view)
        for index in starts.indices where starts[index].process == life.process {
            starts[index].mayBeAbandoned = true
        }
        if isSwitchingReload { moments.hasReloaded = true }
    }

    /// Call this when virtual time has advanced.
    package mutating func timePassed(to now: Instant) -> [Disagreement] {
        found = []
        pass(to: now)
        return found
    }

    private mutating func pass(to now: Instant) {
        let span = now - life.now
        life.now = now
        guard span > .zero, life.isAlive, !life.isSuspended else { return }
        if life.isInFront {
            for index in starts.indices
            where starts[index].isCounting(in: life.process) && cover(of: starts[index]) != .otherVersion {
                starts[index].inFront = starts[index].inFront + span
            }
        }
        life.awake = life.awake + span
        obligationsAge(by: span)
        recallsAge(by: span)
        if let clause = checks.age(by: span) {
            decide(clause)
            disagree(clause, nil, allowed: "a check within a minute", actual: "none is sent")
        }
        clocksAge()
        if let entry = terms.age(by: span) { entryOutlives(entry.version, entry.clause) }
    }

    /// An entry of the blacklist, or a parking, holds after its days (R5, R3).
    mutating func entryOutlives(_ version: Version, _ clause: ModelClause) {
        guard !hasOtherAudience else { return }
        decide(clause)
        disagree(clause, version, allowed: "the entry ends", actual: "it is still there")
    }

    /// Counts a clause that is compared here, whether the app did as it allows or not.
    mutating func decide(_ clause: ModelClause) { if isCertain { compared.add(clause) } }

    /// The app did otherwise than a clause allows that was counted by ``decide(_:)``.
    mutating func disagree(
        _ clause: ModelClause, _ version: Version?, allowed: String, actual: String
    ) {
        guard isCertain else { return }
        found.append(Disagreement(clause: clause.id, version: version, allowed: allowed, actual: actual))
    }

    private var isCertain: Bool { !hasTrouble && !hasSchemas }

    /// Whether the model knows that a version was recalled.
    /// The embedded version stays in the chain, because nothing can take it from the app package (R9).
    func isRecalled(_ version: Version) -> Bool {
        version != report.embedded && recalled.contains { $0 == version.id }
    }
}

extension ReferenceModel {
    /// How often the model has compared a clause.
    package func decisions(of clause: ModelClause) -> Int { compared[clause] }

    package mutating func forgetDecisions() { compared = ClauseCounts() }
}

extension ReferenceModel {
    /// Adds what the model remembers of a device on which no process runs, apart from facts that the next
    /// launch resets. Instants count in whole seconds.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(report)
        hasher.combine(histories)
        hasher.combine(wait?.version)
        hasher.combine(wait.map { [$0.rescuerConfirmed, $0.rescuerMayHaveConfirmed] })
        hasher.combine(wait.map { [$0.certainLaunches, $0.possibleLaunches] })
        hasher.combine(good)
        hasher.combine(hasTrouble)
        hasher.combine(isAudienceChangedWithoutProcess)
        hasher.combine(recalled)
        hasher.combine(offers)
        if !app.keys.isEmpty { hasher.combine(signing) }
        recalls.hash(written: &hasher)
        hasher.combine(unconfirmed)
        hasher.combine(broken)
        hasher.combine(hasChangedSettings)
        hasher.combine(moments.mayBeForced)
        answers.hash(wait: &hasher)
        terms.hash(seconds: &hasher)
        if let open = openAtLaunch {
            hasher.combine(open.start.version)
            hasher.combine(open.start.end)
            hasher.combine(open.start.historyBefore)
            hasher.combine(open.start.isSecondChance)
            hasher.combine(open.isReported)
        }
        hasher.combine(hasReported)
        hasher.combine(life.timerDelay)
        if let last = starts.last, last.process == life.process || !hasReported { hash(last, into: &hasher) }
    }

    /// What the next launch reads from the last start of the process.
    private func hash(_ start: Start, into hasher: inout Hasher) {
        hasher.combine(start.version)
        hasher.combine(start.end)
        if let end = life.end { hasher.combine(start.presences(at: end)) }
        hasher.combine(start.inFront < .seconds(5))
        hasher.combine(start.isSecondChance)
        hasher.combine(start.isReachable)
        hasher.combine(start.mayBeAbandoned)
        hasher.combine(start.startupTimeout)
        hasher.combine(start.historyBefore)
        hasher.combine([start.servedAt != nil, start.confirmedAt != nil, start.failureReportedAt != nil])
        hasher.combine(start.webProcessDeaths > 1)
    }
}
