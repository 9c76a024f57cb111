extension Clause {
    /// What is kept, what repairs itself, and where a rescue leads.
    static let recovery: [Clause] = [
        // R1
        Clause("R1.kill", "After a kill at any disk operation the next launch starts a complete version."),
        Clause(
            "R1.power-cut",
            "After a power cut at any disk operation the next launch starts a complete version."),
        Clause(
            "R1.nothing-complete",
            "Where nothing is complete, the next launch shows loading and continues with what is stored."),
        // R6
        Clause(
            "R6.own-page",
            "A confirmation counts for the version of the page that sent it, not for the one that is "
                + "current by then."),
        Clause("R6.own-start", "A confirmation from the page of an earlier start does not count."),
        Clause("R6.no-arguments", "A page that confirms without arguments is attributed by the host."),
        Clause(
            "R6.loaded",
            "With confirm: \"loaded\" the server confirms once the index and all that it refers to "
                + "are answered."),
        Clause("R6.loaded-5-seconds", "With confirm: \"loaded\" the page must live 5 s longer."),
        // R7
        Clause("R7.current", "The content of the current version is kept."),
        Clause(
            "R7.pending",
            "The content of the pending version is kept, also while it waits for its second chance."),
        Clause("R7.parked", "The content of one parked version is kept."),
        Clause(
            "R7.last-good", "The content of the last known good version and of the one before it is kept."),
        Clause(
            "R7.proven-before",
            "Once the last known good version is proven, the one before it is the newest proven one."),
        Clause("R7.open-page", "The content of a version is kept while a page of it is open."),
        Clause("R7.download", "The files of the running download, finished and partial, are kept."),
        Clause("R7.superseded", "A version that is superseded before it ever started is removed at once."),
        Clause("R7.blacklisted", "The content of a version that was blacklisted is removed."),
        Clause(
            "R7.confirmed-start",
            "What has lost its place otherwise is removed after the next confirmed start."),
        Clause(
            "R7.idle-minute",
            "What has no place is gone after the next idle minute or process start, completely."),
        Clause("R7.record-first", "The durable record stops naming content before it is removed."),
        Clause("R7.closed", "When nothing is left to do, no file is open but the store's lock."),
        Clause("R7.new-file", "Damaged content is replaced by a new file, never written in place."),
        // R8
        Clause("R8.either-state", "After a cut the record reads as its old or its new state."),
        Clause("R8.falls-back", "A newer generation that is damaged falls back to the older one."),
        Clause(
            "R8.both-lost",
            "Losing both generations costs downloads and blacklist, is logged, and never costs the app."),
        Clause(
            "R8.within-limit", "No record is longer than its own reader accepts.",
            shownBy: "UpdaterTests/RecordTests"),
        // R9
        Clause("R9.last-good", "Rescue goes to the last known good version first."),
        Clause("R9.one-before", "Rescue goes to the good version before the last one second."),
        Clause("R9.embedded", "Rescue goes to the embedded version third."),
        Clause(
            "R9.screen",
            "What ran last is the end of the chain, behind a native screen with try again, send "
                + "report and look for update."),
        Clause(
            "R9.left-out",
            "What is recalled, blacklisted, parked, damaged or waiting for its second chance is not in the chain."
        ),
        Clause("R9.updates-arrive", "Updates arrive while R9's screen is shown."),
        // R10
        Clause("R10.length", "A stored file of another length is found at launch."),
        Clause("R10.boot", "After a boot the hashes are verified before anything of the version is served."),
        Clause(
            "R10.read-error", "After a read error the hashes are verified before the version is served again."
        ),
        Clause("R10.missing", "A listed file that is missing is damage."),
        Clause(
            "R10.record-first",
            "Damage is in the record before anything is done about it; the new boot id is in it after "
                + "the verification."),
        Clause(
            "R10.shared",
            "Every version that uses damaged content is out of use until the content is fetched again."),
        Clause("R10.no-blame", "Damage blames no version."),
        // R11
        Clause(
            "R11.same-version",
            "The death of the web process after the confirmation loads the same version again."),
        Clause(
            "R11.three-times", "It does so three times in ten minutes at most, then R9's screen is shown."),
        Clause(
            "R11.background",
            "A page whose web process dies in background is loaded again when the app comes to the front."),
        Clause("R11.no-blame", "The death of the web process after the confirmation blames no version."),
        // R12
        Clause(
            "R12.not-below",
            "Recovery does not go below the highest data schema that was confirmed here, which is logged."),
        Clause("R12.readable", "It does go below where the older version says that it can read that schema."),
        // R13
        Clause(
            "R13.two-ends",
            "When the only startable version has ended in failure or in front twice, the next launch "
                + "in front checks first."),
        Clause("R13.confirmation", "A confirmation between the two ends prevents it."),
        Clause("R13.check", "A check that ended since the first of the two ends prevents it."),
        Clause("R13.brings", "What the check brings is started."),
        Clause("R13.no-progress", "After 10 s without progress the version is started."),
        Clause("R13.sixty-seconds", "After 60 s in all the version is started."),
        Clause("R13.offline", "Offline, or with updates: \"never\", the version is started at once."),
        Clause(
            "R13.try-again",
            "The button to try again starts the version at once; where a link led to a page that shows "
                + "nothing, its start page."),
        Clause("R13.other-ends", "Swipes, ends in background and low memory don't count."),
        Clause(
            "R13.other-version",
            "When the embedded version runs and has ended so twice, and another version can be started, "
                + "the next process starts that one, which the user gets a notice of."),
        Clause(
            "R13.cover",
            "A page that shows nothing within the startup timeout in front gets R9's screen in place "
                + "of the cover; first content removes it."),
        Clause(
            "R13.cover-ends",
            "A cover in front ends: with content, or with a screen that offers a way on."),
        Clause("R13.cover-no-blame", "That screen blames no version, and the page continues to load."),
    ]
}
