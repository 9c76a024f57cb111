extension Clause {
    /// What a manifest may say, and to which device.
    static let publications: [Clause] = [
        // U8
        Clause(
            "U8.below",
            "A manifest below the newest accepted one of its line is ignored, orders in it included."),
        Clause("U8.equal", "A manifest equal to the newest accepted one changes nothing."),
        Clause("U8.date-ahead", "A date more than 24 h ahead of the answer's date is refused."),
        Clause("U8.names-running", "A manifest that names what runs drops what is pending."),
        Clause(
            "U8.second-check",
            "Without an order, a version that the device has left is taken only when a second check "
                + "offers it too."),
        Clause("U8.sixty-seconds", "The second check is sent by the updater 60 s after the first."),
        Clause(
            "U8.page-checks",
            "With updates: \"page\" the second check is the page's next one, 60 s later at least."),
        Clause("U8.in-between", "An answer in between that offers another version starts the wait again."),
        Clause("U8.process-death", "A process death starts the wait for a second check again."),
        Clause(
            "U8.sixteen",
            "The last 16 versions that the device has left are remembered, the embedded one too."),
        Clause("U8.repair", "Repairing damaged content is no new offer."),
        Clause("U8.stored-content", "A version that is taken again uses its stored and embedded content."),
        // U9
        Clause(
            "U9.share", "A device takes a version of a rollout if it is in the share, at its borders exactly."
        ),
        Clause("U9.stable", "The same device is in the same share over launches and versions."),
        Clause(
            "U9.otherwise",
            "A device outside the share gets the manifest for the others, in the same check."),
        Clause("U9.audience", "Device, user, cohort, channel and native build are sent with each check."),
        Clause(
            "U9.drops-pending",
            "A change of user, cohort or channel drops a pending version that no longer fits."),
        Clause("U9.new-line", "A change of channel or remote root starts a new line."),
        Clause(
            "U9.late-answer",
            "An answer to a check for other settings does not count, and another check follows."),
        // U10
        Clause("U10.app", "A manifest of another app is refused."),
        Clause("U10.native", "A manifest outside the native range is refused."),
        Clause(
            "U10.format",
            "An unknown format, and a missing or malformed field, are refused, each for its cause."),
        Clause("U10.paths", "Unsafe and clashing routes and paths are refused."),
        Clause(
            "U10.sizes",
            "Manifests over 4 MiB or 20,000 files, files over 512 MiB and versions over 2 GiB are refused."),
        Clause("U10.version", "A manifest without a version is refused."),
        Clause("U10.origin", "A file of another origin that the app does not allow is refused."),
        Clause("U10.meteor-index", "Meteor's index must be a page of this app and this version."),
        Clause(
            "U10.compatibility",
            "Meteor's compatibility version must be the app's, or that of its embedded manifest."),
        // U11
        Clause("U11.announced", "No body is longer than announced."),
        Clause("U11.free-space", "A download needs the missing bytes × 1.1 and 50 MB free."),
        Clause("U11.gives-back", "Out of space gives back what was taken, and says so."),
        // U12
        Clause("U12.required", "A file is required unless its row says otherwise."),
        Clause("U12.optional", "Source maps and optional files may be missing; a request for one gets 404."),
        // U13
        Clause("U13.pending", "A recalled version is not pending any more."),
        Clause("U13.chain", "A recalled version is not in R9's chain; the embedded one stays in it."),
        Clause("U13.not-started", "A recalled version is not started."),
        Clause("U13.told", "The page of a recalled version gets a notice."),
        Clause(
            "U13.left",
            "The next allowed moment leaves a recalled version for what is pending, else for the chain."),
        Clause(
            "U13.nothing-else",
            "A recalled version that is the only complete one is offered by R9's screen, after a check."),
        Clause("U13.others", "A recall touches no other version."),
    ]
}
