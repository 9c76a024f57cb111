import Updater

/// Kind of a cause (T1).
package enum CauseKind: String, Hashable, Sendable, CaseIterable {
    /// An offer, a manifest, a message or a request was not accepted.
    case refusal
    /// Something went wrong.
    case failure
    /// An update or a switch that did not happen, without an error.
    case skipped
    /// A choice of recovery: what the user gets next (R3, R9).
    case rescue
    /// A record about a version (R3, R4, R5).
    case blame
    /// Normal progress.
    case step
}

/// What a cause means.
package struct CauseMeaning: Hashable, Sendable {
    package let cause: LogCause
    package let kind: CauseKind
    /// Rules to which it belongs, separated by spaces.
    package let rules: String
    /// One sentence for a reader of a log.
    package let meaning: String

    fileprivate init(_ cause: LogCause, _ kind: CauseKind, _ rules: String, _ meaning: String) {
        self.cause = cause
        self.kind = kind
        self.rules = rules
        self.meaning = meaning
    }
}

/// Causes that a reader looks for together.
package struct CauseGroup: Hashable, Sendable {
    package let title: String
    package let meanings: [CauseMeaning]
}

extension LogCause {
    /// Every cause once, in the order of the page. A cause that has no entry, or that no line of code logs,
    /// fails a test.
    package static let groups: [CauseGroup] = [
        CauseGroup(title: "The store and its disk", meanings: ofStore),
        CauseGroup(title: "Manifests that are refused", meanings: ofManifests),
        CauseGroup(title: "Signatures", meanings: ofSignatures),
        CauseGroup(title: "Offers that are not taken", meanings: ofOffers),
        CauseGroup(title: "Checks and downloads", meanings: ofTransfers),
        CauseGroup(title: "From download to switch", meanings: ofProgress),
        CauseGroup(title: "Starts", meanings: ofStarts),
        CauseGroup(title: "Recovery", meanings: ofRecovery),
        CauseGroup(title: "The app and its pages", meanings: ofApp),
    ]

    package static var meanings: [CauseMeaning] { groups.flatMap(\.meanings) }

    private static let ofStore: [CauseMeaning] = [
        CauseMeaning(
            .recordLost, .failure, "R8",
            "Neither generation of the record is readable: downloads and blacklist are lost, the app is not."),
        CauseMeaning(
            .recordFellBack, .failure, "R8",
            "One generation of the record is damaged: the other one counts."),
        CauseMeaning(
            .recordNotWritten, .failure, "R8",
            "The record could not be written: the change waits in memory for the next write."),
        CauseMeaning(
            .recordNewerFormat, .failure, "N2",
            "A newer app wrote the record: the embedded version starts, files are kept until a confirmed start."
        ),
        CauseMeaning(
            .storeInUse, .failure, "R1",
            "Another process holds the store: this one serves the embedded version and writes nothing."),
        CauseMeaning(
            .storeUnavailable, .failure, "R1",
            "The store could not be opened or written: it is tried again, then what can be read is served."
        ),
        CauseMeaning(
            .contentDamaged, .failure, "R10",
            "Stored content lacks its length or hash: versions that use it wait until it is downloaded."
        ),
        CauseMeaning(
            .readFailed, .failure, "R10",
            "A file could not be read: its version is hashed before it is served again, or left out until then."
        ),
        CauseMeaning(.noSpace, .failure, "U11", "Too little space: what was taken is given back."),
        CauseMeaning(
            .diskFailed, .failure, "R1", "The disk refused; tried again later or at the next start."),
    ]

