import Updater

/// Causes that tell of the same thing; one of them must be in the log when it happens (T1).
extension LogCause {
    /// Causes that say how a check, an offer or a download ended, or why it was refused.
    static let endsOfCheck: [LogCause] =
        [
            .upToDate, .nothingOffered, .alreadyPending, .alreadyDownloading, .olderThanAccepted,
            .dateAhead, .contradictsAccepted, .leftBefore, .blacklisted, .parkedOffer, .parkingEnded,
            .recalledOffer,
            .recalled, .downloadStarted, .superseded, .becamePending, .pendingDropped,
            .rolledBackByOrder, .embeddedByOrder, .manifestChanged, .manifestUnreadable,
            .manifestUnknownFormat, .manifestFieldMissing, .manifestFieldMalformed,
            .manifestUnsafeRoute, .manifestRoutesClash, .manifestPathsClash, .manifestTooLarge,
            .manifestTooManyAssets,
            .versionTooLarge, .numberCorrected, .otherChannel, .lineChanged, .manifestWithoutVersion,
            .otherApp,
            .nativeOutsideRange, .noSpace, .checkDropped, .recordNotWritten, .rolloutOutside,
            .rolloutImpossible,
            .rolloutLoop, .rolloutTooManyHops, .readFailed, .signatureMissing, .signatureByUnknownKey,
            .signatureAlgorithmUnknown, .signatureWrong, .envelopeMalformed, .signatureUnverifiable,
            .manifestExpired, .rowWithoutSHA256,
            // It runs before the record says that it is pending.
            .rescued, .switched,
        ] + ofNetwork + ofIndex

    /// Causes that say why Meteor's index was refused.
    static let ofIndex: [LogCause] = [
        .indexOfOtherVersion, .indexWithoutConfiguration, .indexOfOtherApp, .indexWithoutRootURL,
        .indexRootURLLocal,
    ]

    /// Causes that say why no request waits for an answer any more, besides those of its head.
    static let ofHead: [LogCause] = [
        .checkFailed, .superseded, .manifestChanged, .lineChanged, .checkDropped, .updatesOff,
        .waitsForNetwork, .noSpace, .diskFailed, .storeUnavailable, .transferStalled,
    ]

    /// Causes that say why a transfer failed or was refused.
    static let ofNetwork: [LogCause] = [
        .checkFailed, .transferFailed, .statusRefused, .contentMismatch, .lengthMismatch,
        .transferStalled, .retriesExhausted, .superseded, .manifestChanged, .noSpace, .diskFailed,
        .redirectRefused, .rangeRefused, .codingRefused, .optionalMissing, .fileTooLarge,
        .originChangeNotAllowed,
    ]

    /// Causes that say that the disk refused a call, or what became of it.
    static let ofDisk: [LogCause] = [
        .diskFailed, .noSpace, .storeUnavailable, .storeInUse, .readFailed, .recordNotWritten, .recordLost,
        .recordFellBack, .contentDamaged, .startNotMarked, .requestRefused,
    ]

    /// Causes that say how a start ended.
    static let endsOfStart: [LogCause] = [
        .startConfirmed, .startFailedByPage, .startFailedByCrash, .startFailedNotResponding,
        .startFailedWebProcess, .startFailedByClock, .startUnclear, .startUnclearByClock, .startEndedInFront,
        .startUncounted,
    ]

    /// Causes that say why a version is no longer pending.
    static let leavesPending: [LogCause] =
        [
            .pendingDropped, .superseded, .recalled, .blacklisted, .blacklistEntry, .parked, .rescued,
            .contentDamaged, .storeUpdate, .previousBuildDropped, .lineChanged, .embeddedByOrder,
            .rolledBackByOrder, .recordLost, .recordFellBack, .switched, .becamePending, .rolloutOutside,
        ] + endsOfStart

    /// Causes whose entries must be in the record's own log.
    static let blames: [LogCause] = [
        .blacklistEntry, .parked, .rescued, .startFailedByPage, .startFailedByCrash,
        .startFailedNotResponding, .startFailedWebProcess, .startFailedByClock, .startUnclear,
        .startUnclearByClock, .startEndedInFront,
    ]
}
