extension Clause {
    /// Checks, downloads, and the moments of a switch.
    static let updating: [Clause] = [
        // U1
        Clause("U1.complete", "A version becomes pending only with every required file."),
        Clause("U1.hash", "A file whose hash is not the announced one is not accepted."),
        Clause("U1.length", "A file whose length is not the announced one is not accepted."),
        Clause("U1.synced", "A version becomes pending only when its files are durable."),
        Clause(
            "U1.no-hash",
            "Files without a hash are accepted only if the origin still offers the same version after "
                + "the last one."),
        Clause("U1.index-version", "An index that carries a version must carry that of the manifest."),
        // U2
        Clause("U2.stored", "Content that is stored or embedded is not requested again."),
        Clause("U2.resumed", "An interrupted file continues where it stopped if the origin allows it."),
        Clause(
            "U2.conditional",
            "A file without a hash is requested conditionally where a strong ETag is stored."),
        Clause("U2.hash-in-url", "A stored file whose URL carries its hash counts as a file with that hash."),
        Clause(
            "U2.recognised",
            "Content that was taken without a hash is recognised when a later manifest states it.",
            shownBy: "UpdaterTests/RecognisedContentTests"),
        // U3
        Clause("U3.no-mixture", "No mixture of two versions becomes pending."),
        Clause("U3.no-blame", "An origin that changes during a download blames no version."),
        Clause("U3.arrives", "Once the origin is consistent, what it offers arrives by itself."),
        // U4
        Clause("U4.join", "A check that is requested while one is in progress joins it."),
        Clause(
            "U4.one-more", "However many are requested while one is in progress, exactly one more follows."),
        Clause("U4.supersedes", "A newer version supersedes a running download."),
        Clause("U4.reuses", "What a superseded download has finished is used by its hash."),
        Clause("U4.no-late-bytes", "No byte that arrives for a superseded transfer is written."),
        Clause("U4.late-answer", "A late answer to an earlier check does not win."),
        // U5
        Clause(
            "U5.six-downloads", "At most six files are downloaded at once; an app can set another number."),
        Clause("U5.connect", "A request without an answer for 15 s has failed."),
        Clause("U5.idle", "A transfer without a byte for 30 s has failed."),
        Clause(
            "U5.slow-line",
            "Under 1 KiB a second over a minute the transfer is resumed, which is no failure; no time "
                + "in all is limited."),
        Clause("U5.back-off", "Attempts follow after 1, 2, 4 and up to 60 s, each 25 % more or less."),
        Clause(
            "U5.eight-tries", "After eight attempts without a new byte the next follows after 15 minutes."),
        Clause("U5.wakes", "A change of the network, a foreground or a push ends that wait."),
        Clause("U5.retry-after", "Retry-After is honoured, over process deaths too."),
        Clause("U5.retry-after-day", "A Retry-After counts as 24 h at most."),
        Clause("U5.check-at-launch", "A launch checks."),
        Clause("U5.check-in-front", "A foreground checks 15 minutes after the last check, and not before."),
        Clause("U5.one-unprompted", "A process switches at most once without being asked by the page."),
        Clause("U5.asked-switches", "A page gets three switches to one version in 24 h, then an error."),
        Clause("U5.rescue-once", "A process rescues by each version of the chain once."),
        // U6
        Clause(
            "U6.process-start",
            "A process start activates the pending version, with its first page, in whichever view."),
        Clause("U6.switch-call", "The page's switch call activates the pending version."),
        Clause(
            "U6.reload", "location.reload() activates the pending version, unless the app turns that off."),
        Clause("U6.push", "A silent push in background activates the pending version."),
        Clause(
            "U6.return",
            "A return after 30 minutes in background activates the pending version if the app turns "
                + "that on."),
        Clause("U6.not-navigation", "A link, a form, the history and a second web view don't activate it."),
        Clause("U6.not-web-process", "The restart of a dead web process does not activate it."),
        Clause("U6.hold-off", "The page may hold off a switch, for 24 h at most."),
        Clause("U6.hold-off-start", "A process start is not held off."),
        Clause(
            "U6.forced-launch",
            "A launch that finds a forced version waits for it while bytes arrive: 10 s without "
                + "progress and 30 s in all."),
        Clause(
            "U6.forced-in-front",
            "In front the page gets a notice of a forced version, and the switch waits for background or launch."
        ),
        // U7
        Clause(
            "U7.progress",
            "The loading screen's progress only grows: a percentage where sizes are known, else files."),
        Clause("U7.offline", "A first launch offline shows a screen with retry and an error report."),
        Clause(
            "U7.content-first",
            "With content on the device no launch waits for the network, but for a forced version and "
                + "for R13."),
        // U14 and U15
        Clause("U14.never", "updates: \"never\" sends no request to the origin."),
        Clause(
            "U14.page", "updates: \"page\" sends what the page, or R9's screen, asks for and nothing else."),
        Clause("U15.network", "Leaving an allowed network pauses a download; a return resumes it."),
        Clause("U15.size", "Above the size that the app states, a metered network waits."),
        // U16
        Clause(
            "U16.signed",
            "An app with keys refuses a manifest without a signature, each refusal for its cause."),
        Clause(
            "U16.whole", "A signature is of the manifest's exact bytes: not of a part, nor of another one."),
        Clause("U16.known-key", "One valid signature by a key in force is enough; others are ignored."),
        Clause("U16.algorithm", "A signature of an unknown algorithm counts as none."),
        Clause("U16.unusable-key", "A key of the app that is cut or empty verifies nothing, and is logged."),
        Clause("U16.sha256", "A row without SHA-256, and a dialect without it, is refused."),
        Clause(
            "U16.expires",
            "An expired manifest is not accepted, by the later of wall clock and origin time; what runs goes on."
        ),
        Clause(
            "U16.rotation",
            "Keys of a manifest replace those of its origin line once a version of it has confirmed."),
        Clause("U16.line", "Replaced keys are those of their origin line alone."),
        Clause(
            "U16.new-build", "A new native build's keys replace all, and what they did not sign is not kept."),
    ]
}