    private static let ofManifests: [CauseMeaning] = [
        CauseMeaning(.manifestUnreadable, .refusal, "U10", "The manifest is not valid JSON."),
        CauseMeaning(
            .manifestUnknownFormat, .refusal, "U10", "The manifest has an unknown format."),
        CauseMeaning(.manifestFieldMissing, .refusal, "U10", "A field that the dialect requires is missing."),
        CauseMeaning(.manifestFieldMalformed, .refusal, "U10", "A field has another type or form."),
        CauseMeaning(.manifestUnsafeRoute, .refusal, "U10", "A route or path could lead out of the version."),
        CauseMeaning(.manifestRoutesClash, .refusal, "U10", "Two assets have the same route."),
        CauseMeaning(
            .manifestPathsClash, .refusal, "U10",
            "Two files with different content have paths that differ in case or Unicode form only."),
        CauseMeaning(.manifestTooLarge, .refusal, "U10", "The manifest is over its limit (4 MiB)."),
        CauseMeaning(.manifestTooManyAssets, .refusal, "U10", "The manifest has too many assets (20,000)."),
        CauseMeaning(.fileTooLarge, .refusal, "U10", "A file is over its limit (512 MiB)."),
        CauseMeaning(.versionTooLarge, .refusal, "U10", "All files together are over their limit (2 GiB)."),
        CauseMeaning(.manifestWithoutVersion, .refusal, "U10", "The manifest names no version."),
        CauseMeaning(.otherApp, .refusal, "U10", "The manifest is another app's."),
        CauseMeaning(.otherChannel, .refusal, "U10", "The manifest is another channel's."),
        CauseMeaning(.nativeOutsideRange, .refusal, "U10", "The version needs another native build."),
        CauseMeaning(
            .originChangeNotAllowed, .refusal, "U10", "It would lead to another origin."),
        CauseMeaning(
            .rolloutImpossible, .refusal, "U9 U10",
            "The numbers of a rollout say nothing: 'of' is below 1, or 'share' above it."),
        CauseMeaning(
            .rolloutLoop, .refusal, "U9 U10",
            "'otherwise' of a rollout names a manifest that this check has requested before."),
        CauseMeaning(
            .rolloutTooManyHops, .refusal, "U9 U10", "'otherwise' of a rollout names a fourth manifest."),
    ]

    private static let ofSignatures: [CauseMeaning] = [
        CauseMeaning(
            .signatureMissing, .refusal, "U16", "The app has keys, and the response is not signed."),
        CauseMeaning(
            .signatureByUnknownKey, .refusal, "U16", "It is signed by keys that the app does not have."),
        CauseMeaning(
            .signatureAlgorithmUnknown, .refusal, "U16",
            "It is signed by algorithms that this updater does not know."),
        CauseMeaning(
            .signatureWrong, .refusal, "U16", "A signature by a known key is not one of these bytes."),
        CauseMeaning(.envelopeMalformed, .refusal, "U16", "The head of the signed file can't be read."),
        CauseMeaning(
            .signatureUnverifiable, .refusal, "U16", "The host verifies no signatures: nothing is accepted."),
        CauseMeaning(
            .manifestExpired, .refusal, "U16",
            "The time that the manifest states has passed: nothing new is accepted, what runs goes on."),
        CauseMeaning(
            .rowWithoutSHA256, .refusal, "U16", "A row has no SHA-256, so that no signature covers the file."),
        CauseMeaning(
            .keyUnusable, .failure, "U16", "A key of the app can't verify anything: it was cut or mistyped."),
        CauseMeaning(
            .keysReplaced, .step, "U16",
            "A version has confirmed whose manifest replaces the keys of its origin line."),
    ]

    private static let ofOffers: [CauseMeaning] = [
        CauseMeaning(.upToDate, .skipped, "U5", "The origin offers the running version."),
        CauseMeaning(.nothingOffered, .skipped, "U9", "The origin has nothing for this device."),
        CauseMeaning(
            .rolloutOutside, .skipped, "U9",
            "The publication is for a share of the devices that this one is not in."),
        CauseMeaning(.alreadyPending, .skipped, "U4", "The origin offers the pending version."),
        CauseMeaning(
            .alreadyDownloading, .skipped, "U4", "The origin offers the version that is being downloaded."),
        CauseMeaning(
            .olderThanAccepted, .refusal, "U8", "An older publication than the newest accepted one."),
        CauseMeaning(.contradictsAccepted, .refusal, "U8 U3", "Another version under the accepted number."),
        CauseMeaning(.numberCorrected, .step, "U8", "The accepted version is offered under a lower number."),
        CauseMeaning(.dateAhead, .refusal, "U8", "Dated more than 24 h ahead of the response."),
        CauseMeaning(
            .leftBefore, .skipped, "U8", "This device has left it: a second check must offer it too."),
        CauseMeaning(.blacklisted, .refusal, "R5", "It is blacklisted here."),
        CauseMeaning(
            .parkedOffer, .refusal, "R3", "It is parked: a day must pass, or the user request a check."),
        CauseMeaning(.recalledOffer, .refusal, "U13", "It is recalled by the newest accepted manifest."),
        CauseMeaning(.updatesOff, .skipped, "U14", "A setting forbids this check."),
        CauseMeaning(.checkJoined, .skipped, "U4", "A check runs: one more follows when it ends."),
        CauseMeaning(
            .checkDropped, .skipped, "U4 U9",
            "The settings changed during a check: its response does not count, another one follows."),
    ]

