import Backend
import Core

/// The checkers that watch a run. A new checker needs its own file and a line in ``all``.
package struct CheckerList: Sendable {
    package static let all: [any Checker] = [
        OneVersionPerPage(),
        VerifiedBytes(),
        PagesForNavigations(),
        SameOrigin(),
        CleanForwarding(),
        OwnPagesOnly(),
        PageBeforeUpdate(),
        VerifiedBeforePending(),
        NothingFetchedTwice(),
        ContinuedParts(),
        OneDownloadAtATime(),
        LateAnswersLose(),
        AttemptLimits(),
        TransfersEnd(),
        FailedChecksRepeated(),
        DailyLimits(),
        ForwardOnly(),
        FitsTheBuild(),
        LoadingEnds(),
        AllowedNetworks(),
        RoomForDownloads(),
        OptionalFilesLeftOut(),
        SignedReleases(),
        OneOrigin(),
        AskerIsNamed(),
        LinesApart(),
        RepairedByOneCheck(),
        MomentsUsed(),
        ForcedLaunchWaits(),
        AlwaysStartable(),
        StartRecordBeforeIndex(),
        BlameNeedsEvidence(),
        BlacklistHolds(),
        ParkingHolds(),
        DamagedStaysOut(),
        ConfirmationByOwnPage(),
        DeadPagesComeBack(),
        RetainedContent(),
        LeftoversRemoved(),
        RecordReadable(),
        NativeCallsAnswered(),
        EverythingLogged(),
        CausesHold(),
        NoticesOnce(),
        ProgressGrows(),
        OutcomesOnce(),
        NoWhiteTime(),
        RecoveryScreenEnds(),
        CoverEnds(),
        Decisions(),
    ]

    /// The first violation of a rule in a run.
    package struct Finding: Sendable {
        /// Id of the rule.
        package var rule: String
        package var violation: Violation
        package var at: Instant
        /// Ordinal of the event that showed it; nil if it was a change of the store, or time that passed.
        package var eventOrdinal: Int?

        package init(rule: String, violation: Violation, at: Instant, eventOrdinal: Int? = nil) {
            self.rule = rule
            self.violation = violation
            self.at = at
            self.eventOrdinal = eventOrdinal
        }
    }

    private var checkers: [any Checker]
    /// Rules that were broken. Each is reported once in a run.
    private var broken: [String] = []
    package private(set) var findings: [Finding] = []

    package init(_ checkers: [any Checker] = CheckerList.all) { self.checkers = checkers }

    package mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) {
        for index in checkers.indices {
            let violation = checkers[index].observe(event, in: observed, store)
            if let violation { report(checkers[index].rule, violation, observed, event.ordinal) }
        }
    }

    package mutating func storeChanged(_ store: StoreView, in observed: ObservedState) {
        for index in checkers.indices {
            let violation = checkers[index].storeChanged(store, in: observed)
            if let violation { report(checkers[index].rule, violation, observed, nil) }
        }
    }

    package mutating func timePassed(in observed: ObservedState, _ store: StoreView) {
        for index in checkers.indices {
            let violation = checkers[index].timePassed(in: observed, store)
            if let violation { report(checkers[index].rule, violation, observed, nil) }
        }
    }

    /// ``Checker/decisions`` of all checkers, in their order.
    package var decisions: [DecisionCount] { checkers.flatMap(\.decisions) }

    /// As ``Checker/forgetDecisions()``, for all checkers.
    package mutating func forgetDecisions() {
        for index in checkers.indices { checkers[index].forgetDecisions() }
    }

    /// As ``Checker/hashMemory(into:)``, for all checkers.
    package func hashMemory(into hasher: inout Hasher) {
        hasher.combine(broken)
        for checker in checkers { checker.hashMemory(into: &hasher) }
    }

    private mutating func report(
        _ rule: String, _ violation: Violation, _ observed: ObservedState, _ eventOrdinal: Int?
    ) {
        let rule = violation.clause.map { String($0.prefix { $0 != "." }) } ?? rule
        if broken.contains(rule) { return }
        broken.append(rule)
        findings.append(
            Finding(rule: rule, violation: violation, at: observed.now, eventOrdinal: eventOrdinal))
    }
}

extension CheckerList {
    /// Those for an app of which only requests, pages and processes are seen.
    package static let outside: [any Checker] = [ComesUp(), BytesOfOneVersion()]

    /// All checkers, and those that only a search over crash points uses.
    package static let crashing: [any Checker] = all + [ReportedIsDurable()]
}
