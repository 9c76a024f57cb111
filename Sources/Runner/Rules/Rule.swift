import Oracle

/// A rule of the page <doc:Rules>, for `covers`, for the table rules × scenarios, and for `otalab help`.
package struct Rule: Hashable, Sendable {
    package var id: String
    /// Short name.
    package var title: String
    /// Meaning in one to three sentences; the page <doc:Rules> says more of some.
    package var text: String
    /// Whether a checker evaluates it after every event (∎ in <doc:Rules>).
    package var isInvariant: Bool

    package init(_ id: String, _ title: String, isInvariant: Bool = false, _ text: String = "") {
        self.id = id
        self.title = title
        self.text = text
        self.isInvariant = isInvariant
    }

    /// Chapter of the page <doc:Rules>.
    package enum Chapter: CaseIterable, Sendable {
        case serving, updating, recovery, native, telling, any

        /// Nil for an id that is no rule's.
        package init?(of id: String) {
            guard let chapter = Chapter.allCases.first(where: { $0.rules.contains { $0.id == id } }) else {
                return nil
            }
            self = chapter
        }

        fileprivate var rules: [Rule] {
            switch self {
            case .serving: Rule.serving
            case .updating: Rule.updating
            case .recovery: Rule.recovery
            case .native: Rule.native
            case .telling: Rule.telling
            case .any: Rule.any
            }
        }
    }

    package static func named(_ id: String) -> Rule? { all.first { $0.id == id } }

    /// In the order of <doc:Rules>.
    package static let all: [Rule] = Chapter.allCases.flatMap(\.rules)

    fileprivate static let serving: [Rule] = [
        Rule(
            "S1", "One version per page", isInvariant: true,
            "A page gets its index and all its files from one version; a switch falls between two page "
                + "loads. The old version's files stay as long as a page of it is open."),
        Rule(
            "S2", "Verified bytes", isInvariant: true,
            "What the server answers for a file of a version is, byte for byte, what was checked when "
                + "the version was accepted."),
        Rule(
            "S3", "The index answers navigations only",
            "Only a navigation to a document gets the index. A script, style, image or API call that is "
                + "not there gets 404, never HTML."),
        Rule(
            "S4", "Same origin", isInvariant: true,
            "Scheme, host and port of the page never change over restarts, updates and store updates, "
                + "because cookies and local storage hang on them. A taken port is waited for."),
        Rule(
            "S5", "Caching never shows an old version",
            "Only a URL with the content's hash in it may be kept for long; everything else is asked for "
                + "again each time."),
        Rule(
            "S6", "Loopback, own pages, nothing outside",
            "The local server listens on loopback alone, answers its own pages alone, and gives nothing "
                + "outside the version and www, however the path is written."),
        Rule(
            "S7", "API requests pass unchanged",
            "Requests for the API reach the remote root with method, path, query and body unchanged, and "
                + "its answer comes back so; an origin that is not reached is a 502 or 504, never a hang."),
        Rule(
            "S8", "The server is there when the page needs it",
            "The server runs while a page needs it, and is back on its port before the page does after "
                + "background, suspension or a dead socket."),
        Rule(
            "S9", "The page never waits for the update", isInvariant: true,
            "What a page, the user or the platform wants is answered before the update continues: it waits "
                + "for its own disk calls, for at most one short step of the update, and for no sync of it."),
    ]

    fileprivate static let updating: [Rule] = [
        Rule(
            "U1", "Verified before offered", isInvariant: true,
            "A version becomes pending only when every required file is stored, synced, and of the "
                + "length and hash that the manifest announces."),
        Rule(
            "U2", "Nothing fetched twice", isInvariant: true,
            "Content that is on the device already is not downloaded again, and an interrupted file goes "
                + "on where it stopped if the origin allows it."),
        Rule(
            "U3", "Mixed origin converges",
            "When the origin changes during a download, or its edges disagree, no mixture becomes "
                + "pending, and what it offers in the end arrives by itself."),
        Rule(
            "U4", "One check at a time", isInvariant: true,
            "Checks at the same time become one, a newer version takes the place of a running download, "
                + "and a late answer never wins over a newer one."),
        Rule(
            "U5", "Bounded", isInvariant: true,
            "Downloads at once, time-outs, tries, waits, switches and reloads have limits that no cycle "
                + "exceeds, not even over the death of the process."),
        Rule(
            "U6", "Moments of a switch",
            "A pending version is taken at process start, by the page's switch call, at "
                + "location.reload(), or in background: never under the user's hands at a link, a form or the "
                + "history."),
        Rule(
            "U7", "First launch without content",
            "An app that ships no version shows progress that only grows at its first launch, and a "
                + "screen with a retry when it is offline."),
        Rule(
            "U8", "Forward only", isInvariant: true,
            "A manifest older than the newest accepted one changes nothing. Where manifests have no "
                + "order (Meteor), a version that was left is taken again only when a second check offers it "
                + "too; to repair damaged content is no new offer."),
        Rule(
            "U9", "Targeting",
            "Which version a device should have may depend on device, user, cohort, channel, native "
                + "build and share of the rollout; when these change, what no longer fits is dropped. A "
                + "device decides itself whether it is in a share, and gets the manifest for the others if "
                + "it is not."),
        Rule(
            "U10", "Manifests refused",
            "A manifest for another app or build, of an unknown format, with unsafe paths or beyond the "
                + "size limits is refused, each for a cause of its own; so is an index of Meteor that is no "
                + "page of this app and version."),
        Rule(
            "U11", "Space and lengths",
            "No body longer than announced is taken, free space is asked for before the download, and "
                + "without space what was taken is given back."),
        Rule(
            "U12", "Required is the default",
            "A file is required unless its row says otherwise; source maps and optional files may be "
                + "missing, also when the origin keeps failing to send them."),
        Rule(
            "U13", "Recall",
            "A version that the newest manifest names as recalled is not started any more; if it runs, "
                + "it is left at the next allowed moment."),
        Rule(
            "U14", "Updates off",
            "updates: \"never\" sends no request to the origin, ever; updates: \"page\" only those that "
                + "the page or the recovery screen asks for."),
        Rule(
            "U15", "Data policy",
            "Allowed networks, and the size above which to wait, are settings; a download pauses on "
                + "another network and goes on when an allowed one is back."),
        Rule(
            "U16", "Authentic", isInvariant: true,
            "An app that was built with keys accepts a manifest only if one of them has signed it, each row "
                + "has SHA-256, and it has not expired. Keys are replaced by a signed manifest whose version "
                + "has confirmed, and by a new native build."),
    ]

    fileprivate static let recovery: [Rule] = [
        Rule(
            "R1", "Always a way back", isInvariant: true,
            "After a kill or a power cut at any disk operation the next launch starts a complete version "
                + "by itself, where there is one."),
        Rule(
            "R2", "The mark before the index", isInvariant: true,
            "That a start of a new version was begun is on disk before its index is served; without the "
                + "mark the version is not started. Once the index is served, a note says whether the app is in "
                + "front; without a note, nothing was started."),
        Rule(
            "R3", "Ends of a start",
            "A start ends confirmed, failed (the page says so, a crash that the system tells, the web "
                + "process dies twice, the clock runs out with the origin reachable and the page untouched) or "
                + "unclear (killed without an explanation). After an end in front that nothing explains the "
                + "user gets the last good version at the next launch, and no version is blamed. The first failure brings back the last good "
                + "version and leaves one second chance at a later process start, with three times the clock "
                + "and a minute at least; if that fails too, the version is blacklisted. The third unclear end "
                + "in a row parks it: it stays stored and is not started, until a day has passed or the user "
                + "asks; the third parking blacklists it, unless "
                + "the origin was out of reach each time."),
        Rule(
            "R4", "Just blame", isInvariant: true,
            "A version is blamed only for what the device recorded against it. A death that nobody "
                + "explains, a full disk, a jumping clock or a bad network is never its fault."),
        Rule(
            "R5", "Blacklist", isInvariant: true,
            "A blacklisted version is neither downloaded, made pending nor started. The entry ends with "
                + "a new native build, by an order of the origin first seen after it, after 7 days the first time and 30 the second, "
                + "the third time never; the embedded version is never on it."),
        Rule(
            "R6", "Own signal", isInvariant: true,
            "A confirmation counts only for the version of the page that sent it, and only in the start "
                + "that this page belongs to."),
        Rule(
            "R7", "Keep set", isInvariant: true,
            "The embedded, current, pending and last good version, the one before it, and what open "
                + "pages use are kept; everything else is gone after the next idle minute or process start."),
        Rule(
            "R8", "The record is always readable", isInvariant: true,
            "After any cut the record reads as its old or its new state. Losing it whole costs "
                + "downloads, never the app."),
        Rule(
            "R9", "Chain of rescue",
            "Rescue goes to the last good version, then the one before, then the embedded one, then a "
                + "native screen with a retry; what is recalled, blacklisted, parked or damaged is passed over."
        ),
        Rule(
            "R10", "Damage",
            "Stored files are checked by length at launch, and by hash after a reboot or a read error. "
                + "Damaged content is fetched again, and no version is blamed for it."),
        Rule(
            "R11", "Web process after confirmation",
            "When the web process of a confirmed version dies, the same version is loaded again, three "
                + "times in ten minutes at most."),
        Rule(
            "R12", "Data schema",
            "Recovery never goes below the highest data schema that was confirmed here, unless the older "
                + "version says that it can read it."),
        Rule(
            "R13", "The way to the fix",
            "When the only version that can be started failed or ended in front twice, and no check ended "
                + "meanwhile, the next launch checks first, for a bounded time, behind the recovery screen. A "
                + "page that shows nothing for the startup timeout gets that screen in place of the cover."),
    ]

    fileprivate static let native: [Rule] = [
        Rule(
            "N1", "Store update",
            "After a store update nothing of the former build is started: versions that fit the new "
                + "build stay, the others go with their marks and blacklist entries."),
        Rule(
            "N2", "Restored settings or files",
            "When a backup restores settings without files, or files without settings, the embedded "
                + "version starts."),
        Rule(
            "N3", "Suspension and clocks",
            "Clocks of downloads and starts stand still while the app is suspended, and a wall clock "
                + "that jumps changes nothing."),
        Rule(
            "N4", "Silent push",
            "A silent push checks at once, and switches only in background."),
        Rule(
            "N5", "Page and native code",
            "Page and native code exchange messages; a malformed, unknown, oversized or late one gets an "
                + "error or is dropped, and crashes neither side."),
    ]

    fileprivate static let telling: [Rule] = [
        Rule(
            "T1", "Everything is logged", isInvariant: true,
            "Every refusal, failure, rescue, blame and skipped update leaves one entry in the log, with "
                + "its cause and the facts."),
        Rule(
            "T2", "Events wait for the page",
            "Events that are sent while no page listens are kept until one does."),
        Rule(
            "T3", "Outcomes to the origin",
            "What became of each version (taken, confirmed, failed, rescued, refused) is reported to the "
                + "origin once."),
        Rule(
            "T4", "White time", isInvariant: true,
            "From launch or switch to first content the user sees a cover; the time with neither is 0."),
    ]

    fileprivate static let any: [Rule] = [
        Rule(
            "X1", "Comes up and stays",
            "If a complete version is on the device, the next launch leads, without a store update, to a page "
                + "or to the app's own recovery screen. Checked after every event of somebody else's updater."
        )
    ]
}
