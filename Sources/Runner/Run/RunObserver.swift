import Backend
import Core
import Oracle
import ScenarioLanguage
import Updater

/// Stands beside a running world: after each event it brings the observed state, the store's images and the
/// checkers up to date.
package struct RunObserver: Sendable {
    package private(set) var observed: ObservedState
    package private(set) var store: StoreObserver
    package private(set) var checkers: CheckerList
    package private(set) var shouldHave: ExpectedVersionOracle
    /// Grows whenever something happened that could make an expectation come true or false.
    package private(set) var changes = 0
    /// The part of ``changes`` that was more than requests and answers going by.
    package private(set) var majorChanges = 0
    /// What a process that ended wrote into its record's log and could not tell any more counts as told: for
    /// runs whose processes are cut off at any operation.
    package var hearsFromRecord = false { didSet { observed.mayLoseNotes = hearsFromRecord } }
    package private(set) var found = PreviousRecords()
    /// What was on the device from moment to moment; only where the run's trace is shown.
    package var chronicle: DeviceTimeline?
    /// Facts taken in so far.
    package private(set) var seen = 0
    package let device: Int
    /// Others are in the story: their facts are not for this one.
    package let hasOthers: Bool

    /// - Parameter readings: of other runs of the same scenario, where there are some.
    package init(
        observed: ObservedState, checkers: CheckerList, edges: Int, device: Int = 0, hasOthers: Bool = false,
        readings: ContentReadings? = nil
    ) {
        self.observed = observed
        self.device = device
        self.hasOthers = hasOthers
        store = StoreObserver(readings ?? ContentReadings(dialect: observed.app.dialect))
        let embedded = observed.app.builds.first { $0.name == observed.app.installed }?.embeds
        shouldHave = ExpectedVersionOracle(edges: edges, embedded: embedded)
        self.checkers = checkers
    }

    package var view: StoreView { store.view }

    /// ``StoreObserver/unsyncedPaths``
    package var unsyncedPaths: [DiskPath] { store.unsyncedPaths }

    /// Takes in what the last event or action brought.
    package mutating func catchUp(_ world: some Backend) {
        let facts = world.trace
        let mark = world.diskRevision(of: device)
        if facts.count == seen, mark == store.mark { return }
        let new = facts[seen...]
        seen = facts.count
        if hasOthers { return takeIn(new.filter { $0.device == device || $0.device < 0 }[...], mark, world) }
        takeIn(new, mark, world)
    }

    private mutating func takeIn(_ new: ArraySlice<TraceEvent>, _ mark: Int?, _ world: some Backend) {
        let isChanged = look(at: world, mark, new)
        if isChanged || !new.isEmpty { changes += 1 }
        if isChanged || new.contains(where: { !$0.kind.isTraffic }) { majorChanges += 1 }
        for fact in new {
            if case .listening(true) = fact.kind { observed.port = world.view(of: device).port }
            if case .launched = fact.kind { found = PreviousRecords(view) }
            observed.observe(fact)
            shouldHave.observe(fact)
            checkers.observe(fact, in: observed, store.view)
            // Before the next event: an installation that follows ends what the process confirmed.
            if hearsFromRecord, fact.kind.isEnd { hearFromRecord(at: world.now) }
        }
        if isChanged {
            observed.timePassed(to: world.now)
            checkers.storeChanged(store.view, in: observed)
        }
        chronicle?.look(at: world, device: device, store.view, names: observed.names)
    }

    private mutating func look(at world: some Backend, _ mark: Int?, _ new: ArraySlice<TraceEvent>) -> Bool {
        let isDamaged = new.contains { if case .damaged = $0.kind { true } else { false } }
        guard isDamaged || mark != store.mark, let disk = world.disk(of: device) else { return false }
        if !isDamaged { return store.update(disk) }
        store.mediumDamaged(disk)
        return true
    }

    /// Nothing else happens at this instant.
    package mutating func timePassed(to now: Instant) {
        observed.timePassed(to: now)
        checkers.timePassed(in: observed, store.view)
    }

    /// In the process that runs a start ended unconfirmed, or the user was rescued from it.
    package var hasRescued: Bool {
        observed.starts.contains { $0.process == observed.process && $0.end != nil && $0.end != .confirmed }
            || observed.logged([.rescued], since: observed.processBegan) != nil
    }

    /// The world has dropped the facts so far; they are taken in.
    package mutating func dropTrace() { seen = 0 }

    /// A process that was cut off may have written into its record what it could not tell any more: what
    /// stands in the record's log and was never told counts as told now. And it may have told what a power
    /// cut took back: a confirmation that no record knows.
    private mutating func hearFromRecord(at now: Instant) {
        guard let record = view.live.record else { return }
        observed.keepGood(as: record)
        guard found.isNew(record) else { return }
        let told = observed.logged.filter { $0.process == observed.process && $0.entry.after != nil }
        for entry in UnreportedLogEntries.entries(of: record.log, told: told.map(\.entry)) {
            let fact = TraceEvent(
                number: seen, at: now, device: device, process: observed.process, kind: .log(entry))
            observed.observe(fact)
            checkers.observe(fact, in: observed, store.view)
        }
    }

    package mutating func apply(_ change: SettingsSpec) { observed.apply(change) }
}

extension TraceEvent.Kind {
    fileprivate var isEnd: Bool {
        switch self {
        case .processEnded, .powerCut: true
        default: false
        }
    }

    /// Requests and answers going by, of which there are many: they change counters and which version the
    /// page's bytes are, nothing else that an expectation looks at.
    fileprivate var isTraffic: Bool {
        switch self {
        case .requestSent, .answerHead, .transferEnded, .answered, .pageRequested, .pageReceived: true
        default: false
        }
    }
}
