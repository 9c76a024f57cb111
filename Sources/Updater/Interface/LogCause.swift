import Core

/// The distinct cause of each refusal, failure, rescue, blame and skipped update (T1). Scenario files,
/// reports and the error report contain the raw value, whose meaning never changes.
public enum LogCause: String, Hashable, Sendable, CaseIterable {
    // The store and its content.
    /// Neither generation of the record could be read; downloads and blacklist are lost, the app is not (R8).
    case recordLost = "record-lost"
    /// The newer generation of the record was damaged; the older one counts (R8).
    case recordFellBack = "record-fell-back"
    /// The record could not be written; the change waits in memory.
    case recordNotWritten = "record-not-written"
    /// The record was written by a newer format; the embedded version is started, and files are kept until a
    /// confirmed start (N2).
    case recordNewerFormat = "record-newer-format"
    /// Another process holds the store; the embedded version is served, nothing is written.
    case storeInUse = "store-in-use"
    /// The store could not be opened or written: it is tried again (``DiskRetry``), then what can be read is
    /// served, and updates are off until the store can be written.
    case storeUnavailable = "store-unavailable"
    /// Stored content lacks its length or hash; versions that use it are not used (R10).
    case contentDamaged = "content-damaged"
    /// A stored file could not be read: while it was served, and its version is hashed before it is served
    /// again; or at launch, and this process does without its version.
    case readFailed = "read-failed"
    case noSpace = "no-space"
    case diskFailed = "disk-failed"

    // Manifests refused (U10).
    case manifestUnreadable = "manifest-unreadable"
    case manifestUnknownFormat = "manifest-unknown-format"
    case manifestFieldMissing = "manifest-field-missing"
    case manifestFieldMalformed = "manifest-field-malformed"
    case manifestUnsafeRoute = "manifest-unsafe-route"
    case manifestRoutesClash = "manifest-routes-clash"
    /// Two files whose paths are equal on a volume that folds case or Unicode form.
    case manifestPathsClash = "manifest-paths-clash"
    case manifestTooLarge = "manifest-too-large"
    case manifestTooManyAssets = "manifest-too-many-rows"
    case fileTooLarge = "file-too-large"
    case versionTooLarge = "version-too-large"
    case manifestWithoutVersion = "manifest-without-version"
    case otherApp = "other-app"
    case otherChannel = "other-channel"
    case nativeOutsideRange = "native-outside-range"
    case originChangeNotAllowed = "origin-change-not-allowed"
    /// A rollout by share whose numbers say nothing: `of` is below 1, or `share` above it.
    case rolloutImpossible = "rollout-impossible"
    /// A rollout by share names a manifest that this check has requested before.
    case rolloutLoop = "rollout-loop"
    /// A rollout by share names a fourth manifest.
    case rolloutTooManyHops = "rollout-too-many-hops"

    // Signed releases (U16).
    /// The app has keys, and the response is not signed.
    case signatureMissing = "signature-missing"
    /// Its signatures are by keys that the app does not have.
    case signatureByUnknownKey = "signature-by-unknown-key"
    /// Its signatures are of algorithms that this updater does not know.
    case signatureAlgorithmUnknown = "signature-algorithm-unknown"
    /// A signature by a known key does not belong to these bytes.
    case signatureWrong = "signature-wrong"
    /// The head of the signed file can't be read.
    case envelopeMalformed = "envelope-malformed"
    /// The host can't verify signatures, so that nothing is accepted.
    case signatureUnverifiable = "signature-unverifiable"
    /// The time that the signed manifest states has passed.
    case manifestExpired = "manifest-expired"
    /// A row has no SHA-256, so that its signature does not cover the content.
    case rowWithoutSHA256 = "row-without-sha256"
    /// A key of the app can't verify anything.
    case keyUnusable = "key-unusable"
    /// A confirmed version's manifest replaced the keys of the origin line.
    case keysReplaced = "keys-replaced"

    // Offers that change nothing.
    case upToDate = "up-to-date"
    case nothingOffered = "nothing-offered"
    /// The publication is for a share of the devices that this one is not in (U9).
    case rolloutOutside = "rollout-outside"
    case alreadyPending = "already-pending"
    case alreadyDownloading = "already-downloading"
    case olderThanAccepted = "older-than-accepted"
    /// Another version under the accepted publication's number: one of the two was damaged in transit.
    case contradictsAccepted = "contradicts-accepted"
    /// The accepted version is offered under a lower number than before.
    case numberCorrected = "number-corrected"
    case dateAhead = "date-ahead"
    case leftBefore = "left-before"
    case blacklisted = "blacklisted"
    case parkedOffer = "parked-offer"
    case recalledOffer = "recalled-offer"
    case updatesOff = "updates-off"
    case checkJoined = "check-joined"
    /// The settings changed during a check: its response does not count, another check follows.
    case checkDropped = "check-dropped"

