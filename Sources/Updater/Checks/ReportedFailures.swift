import Core

/// Which failures of updates the page was notified of (T2).
///
/// **Invariants**
/// - At most one failure of each check is reported, whatever its retries do. A check is what anything but the
///   updater itself requested.
/// - A cause is reported again only after a success: what the origin offers runs or is pending.
struct ReportedFailures: Hashable, Sendable {
    /// Causes reported since the last success.
    private var causes: [LogCause] = []
    /// Whether the check in progress has been reported as failed.
    private var hasReported = false

    mutating func checkBegins() { hasReported = false }

    mutating func succeeded() {
        causes = []
        hasReported = false
    }

    /// - Returns: whether the page is to be notified of this failure.
    mutating func report(_ cause: LogCause) -> Bool {
        guard !hasReported, !causes.contains(cause) else { return false }
        hasReported = true
        causes.append(cause)
        return true
    }
}

extension Updater {
    /// Notifies the page of a failed check or a refused offer, as it reaches the log (T2).
    mutating func notifyPage(of cause: LogCause, _ key: VersionKey?, _ detail: String) {
        if LogCause.endsOfFailures.contains(cause) {
            failures.succeeded()
        } else if cause == .diskFailed, key == nil {
            // No download failed: a clean-up, or the note of a start.
        } else if LogCause.failuresOfChecks.contains(cause), failures.report(cause) {
            let facts = [key.map { "version=\($0.id)" }, detail].compactMap { $0 }.filter { !$0.isEmpty }
            effects.append(.notice(.error(cause, facts.joined(separator: " "))))
        }
    }

    /// Whether a notice still holds for a page of this version, nil where that is not known (T2): a page that
    /// reloads on a notice would otherwise get it again, and reload for ever.
    package func holds(_ notice: Notice, forPageOf shown: VersionKey?) -> Bool {
        switch notice {
        // One that this process can't read is pending for the next one only: no switch would show it.
        case .newVersionReady(let key): record.pending == key && switchTarget() == key && key != shown
        case .forced(let key): record.forced == key && key != shown
        case .recalled(let key): record.isRecalled(key) && key == shown ?? key
        // A download that has replaced this one begins anew (U7).
        case .progress(let progress):
            progress.version != shown && download.map { $0.table.key == progress.version } ?? true
        case .error: true
        }
    }
}

extension LogCause {
    /// The origin's offer is here, or there is none.
    fileprivate static let endsOfFailures: [LogCause] = [
        .upToDate, .nothingOffered, .alreadyPending, .becamePending,
    ]

    /// Failures of checks and downloads, and refused offers. A stall is none, because the file resumes (U5),
    /// nor is an offer that waits for a second check, or an older one, which is ignored (U8).
    fileprivate static let failuresOfChecks: [LogCause] = [
        .checkFailed, .transferFailed, .statusRefused, .contentMismatch, .lengthMismatch,
        .indexOfOtherVersion, .redirectRefused, .rangeRefused, .codingRefused, .noSpace, .diskFailed,
        .manifestUnreadable, .manifestUnknownFormat, .manifestFieldMissing, .manifestFieldMalformed,
        .manifestUnsafeRoute, .manifestRoutesClash, .manifestPathsClash, .manifestTooLarge,
        .manifestTooManyAssets, .fileTooLarge, .versionTooLarge, .manifestWithoutVersion, .otherApp,
        .otherChannel, .nativeOutsideRange, .originChangeNotAllowed, .dateAhead, .blacklisted,
        .parkedOffer, .recalledOffer, .indexWithoutConfiguration, .indexOfOtherApp, .indexWithoutRootURL,
        .indexRootURLLocal, .rolloutImpossible, .rolloutLoop, .rolloutTooManyHops, .signatureMissing,
        .signatureByUnknownKey,
        .signatureAlgorithmUnknown, .signatureWrong, .envelopeMalformed, .signatureUnverifiable,
        .manifestExpired, .rowWithoutSHA256,
    ]
}
