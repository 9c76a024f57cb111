import AppHost
import Backend
import Core
import Updater

/// U5: nothing repeats more often than the settings allow.
///
/// The checker counts, on the wire and on the page:
/// - files that are fetched at once: at most ``UpdaterSettings/parallelTransfers``;
/// - automatic requests for the same item: nine in a row without a new byte take at least 15 min;
/// - requests during the time for which the origin has sent `Retry-After`: none;
/// - switches in one process that no page requested and no rescue made: at most one;
/// - switches to a version that pages requested: at most three in 24 h;
/// - rescues from a version: at most one in a process.
///
/// A new byte is one that makes a partial file longer than it has ever been on this build, or a new blob; so
/// is the first answer that a file is unchanged, because the file is complete by it. The count of requests
/// begins again with whatever wakes the updater: a launch, the foreground, a push, another network, a
/// requested check (one that joined another also when it is sent), a step of the scenario.
///
/// Silent about: `Retry-After` after a power cut or a disk error, which may have removed the note of it, and
/// after the user has pressed a button.
package struct AttemptLimits: Checker {
    package let rule = "U5"
    private var decided = (parallel: 0, attempts: 0, waits: 0)

    package var decisions: [DecisionCount] {
        [
            DecisionCount("U5.six-downloads", decided.parallel),
            DecisionCount("U5.eight-tries", decided.attempts),
            DecisionCount("U5.retry-after", decided.waits),
            DecisionCount("U5.one-unprompted", switches.decided.unrequested),
            DecisionCount("U5.asked-switches", switches.decided.requested),
            DecisionCount("U5.rescue-once", switches.decided.rescues),
        ]
    }

    package mutating func forgetDecisions() {
        decided = (0, 0, 0)
        switches.decided = (0, 0, 0)
    }

    private struct RequestedItem: Hashable {
        var kind: OriginRequest.Kind
        var version: VersionKey?
        /// URL of a manifest: a check may request several, one after the other (U9).
        var manifest: String?
    }

    private struct RequestedFile: Hashable {
        var version: VersionKey
        var route: String
    }

    /// Requests for one item since the count began.
    private struct Attempts {
        var item: RequestedItem
        var sent: [(transfer: TransferID, at: Instant)] = []
    }

    /// Highest limit of parallel transfers that a setting has allowed.
    private var parallelLimit = 0
    private var attempts: [Attempts] = []
    /// Greatest size that each partial file has had, by its name.
    private var sizes: [Digest256: Int] = [:]
    /// Partial files at the last change.
    private var partials: [PartialImage] = []
    /// Blobs that have been stored.
    private var blobs: Set<Digest256> = []
    /// Files of versions that the origin said are unchanged (304).
    private var unchanged: Set<RequestedFile> = []
    /// Number of arrivals of blobs seen so far.
    private var arrivals = 0
    /// Time for which the origin has sent `Retry-After`, and that origin.
    private var retryAfter: (from: Instant, until: Instant, origin: String)?
    /// `Retry-After` that the origin has sent to a stopped process, which reads it when it resumes.
    private var unreadDelay: TimeSpan?
    private var switches = SwitchLimits()
    /// Whether a requested check waits for the end of the one in progress (U4).
    private var isCheckQueued = false
    /// Whether a file has come since the last request for the manifest: the next one confirms the version
    /// that the file is of (U1), which is no try in vain.
    private var hasFileArrived = false
    /// Whether this process has started a download: the files of its first one may all be here already.
    private var hasDownloadStarted = false
    /// Whether an offer waits for a second check (U8), which the updater makes once and by itself, since the
    /// count began: it is no try again of the first.
    private var hasSecondCheck = false
    /// Versions that were found damaged since the count began: each costs one check, whose offer replaces it.
    private var damaged: [String] = []

    /// Causes that say that the note of `Retry-After` could not be written or read.
    private static let noteLostCauses: [LogCause] = [.diskFailed, .storeInUse, .storeUnavailable]

    private static let refusedByDisk: [LogCause] = [.diskFailed, .noSpace, .recordNotWritten]

    package static let attemptLimit = 8
    package static let backoff = TimeSpan.minutes(15)

    /// Leaves out attempts and switches, which are counted again from zero in the next process, except the
    /// switches that pages requested.
    package func hashMemory(into hasher: inout Hasher) {
        hasher.combine(parallelLimit)
        hasher.combine(sizes)
        hasher.combine(blobs)
        hasher.combine(unchanged)
        hasher.combine(seconds: retryAfter?.from)
        hasher.combine(seconds: retryAfter?.until)
        hasher.combine(isCheckQueued)
        hasher.combine(hasFileArrived)
        hasher.combine(hasDownloadStarted)
        for pageSwitch in switches.requested {
            hasher.combine(pageSwitch.key)
            hasher.combine(seconds: pageSwitch.at)
        }
    }

    package mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        parallelLimit = max(parallelLimit, observed.settings.parallelTransfers)
        if case .resumed = event.kind, let delay = unreadDelay {
            begin(delay, observed)
            unreadDelay = nil
        }
        switch event.kind {
        case .launched:
            countAnew()
            unreadDelay = nil
            (isCheckQueued, hasFileArrived, hasDownloadStarted) = (false, false, false)
            // A file that was begun anew, because another answer came, is as long as it is: a process does
            // not know that an earlier one had more of another.
            for partial in store.live.partials { sizes[partial.key] = partial.size }
        case .installed: forgetContent()
        case .processEnded:
            if observed.mayLoseNotes || retryAfter.map({ observed.now - $0.from < .seconds(1) }) ?? true {
                retryAfter = nil
            }
        case .powerCut:
            retryAfter = nil
            // Bytes that the power cut removed are fetched again.
            forgetRemovedFiles(store)
        case .damaged:
            retryAfter = nil
            // What the damage makes useless is fetched again: a lost record costs all downloads (R8, R10).
            forgetContent()
        case .log(let entry):
            if AttemptLimits.noteLostCauses.contains(entry.cause) { retryAfter = nil }
            // Another build throws away what this one has downloaded (U9, N1), and fetches it again.
            if entry.cause == .storeUpdate { forgetContent() }
            // What it had sent was cancelled: the check that follows is another one.
            if entry.cause == .checkDropped { attempts.removeAll { $0.item.kind == .manifest } }
            if entry.cause == .leftBefore, !hasSecondCheck {
                attempts.removeAll { $0.item.kind == .manifest }
                hasSecondCheck = true
            }
            if entry.cause == .contentDamaged, let id = entry.version, !damaged.contains(id) {
                attempts.removeAll { $0.item.kind == .manifest }
                damaged.append(id)
            }
            // A download that the disk refuses is dropped with its files, which are fetched again.
            if entry.detail == "download ended", AttemptLimits.refusedByDisk.contains(entry.cause) {
                sizes = [:]
            }
            if entry.cause == .downloadStarted, !hasDownloadStarted {
                (hasFileArrived, hasDownloadStarted) = (true, true)
            }
            if entry.cause == .checkJoined, entry.detail != "wish=own" { isCheckQueued = true }
        case .foregrounded, .pushed, .networkChanged, .resumed, .routed, .checkRequested:
            countAnew()
            // Its check follows the one of the launch.
            if !observed.hasLoggedInProcess(.launched) { isCheckQueued = true }
        case .deployed, .deployedFor:
            // The device may have dropped a download that the origin did not offer any more. Its files are
            // fetched from the first byte when the origin offers the version again.
            forgetRemovedFiles(store)
        case .settingsChanged:
            countAnew()
            // Another user or channel throws away what was downloaded for the former one (U9).
            forgetContent()
        case .called(_, .checkForUpdates, _): countAnew()
        case .userDid(let action):
            countAnew()
            if case .presses = action { retryAfter = nil }
        case .requestSent(let request): return sent(request, observed)
        case .answerHead(let id, _, _, let note): head(id, note, observed)
        case .transferEnded(let id, _, _): ended(id, observed)
        default: break
        }
        return switches.observe(event, in: observed)
    }

    package mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        let names = store.live.arrivals.names
        if store.live.partials == partials, names.count == arrivals { return nil }
        partials = store.live.partials
        var isNew = false
        for partial in partials where partial.size > sizes[partial.key] ?? 0 {
            sizes[partial.key] = partial.size
            isNew = true
        }
        for name in names[min(arrivals, names.count)...] where blobs.insert(name).inserted { isNew = true }
        arrivals = names.count
        if isNew { countAnew() }
        return nil
    }

    private mutating func countAnew() {
        attempts = []
        hasSecondCheck = false
        damaged = []
    }

    /// What has arrived is thrown away, and fetched again.
    private mutating func forgetContent() {
        sizes = [:]
        blobs = []
        unchanged = []
    }

    /// Only files that are on the disk still count as arrived.
    private mutating func forgetRemovedFiles(_ store: StoreView) {
        sizes = Dictionary(store.live.partials.map { ($0.key, $0.size) }, uniquingKeysWith: { max($0, $1) })
        blobs = Set(store.live.blobs.map(\.name))
        unchanged = []
    }

    // MARK: - Requests

    private mutating func sent(_ request: RequestEvent, _ observed: ObservedState) -> Violation? {
        if request.kind == .outcomes { return nil }
        // A build or a page may name another origin, which has not asked for anything.
        if let period = retryAfter, period.origin != observed.settings.origin { retryAfter = nil }
        if retryAfter != nil { decided.waits += 1 }
        if let period = retryAfter, observed.now > period.from + .seconds(1), observed.now < period.until {
            retryAfter = nil
            return Violation(
                "The origin had asked to be left alone and was asked again",
                expected: "nothing before \(period.until.microseconds / 1_000_000) s",
                actual: "a request to \(request.url)"
            )
        }
        if case .file = request.kind { decided.parallel += 1 }
        let open = observed.openTransfers.count { $0.route != nil }
        if open > parallelLimit {
            return Violation(
                "Too many files are fetched at once", expected: "\(parallelLimit) at most", actual: "\(open)")
        }
        return count(request, observed)
    }

    private mutating func count(_ request: RequestEvent, _ observed: ObservedState) -> Violation? {
        if request.kind == .manifest, hasFileArrived {
            hasFileArrived = false
            return nil
        }
        let item = RequestedItem(
            kind: request.kind, version: request.version,
            manifest: request.kind == .manifest ? request.url : nil)
        // The first request after something else is that other thing's; the queued check follows.
        if request.kind == .manifest, isCheckQueued, attempts.contains(where: { $0.item == item }) {
            isCheckQueued = false
            countAnew()
        }
        let index: Int
        if let known = attempts.firstIndex(where: { $0.item == item }) {
            index = known
        } else {
            index = attempts.count
            attempts.append(Attempts(item: item))
        }
        attempts[index].sent.append((request.transfer, observed.now))
        let sent = attempts[index].sent
        guard sent.count > AttemptLimits.attemptLimit else { return nil }
        decided.attempts += 1
        let first = sent[sent.count - 1 - AttemptLimits.attemptLimit]
        guard observed.now - first.at < AttemptLimits.backoff else { return nil }
        return Violation(
            "\(request.url) is asked for again and again",
            expected: "\(AttemptLimits.attemptLimit) tries without a new byte, then a sleep of 15 min",
            actual: "the ninth within \((observed.now - first.at).microseconds / 1_000_000) s")
    }

    private mutating func head(_ id: TransferID, _ note: AnswerSummary, _ observed: ObservedState) {
        if note.isRedirect {
            // A request and its redirects are one attempt.
            for index in attempts.indices { attempts[index].sent.removeAll { $0.transfer == id } }
        }
        let transfer = observed.transfer(id, ofProcess: observed.process)
        guard let delay = note.retryAfter, let status = transfer?.status, status == 429 || status >= 500
        else {
            return
        }
        if observed.isSuspended {
            unreadDelay = max(unreadDelay ?? .zero, delay)
        } else {
            begin(delay, observed)
        }
    }

    /// A file that the origin says is unchanged is complete without a new byte: what is asked for after it
    /// is not asked for in vain. Once for each file, because a version may be downloaded again and again.
    private mutating func ended(_ id: TransferID, _ observed: ObservedState) {
        let transfer = observed.transfer(id, ofProcess: observed.process)
        if let transfer, transfer.route != nil, transfer.isSuccess, transfer.bytes > 0 {
            hasFileArrived = true
        }
        guard let transfer, transfer.status == 304, transfer.state == .ended, let route = transfer.route,
            let version = transfer.request.version
        else { return }
        if unchanged.insert(RequestedFile(version: version, route: route)).inserted { countAnew() }
    }

    private mutating func begin(_ delay: TimeSpan, _ observed: ObservedState) {
        let until = observed.now + min(delay, .hours(24))
        if let known = retryAfter, known.until >= until { return }
        retryAfter = (observed.now, until, observed.settings.origin)
    }
}