    // The network and the origin.
    case checkFailed = "check-failed"
    case transferFailed = "transfer-failed"
    case statusRefused = "status-refused"
    case contentMismatch = "content-mismatch"
    case lengthMismatch = "length-mismatch"
    case indexOfOtherVersion = "index-of-other-version"
    /// A Meteor index without a runtime configuration: not the app's page.
    case indexWithoutConfiguration = "index-without-configuration"
    /// A Meteor index that names another app, or none.
    case indexOfOtherApp = "index-of-other-app"
    /// A Meteor index without a `ROOT_URL` that is an http URL.
    case indexWithoutRootURL = "index-without-root-url"
    /// A Meteor index whose `ROOT_URL` leads to the device itself, where the one before does not.
    case indexRootURLLocal = "index-root-url-local"
    case manifestChanged = "manifest-changed"
    case transferStalled = "transfer-stalled"
    /// The eighth attempt without a new byte failed; the next one follows a change of circumstances (U5).
    case retriesExhausted = "retries-exhausted"
    /// A redirect that is not followed.
    case redirectRefused = "redirect-refused"
    /// A range that begins at another offset than requested, or no range.
    case rangeRefused = "range-refused"
    /// A response with a content coding, although identity was requested.
    case codingRefused = "coding-refused"
    /// The origin requested a delay; a request to check waits.
    case originAskedToWait = "origin-asked-to-wait"
    /// An optional file is missing; the version does without it (U12).
    case optionalMissing = "optional-missing"
    /// The app's data policy does not allow this network; the download waits (U15).
    case waitsForNetwork = "waits-for-network"

    // Versions and switches.
    case downloadStarted = "download-started"
    case superseded = "superseded"
    case becamePending = "became-pending"
    case pendingDropped = "pending-dropped"
    case switched = "switched"
    case switchedTooOften = "switched-too-often"
    case recalled = "recalled"
    case rolledBackByOrder = "rolled-back-by-order"
    case embeddedByOrder = "embedded-by-order"
    case unblocked = "unblocked"
    /// An order to leave the running version as soon as a moment allows it (U6).
    case forced = "forced"
    /// A launch waited for a forced version (U6).
    case forcedWait = "forced-wait"
    /// The page holds off a switch (U6).
    case heldOff = "held-off"

    /// An error that the page did not handle, before it confirmed: no evidence (R4), a fact of the error
    /// report (T2).
    case pageError = "page-error"

    // Starts (R3).
    case startMarked = "start-marked"
    /// The start record could not be written; the version is not started (R2).
    case startNotMarked = "start-not-marked"
    case startConfirmed = "start-confirmed"
    case startFailedByPage = "start-failed-by-page"
    case startFailedByCrash = "start-failed-by-crash"
    case startFailedNotResponding = "start-failed-not-responding"
    case startFailedWebProcess = "start-failed-web-process"
    case startFailedByClock = "start-failed-by-clock"
    case startUnclear = "start-unclear"
    /// As `start-unclear`; the process ended while the app was in front, and no exit record explains it (R3).
    case startEndedInFront = "start-ended-in-front"
    /// The startup clock ran out, but the origin was not reachable or the page was in use.
    case startUnclearByClock = "start-unclear-by-clock"
    case startUncounted = "start-uncounted"
    case confirmationFromPreviousPage = "confirmation-from-former-page"
    case confirmationTooLate = "confirmation-too-late"
    case rescued = "rescued"
    case rescuePostponed = "rescue-put-off"
    case nothingToRescueTo = "nothing-to-rescue-to"
    /// A version is left out of recovery, because it can't read the data written here (R12).
    case schemaTooLow = "schema-too-low"
    case secondChance = "second-chance"
    case blacklistEntry = "blacklist-entry"
    case blacklistSpared = "blacklist-spared"
    case blacklistEnded = "blacklist-ended"
    case parked = "parked"
    case parkingEnded = "parking-ended"
    case setAside = "set-aside"
    /// A launch checks before it starts the only version, whose last two starts failed (R13).
    case waitsForFix = "waits-for-fix"
    /// A page has shown nothing for the startup timeout: R9's screen replaces the cover (R13).
    case noContentShown = "no-content-shown"
    case webProcessRestarted = "web-process-restarted"
    case webProcessGaveUp = "web-process-gave-up"
    case webProcessDiedInBackground = "web-process-died-in-background"
    /// R9's screen: the user started the version behind it.
    case userStarted = "user-started"

    // The native app.
    case storeUpdate = "store-update"
    case previousBuildDropped = "former-build-dropped"
    case lineChanged = "line-changed"
    /// A process began; with what the system reported.
    case launched = "launched"
    /// The origin did not accept the reported outcomes; they are sent again after the next check (T3).
    case outcomesNotTaken = "outcomes-not-taken"

    // The server and the bridge.
    case serverPortTaken = "server-port-taken"
    /// The system did not open the port, which no other process has.
    case serverPortFailed = "server-port-failed"
    case bridgeMessageRefused = "bridge-message-refused"
    case requestRefused = "request-refused"
}

/// One entry of the bounded log.
public struct LogEntry: Hashable, Sendable {
    public var cause: LogCause
    /// Id of the version that the entry is about.
    public var version: String?
    /// Facts as `name=value`, separated by spaces.
    public var detail: String
    /// Time since its process began; nil if the entry is not the updater's.
    public var after: TimeSpan?

    public init(_ cause: LogCause, version: String? = nil, detail: String = "", after: TimeSpan? = nil) {
        self.cause = cause
        self.version = version
        self.detail = detail
        self.after = after
    }
}
