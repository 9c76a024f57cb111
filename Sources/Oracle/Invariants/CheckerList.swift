import Backend
import Core

/// All invariants that watch a run. A new one is a file of its own and a line here.
package struct CheckerList: Sendable {
    package static let all: [any Checker] = [
        OneVersionPerPage(),
        VerifiedBytes(),
        SameOrigin(),
        VerifiedBeforeOffered(),
        NothingFetchedTwice(),
        OneAtATime(),
        Bounded(),
        ForwardOnly(),
        AlwaysAWayBack(),
        StartRecordBeforeIndex(),
        JustBlame(),
        BlacklistHolds(),
        OwnSignal(),
        RetainedSet(),
        RecordReadable(),
        EverythingLogged(),
        WhiteTime(),
    ]

    package struct Finding: Sendable {
        package var rule: String
        package var violation: Violation
        package var at: Instant
        /// Number of the fact that showed it.
        package var fact: Int?
    }

    private var checkers: [any Checker]
    /// A rule that was broken once is not reported again in the same run.
    private var broken: [String] = []
    package private(set) var findings: [Finding] = []

    package init(_ checkers: [any Checker] = CheckerList.all) { self.checkers = checkers }

    package mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) {
        for index in checkers.indices {
            let violation = checkers[index].observe(fact, in: observed, store)
            if let violation { found(checkers[index].rule, violation, observed, fact.number) }
        }
    }

    package mutating func storeChanged(_ store: StoreView, in observed: ObservedState) {
        for index in checkers.indices {
            let violation = checkers[index].storeChanged(store, in: observed)
            if let violation { found(checkers[index].rule, violation, observed, nil) }
        }
    }

    package mutating func timePassed(in observed: ObservedState, _ store: StoreView) {
        for index in checkers.indices {
            let violation = checkers[index].timePassed(in: observed, store)
            if let violation { found(checkers[index].rule, violation, observed, nil) }
        }
    }

    /// As ``Checker/remember(in:)``, of all.
    package func remember(in sum: inout Hasher) {
        sum.combine(broken)
        for checker in checkers { checker.remember(in: &sum) }
    }

    private mutating func found(
        _ rule: String, _ violation: Violation, _ observed: ObservedState, _ fact: Int?
    ) {
        if broken.contains(rule) { return }
        broken.append(rule)
        findings.append(Finding(rule: rule, violation: violation, at: observed.now, fact: fact))
    }
}

extension CheckerList {
    /// The invariants, and what only a search over crash points asks.
    package static let crashing: [any Checker] = all + [ReportedIsDurable()]
}
