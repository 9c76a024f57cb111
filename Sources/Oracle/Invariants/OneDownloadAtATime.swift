import Backend
import Core
import Updater

/// U4: concurrent checks are joined, and nothing of a superseded download is written.
///
/// At most one request for the manifest is open. A partial file grows only if it belongs to an asset of the
/// download that the disk names. A version that an older answer offered never becomes pending after a newer
/// answer has offered another one.
///
/// Silent about: files without a hash whose URL a later response with the same version has changed, because
/// the disk names the first one; a newer offer that the updater has refused with a log entry, because then
/// the older offer is still valid; a version whose answer and files had all arrived when the newer answer
/// came: it is complete, and is reported as pending once the record names it, at most 30 s later.
struct OneDownloadAtATime: Checker {
    let rule = "U4"
    private var decided = (joined: 0, lateBytes: 0, lateAnswers: 0)

    var decisions: [DecisionCount] {
        [
            DecisionCount("U4.join", decided.joined),
            DecisionCount("U4.no-late-bytes", decided.lateBytes),
            DecisionCount("U4.late-answer", decided.lateAnswers),
        ]
    }

    mutating func forgetDecisions() { decided = (0, 0, 0) }

    /// Partial files at the last change of the store.
    private var sizes: [PartialImage] = []
    /// Names of the partial files of the download's assets.
    private var keys: [Digest256] = []
    private var download: VersionKey?

    /// Adds nothing: the launch reads the sizes again, and the keys follow from the download that the disk
    /// names.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .requestSent(let request) where request.kind == .manifest:
            decided.joined += 1
            let open = observed.openTransfers.filter(\.isManifest)
            guard open.count > 1 else { return nil }
            return Violation(
                "A check began while another one was under way", expected: "one request for the manifest",
                actual: "\(open.count) open at once")
        case .status(let status): return evaluate(status, observed)
        case .launched:
            sizes = store.live.partials
            return nil
        default: return nil
        }
    }

    /// A late answer to an earlier check never wins.
    private mutating func evaluate(_ status: UpdaterStatus, _ observed: ObservedState) -> Violation? {
        guard let pending = status.pending, pending != observed.previousStatus?.pending,
            observed.previousStatus != nil, observed.logged([.becamePending], since: observed.now) != nil
        else { return nil }
        let answers = observed.transfersOfProcess { $0.isGoodManifestAnswer && observed.offeredID($0) != nil }
        let newest = answers.max { $0.sentAt < $1.sentAt }
        guard let newest, let offered = observed.offeredID(newest) else { return nil }
        decided.lateAnswers += 1
        guard offered != pending.id,
            answers.contains(where: { observed.offeredID($0) == pending.id }), !isRefused(newest, observed),
            !wasComplete(pending, before: newest, answers, observed)
        else { return nil }
        return Violation(
            "A late answer to an earlier check won",
            expected: "\(version: observed.names.name(ofID: offered)), which the newest answer offers",
            actual: "\(version: observed.name(pending)) became pending")
    }

    /// Time that the writes and syncs of a version that has arrived completely may take.
    private static let timeToWrite = TimeSpan.seconds(30)

    /// Whether all of a version had arrived when the newest answer came.
    private func wasComplete(
        _ key: VersionKey, before newest: TransferTrace, _ answers: [TransferTrace],
        _ observed: ObservedState
    ) -> Bool {
        guard let arrived = newest.endedAt, observed.now - arrived <= OneDownloadAtATime.timeToWrite else {
            return false
        }
        func isEarlier(_ transfer: TransferTrace) -> Bool { transfer.endedAt.map { $0 < arrived } ?? false }
        let files = observed.transfersOfProcess { $0.route != nil && $0.request.version == key }
        return answers.contains { observed.offeredID($0) == key.id && isEarlier($0) }
            && files.allSatisfy { file in
                if case .failed = file.state { true } else { isEarlier(file) }
            }
    }

    /// Whether the updater has refused what the newest answer offers. The manifest of an order to run the
    /// embedded version need not name that version.
    private func isRefused(_ newest: TransferTrace, _ observed: ObservedState) -> Bool {
        let refusals: [LogCause] = [
            .blacklisted, .parkedOffer, .recalledOffer, .leftBefore, .olderThanAccepted,
            .contradictsAccepted, .dateAhead,
            .otherApp, .nativeOutsideRange, .manifestFieldMissing, .manifestFieldMalformed,
            .manifestUnsafeRoute, .manifestRoutesClash, .manifestPathsClash, .manifestTooLarge,
            .manifestTooManyAssets,
            .fileTooLarge, .versionTooLarge, .manifestUnknownFormat, .manifestUnreadable, .upToDate,
            .manifestWithoutVersion, .originChangeNotAllowed, .rolloutOutside,
        ]
        return observed.loggedInProcess.contains { logged in
            guard refusals.contains(logged.entry.cause) else { return false }
            guard let id = newest.offered else { return newest.endedAt.map { logged.at >= $0 } ?? false }
            return logged.entry.version == nil || logged.entry.version == id
        }
    }

    /// Whether a later response may have stated other URLs for files of the download that have no hash.
    private func hasOtherURLs(_ table: VersionTable, _ observed: ObservedState) -> Bool {
        let causes: [LogCause] = [.alreadyDownloading, .downloadStarted]
        return observed.logged(causes, version: table.key.id, since: observed.processBegan) != nil
            && table.assets.contains { $0.hash == .none }
    }

    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        let previous = sizes
        sizes = store.live.partials
        guard observed.isAlive, let table = store.live.download, previous != sizes else { return nil }
        if download != table.key {
            download = table.key
            keys = store.live.partKeys ?? []
        }
        for partial in store.live.partials {
            let before = previous.first { $0.key == partial.key }?.size ?? 0
            guard partial.size > before else { continue }
            decided.lateBytes += 1
            if keys.contains(partial.key) || hasOtherURLs(table, observed) { continue }
            return Violation(
                "Bytes of a superseded download were written",
                expected: "only files of \(version: observed.name(table.key)) grow",
                actual: "partial file \(partial.key.hex.prefix(12)) grew to \(partial.size) bytes")
        }
        return nil
    }
}
