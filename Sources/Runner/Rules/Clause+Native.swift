extension Clause {
    /// Store updates, restores, clocks, and messages.
    static let native: [Clause] = [
        Clause("N1.before-loading", "A store update is settled before anything is loaded."),
        Clause(
            "N1.newest-stays",
            "The newest downloaded version that fits the new build stays; it is pending and unproven."),
        Clause("N1.range", "A version whose native range does not cover the new build goes."),
        Clause("N1.serial", "A version whose serial is not above the new embedded one's goes."),
        Clause("N1.without-package", "A version that needs files of the old package goes."),
        Clause("N1.bare-dialects", "In Meteor's and the frontend dialect all downloaded versions go."),
        Clause(
            "N1.start-record", "The start record, and the last known good version of the former build, go."),
        Clause("N1.parking-ends", "Parking ends with a new native build."),
        Clause("N1.blacklist-ends", "Blacklist entries end with a new native build."),
        Clause(
            "N1.older-build",
            "An older build, and the same build with another embedded version, are store updates too."),
        Clause("N1.interrupted", "A settlement that was interrupted is finished at the next launch."),
        Clause("N2.apart", "Settings without files, or files without settings, start the embedded version."),
        Clause(
            "N2.newer-format",
            "A record of a newer format starts the embedded version and keeps the files until a "
                + "confirmed start."),
        Clause(
            "N3.suspension", "Suspension stops the clocks of starts and downloads, and lets them continue."),
        Clause(
            "N3.wall-clock",
            "A jump of the wall clock changes nothing but an expiry, and which origin time is refuted.",
            shownBy: "HouseTests/TidyTests"),
        Clause(
            "N3.wrong-date",
            "An origin time is set back when a valid response and the wall clock, which agree within a day, "
                + "are both more than a day before it; what was dated later counts from then."),
        Clause(
            "N3.process-death",
            "Time over process deaths is counted in origin time, launches or what was left."),
        Clause("N4.checks", "A silent push checks at once."),
        Clause("N4.in-front", "A silent push does not reload a user in front of the screen."),
        Clause("N5.messages", "A message with an id gets its result with that id."),
        Clause(
            "N5.malformed", "A malformed, unknown, oversized or late message gets an error or is dropped."),
        Clause(
            "N5.answer-in-time",
            "A page has 30 s for an answer to native code, and 100 open calls; without an answer native code gets no result."
        ),
        Clause("N5.links", "Intercepted links reach the native code."),
    ]

    /// The log, the page's notices, outcomes, and covers.
    static let telling: [Clause] = [
        Clause(
            "T1.one-entry",
            "Each refusal, failure, rescue, blame and skipped update leaves one entry with its cause."),
        Clause("T1.true-cause", "The cause of an entry holds: what it says has happened."),
        Clause(
            "T1.bounded", "The log is bounded and written with the next change of the record.",
            shownBy: "UpdaterTests/LoggingTests"),
        Clause(
            "T2.kept",
            "A notice that no page listens for is kept until one does, progress as its newest only."),
        Clause("T2.not-itself", "The page of a version gets no notice that this version is ready."),
        Clause("T2.errors", "The page gets one notice of a failed check or refused offer per check."),
        Clause("T3.once", "Each outcome is reported to the origin once."),
        Clause("T3.process-death", "Outcomes that were not accepted are kept over process death."),
        Clause(
            "T4.cover", "From launch or switch to first content the user sees a cover or a native screen."),
    ]

    static let any = [
        Clause(
            "X1.comes-up",
            "A launch in front leads to a page or to a screen that offers a way on, within 150 s."),
        Clause(
            "X1.stays",
            "The process does not end unless the scenario or the page's scripted start-up ended it."),
    ]
}