    private static let ofTransfers: [CauseMeaning] = [
        CauseMeaning(
            .checkFailed, .failure, "U5", "The manifest did not arrive; tried again after a back-off."),
        CauseMeaning(.transferFailed, .failure, "U5", "A file did not arrive; tried again after a back-off."),
        CauseMeaning(
            .statusRefused, .failure, "U5", "The origin answered with an unexpected status."),
        CauseMeaning(.contentMismatch, .failure, "U1", "A file has another hash than announced."),
        CauseMeaning(.lengthMismatch, .failure, "U1", "A file has another length than announced."),
        CauseMeaning(.indexOfOtherVersion, .failure, "U1", "The index carries another version."),
        CauseMeaning(
            .indexWithoutConfiguration, .failure, "U10",
            "Meteor's index has no runtime configuration: a maintenance page, for example."),
        CauseMeaning(
            .indexOfOtherApp, .failure, "U10", "Meteor's index has the id of another app, or none."),
        CauseMeaning(
            .indexWithoutRootURL, .failure, "U10", "Meteor's index has no http URL as ROOT_URL."),
        CauseMeaning(
            .indexRootURLLocal, .failure, "U10",
            "ROOT_URL of Meteor's index leads to the device itself, which the one before does not."),
        CauseMeaning(
            .manifestChanged, .failure, "U1", "The origin offers another version than when it began."),
        CauseMeaning(.transferStalled, .failure, "U5", "Too few bytes for too long; resumes later."),
        CauseMeaning(.retriesExhausted, .failure, "U5", "Eight attempts without a new byte: pauses."),
        CauseMeaning(.redirectRefused, .refusal, "U5", "A redirect that is not followed."),
        CauseMeaning(
            .rangeRefused, .failure, "U2", "A range begins at another offset than requested, or is missing."),
        CauseMeaning(
            .codingRefused, .refusal, "U1",
            "A response with a content coding, although identity was requested."),
        CauseMeaning(.originAskedToWait, .skipped, "U5", "The origin requested a delay (Retry-After)."),
        CauseMeaning(.optionalMissing, .skipped, "U12", "An optional file is missing."),
        CauseMeaning(.waitsForNetwork, .skipped, "U15", "The data policy does not allow this network."),
    ]

    private static let ofProgress: [CauseMeaning] = [
        CauseMeaning(.downloadStarted, .step, "U4", "The download of a version began."),
        CauseMeaning(.superseded, .skipped, "U4", "Another version replaces it."),
        CauseMeaning(.becamePending, .step, "U1", "Complete and verified; waits for its moment."),
        CauseMeaning(.pendingDropped, .skipped, "U8 U9", "It was pending and is no longer wanted."),
        CauseMeaning(.switched, .step, "U6", "It is current from now on."),
        CauseMeaning(.switchedTooOften, .refusal, "U5", "Three switches to the same version in 24 h."),
        CauseMeaning(.recalled, .blame, "U13", "The origin recalls it; other versions are not affected."),
        CauseMeaning(.rolledBackByOrder, .step, "U8", "The origin orders an older version."),
        CauseMeaning(.embeddedByOrder, .step, "U8", "The origin orders the embedded version."),
        CauseMeaning(.unblocked, .step, "R5", "An order of the origin ended its blacklist entry."),
        CauseMeaning(
            .forced, .step, "U6", "The origin forces it: activated at the next background or launch."),
        CauseMeaning(.forcedWait, .step, "U6", "A launch waits for a forced version, 30 s at most."),
        CauseMeaning(.heldOff, .skipped, "U6", "The page holds a switch off, 24 h at most."),
    ]
}

