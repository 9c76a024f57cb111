extension Clause {
    /// The record of a start, its ends, and what follows from them.
    static let starts: [Clause] = [
        // R2
        Clause(
            "R2.record-first",
            "The start record of a version that is not proven is durable before its index is served."),
        Clause(
            "R2.record-facts",
            "The start record has the version, the native build, the boot id and the page token."),
        Clause(
            "R2.note",
            "Once the index is served, and at each change, a note says whether the app is in front."),
        Clause("R2.no-note", "A start without a note is uncounted, unless the device has booted since."),
        Clause("R2.debugger", "A process under a debugger never notes that it is in front."),
        Clause(
            "R2.inactive", "The app is in front until it becomes inactive, not until it is in background."),
        Clause(
            "R2.unwritable",
            "Where the start record can't be written, a version that is not good is not started: the "
                + "best of R9's chain is."),
        Clause(
            "R2.unwritable-crash",
            "Where nothing can be written and the exit record says crash or not responding, the next "
                + "version of the chain is started."),
        Clause(
            "R2.proven-counted",
            "Starts of a proven version are counted without a sync; a count that can't be read is none."),
        // R3: ends
        Clause("R3.page-failure", "A page that reports failure before it confirmed has failed its start."),
        Clause("R3.late-failure", "A page that reports failure after it confirmed changes nothing."),
        Clause(
            "R3.exit-record",
            "An exit record that says crash or not responding means that the start failed."),
        Clause(
            "R3.web-process",
            "The first death of the web process in front loads the same version again, and the clock "
                + "continues; the second one fails the start."),
        Clause(
            "R3.clock",
            "A start that is reachable and untouched fails when its clock runs out: 20 s in front."),
        Clause(
            "R3.clock-setting",
            "The clock is the app's startup timeout, and never under 5 s; where the server confirms, 10 s."),
        Clause(
            "R3.clock-unreachable",
            "A clock that runs out without a good answer of the origin is an unclear end."),
        Clause(
            "R3.clock-touched",
            "A clock that runs out after the user has typed or followed a link is an unclear end."),
        Clause(
            "R3.clock-in-front",
            "The clock counts time in front only, and not behind another version or the remote root."),
        Clause(
            "R3.clock-files",
            "The clock stands still while the page is sent its files, at most 60 s in all."),
        Clause(
            "R3.clock-second-chance",
            "At a second chance the clock is three times as long, and at least 60 s."),
        Clause(
            "R3.clock-slow",
            "A version that has confirmed slowly has twice the longest time that it took, at most 120 s."),
        Clause(
            "R3.unclear-kill",
            "A process that ended in front without an explanation, before a confirmation, has ended "
                + "the start unclear."),
        Clause("R3.unclear-power-cut", "A power cut before a confirmation ends the start unclear."),
        Clause(
            "R3.background",
            "An end in background is unclear if the page has had 5 s in front, and uncounted otherwise."),
        Clause("R3.eighth-uncounted", "The eighth uncounted end in a row is unclear."),
        Clause("R3.comes-back", "A start that goes to background and comes back continues."),
        Clause("R3.end-durable", "The end of a start is durable before the rescuing index is served."),
        Clause("R3.end-from-memory", "Where the end can't be written, the rescue happens all the same."),
        // R3: rescue
        Clause(
            "R3.rescue",
            "After one failed start, or one whose clock ran out, the user gets the next version of "
                + "R9's chain."),
        Clause(
            "R3.front",
            "One unclear end in front, in the same boot and noted as such, rescues at the next launch."),
        Clause(
            "R3.front-boot",
            "An end in front does not count as one where the boot id changed or is not known."),
        Clause("R3.swipe", "A swipe leaves the front first: it is no end in front."),
        Clause(
            "R3.third-unclear", "The third unclear end in a row rescues; an app can set one, two or three."),
        Clause(
            "R3.confirmation-between", "A confirmation between makes the count of unclear ends begin anew."),
        Clause("R3.untouched-at-once", "A page that was never touched is rescued at once."),
        Clause(
            "R3.touched-later",
            "A touched page is rescued at the next background or launch, one whose web process has died at once."
        ),
        // R3: second chance
        Clause(
            "R3.stays-pending",
            "After an unclear or uncounted end the version stays pending and starts again at the next "
                + "process start."),
        Clause(
            "R3.waiting",
            "After its first failure, or an end in front, a version waits: only a process start takes it."),
        Clause(
            "R3.waiting-not-pending", "To a reload or a switch call nothing is pending while a version waits."
        ),
        Clause(
            "R3.waiting-first",
            "A waiting version starts at the first process start after the rescuing version has confirmed."),
        Clause(
            "R3.waiting-second",
            "A waiting version starts at the second process start after the rescue at the latest."),
        Clause("R3.second-failure", "A second chance that fails after a failure blacklists the version."),
        Clause(
            "R3.failure-after-front",
            "A second chance that fails after an end in front is the first failure: the version waits "
                + "once more."),
        Clause("R3.second-unclear", "A second chance that ends unclear parks the version."),
        Clause("R3.newer-replaces", "A newer version takes the place of a waiting one."),
        Clause(
            "R3.count-kept",
            "The count of failures stays with the version and counts when it is offered again."),
        // R3: parking
        Clause(
            "R3.parked", "Three unclear ends in a row park a version: it stays stored and is not started."),
        Clause("R3.parked-offers", "An offer of a parked version changes nothing."),
        Clause(
            "R3.parked-day",
            "After a day of origin time a parked version that is still offered is pending again, with "
                + "its count at 0."),
        Clause("R3.parked-user", "A parked version is pending again when the user looks for an update."),
        Clause("R3.third-parking", "The third parking blacklists a version."),
        Clause(
            "R3.third-unreachable",
            "The third parking does not blacklist a version whose unclear starts were all unreachable."),
        // R3: exceptions
        Clause(
            "R3.only-version",
            "The only version that could be shown is neither parked nor blacklisted: it starts again "
                + "by itself."),
        Clause("R3.proven-no-clock", "A proven version has no clock."),
        Clause(
            "R3.proven-three",
            "Three unconfirmed starts in a row set a proven version aside for the next process, which "
                + "the user gets a notice of."),
        Clause(
            "R3.proven-again",
            "The count of a proven version begins anew after it was set aside, and it is never blacklisted."),
        // R4
        Clause("R4.unexplained", "A death that the platform does not explain is never a failure."),
        Clause("R4.low-memory", "A death for low memory, by the user or by the system blames no version."),
        Clause("R4.no-space", "A full disk or a locked device blames no version."),
        Clause(
            "R4.clock-jump", "A wall clock that is wrong or jumps blames no version.",
            shownBy: "HouseTests/TidyTests"),
        Clause("R4.network", "A network or origin that fails blames no version."),
        Clause("R4.evidence", "A blacklist entry names the evidence that it rests on."),
        // R5
        Clause("R5.content-key", "The same id with other content is another version for the blacklist."),
        Clause("R5.build-key", "An entry holds for the native build in which it was made."),
        Clause("R5.line-key", "An entry holds for the origin line in which it was made."),
        Clause("R5.not-fetched", "A blacklisted version is not downloaded."),
        Clause(
            "R5.not-pending",
            "A blacklisted version does not become pending, even if its content is stored."),
        Clause("R5.not-started", "A blacklisted version is not started."),
        Clause("R5.never-embedded", "The embedded version is never blacklisted."),
        Clause("R5.never-proven", "A proven version is never blacklisted."),
        Clause("R5.never-only", "The only version that could be shown is never blacklisted."),
        Clause("R5.outlives-content", "An entry outlives the content of its version."),
        Clause(
            "R5.at-most-64",
            "There are at most 64 entries: the oldest goes, but none that the origin still offers.",
            shownBy: "UpdaterTests/RecordTests"),
        Clause("R5.first-7-days", "The first entry of a version ends after 7 days of origin time."),
        Clause("R5.second-30-days", "The second entry of a version ends after 30 days of origin time."),
        Clause("R5.third-for-good", "The third entry of a version does not end by time."),
        Clause(
            "R5.order", "An order of the origin to unblock, first seen after the entry was made, ends it."),
        Clause("R5.earlier-order", "An order that was first seen before the entry was made does not end it."),
        Clause("R5.count-kept", "An entry that has ended keeps its count."),
    ]
}