extension LogCause {
    static let ofStarts: [CauseMeaning] = [
        CauseMeaning(
            .pageError, .step, "T2",
            "Its page did not handle an error, before it confirmed: at most five of a start; no evidence."),
        CauseMeaning(.startMarked, .step, "R2", "The record of its start is about to be written."),
        CauseMeaning(
            .startNotMarked, .failure, "R2",
            "The record of its start could not be written: it is not started."),
        CauseMeaning(.startConfirmed, .step, "R3 R6", "Its page confirmed the start."),
        CauseMeaning(.startFailedByPage, .blame, "R3", "Its page reported a failure."),
        CauseMeaning(.startFailedByCrash, .blame, "R3", "The exit record of its process says crash."),
        CauseMeaning(.startFailedNotResponding, .blame, "R3", "The exit record says not responding."),
        CauseMeaning(.startFailedWebProcess, .blame, "R3", "Its web process died twice in front."),
        CauseMeaning(
            .startFailedByClock, .blame, "R3", "Its clock ran out; origin reachable, page not used."),
        CauseMeaning(
            .startUnclear, .blame, "R3 R4", "Its process ended before it confirmed, for an unknown reason."),
        CauseMeaning(
            .startUnclearByClock, .blame, "R3 R4", "Its clock ran out; origin not reachable or page in use."),
        CauseMeaning(
            .startEndedInFront, .rescue, "R3 R4",
            "Its process ended in front, and no record explains it: another version starts, this one waits."),
        CauseMeaning(
            .startUncounted, .step, "R3",
            "Nothing was served, or it ended in background after less than 5 s in front."),
        CauseMeaning(
            .confirmationFromPreviousPage, .refusal, "R6", "A page that is not of this start confirmed."),
        CauseMeaning(.confirmationTooLate, .refusal, "R6", "The start had ended before it confirmed."),
    ]

    static let ofRecovery: [CauseMeaning] = [
        CauseMeaning(.rescued, .rescue, "R3 R9", "This version takes over from one whose start failed."),
        CauseMeaning(
            .rescuePostponed, .rescue, "R3", "The page is in use: rescued at the next background or launch."),
        CauseMeaning(.nothingToRescueTo, .rescue, "R9", "Nothing else can be shown: the recovery screen."),
        CauseMeaning(.schemaTooLow, .rescue, "R12", "Left out of recovery: it can't read the data here."),
        CauseMeaning(.secondChance, .step, "R3", "It failed once and is started again, with a longer clock."),
        CauseMeaning(.blacklistEntry, .blame, "R5", "It is blacklisted; the evidence is in the facts."),
        CauseMeaning(
            .blacklistSpared, .blame, "R5", "Not blacklisted: proven, or nothing else can be shown."),
        CauseMeaning(.blacklistEnded, .step, "R5", "Its entry ended by time; its count stays."),
        CauseMeaning(.parked, .blame, "R3", "Three unclear ends in a row: not offered for a day."),
        CauseMeaning(
            .parkingEnded, .step, "R3", "A day has passed, or the user requested it: pending again."),
        CauseMeaning(
            .setAside, .rescue, "R3 R13",
            "Proven, and three starts unconfirmed; or embedded, and two ended in failure or in front: "
                + "skipped for a process."),
        CauseMeaning(
            .waitsForFix, .step, "R13", "The only version failed twice: a launch checks first, 60 s at most."),
        CauseMeaning(
            .noContentShown, .failure, "R13",
            "No content for the startup timeout: recovery screen over the page."),
        CauseMeaning(.webProcessRestarted, .failure, "R11", "Its web process died; it is loaded again."),
        CauseMeaning(.webProcessGaveUp, .failure, "R11", "The fourth death in ten minutes: recovery screen."),
        CauseMeaning(
            .webProcessDiedInBackground, .failure, "R3 R11",
            "Its web process died in background: loaded again when the app is in front."),
        CauseMeaning(.userStarted, .step, "R9", "The user started the version behind the recovery screen."),
    ]

    static let ofApp: [CauseMeaning] = [
        CauseMeaning(.launched, .step, "N1", "A process began, with what the system reported."),
        CauseMeaning(.storeUpdate, .step, "N1", "The native build or the embedded version is another."),
        CauseMeaning(
            .previousBuildDropped, .skipped, "N1", "A version of the previous native build is removed."),
        CauseMeaning(.lineChanged, .step, "U9", "Remote root or channel changed: a new line begins."),
        CauseMeaning(
            .outcomesNotTaken, .failure, "T3", "The origin did not take outcomes; posted again later."),
        CauseMeaning(.serverPortTaken, .failure, "S4", "The port is taken; bound again by its plan."),
        CauseMeaning(
            .serverPortFailed, .failure, "S4", "The system did not open the port; bound again by its plan."),
        CauseMeaning(.bridgeMessageRefused, .refusal, "N5", "A message of the page was refused."),
        CauseMeaning(.requestRefused, .refusal, "S6", "A request to the server was refused."),
    ]
}
