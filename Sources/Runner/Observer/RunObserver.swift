import Backend
import Core
import Oracle
import ScenarioLanguage
import Updater

/// Observes one device during a run: after each event it updates the observed state, the images of the store
/// and the checkers.
package struct RunObserver: Sendable {
    package private(set) var observed: ObservedState
    package private(set) var store: StoreObserver
    package private(set) var checkers: CheckerList
    package private(set) var expectedVersionOracle: ExpectedVersionOracle
    /// Number of changes that could make an expectation true or false.
    package private(set) var changes = 0
    /// Number of those ``changes`` that were more than requests and answers.
    package private(set) var majorChanges = 0
    /// Whether processes are cut off at any operation: one may have reported a confirmation that a power cut
    /// removes from its record, and notes that are not synced may be lost.
    package var endsAtAnyOperation = false { didSet { observed.mayLoseNotes = endsAtAnyOperation } }
    package private(set) var previousRecords = PreviousRecords()
    /// Recorded states of the device; nil unless the run's trace is shown.
    package var timeline: DeviceTimeline?
    /// Number of calls of ``catchUp(_:)``.
    package private(set) var updates = 0
    /// Number of trace events processed so far.
    package private(set) var processedEvents = 0
    /// Time and ``changes`` of the last evaluation of what depends on time alone.
    private var passed: (now: Instant, changes: Int)?
    package let device: Int
    /// Whether the scenario has other devices, whose events this observer must ignore.
    package let hasOthers: Bool

    /// - Parameter readings: contents that other runs of the same scenario have read.
    package init(
        observed: ObservedState, checkers: CheckerList, origin: OriginSetup, device: Int = 0,
        hasOthers: Bool = false,
        readings: StoredContentCache? = nil
    ) {
        self.observed = observed
        self.device = device
        self.hasOthers = hasOthers
        store = StoreObserver(readings ?? StoredContentCache(dialect: observed.app.dialect))
        let builds = observed.app.builds
        expectedVersionOracle = ExpectedVersionOracle(
            origin, embedded: builds.map(\.embeds),
            installed: builds.first { $0.name == observed.app.installed }?.embeds)
        self.checkers = checkers
    }

    /// Whether nothing has changed on the device's disk since the last call.
    package func isUpToDate(with world: some Backend) -> Bool {
        world.diskRevision(of: device) == store.mark
    }

    package var view: StoreView { store.view }

    /// ``StoreObserver/unsyncedPaths``
    package var unsyncedPaths: [DiskPath] { store.unsyncedPaths }

    /// Processes all changes since the last call; the events before `first` are about other devices.
    package mutating func catchUp(_ world: some Backend, from first: Int) {
        processedEvents = max(processedEvents, first)
        catchUp(world)
    }

    /// Processes all changes since the last call.
    package mutating func catchUp(_ world: some Backend) {
        updates += 1
        let events = world.trace
        let mark = world.diskRevision(of: device)
        if events.count == processedEvents, mark == store.mark { return }
        let all = events[processedEvents...]
        processedEvents = events.count
        let new = hasOthers ? all.filter { $0.device == device || $0.device < 0 }[...] : all
        let isChanged = updateStore(world, mark, new)
        if isChanged || !new.isEmpty { changes += 1 }
        if isChanged || new.indices.contains(where: { !new[$0].kind.isTraffic }) { majorChanges += 1 }
        for event in new {
            if case .listening(true) = event.kind { observed.port = world.view(of: device).port }
            if case .launched = event.kind { previousRecords = PreviousRecords(view) }
            observed.observe(event)
            expectedVersionOracle.observe(event)
            checkers.observe(event, in: observed, store.view)
            // Before the next event, because an installation would remove what the process confirmed.
            if event.kind.isEnd { readRecordLog(at: world.now) }
        }
        if isChanged {
            observed.timePassed(to: world.now)
            checkers.storeChanged(store.view, in: observed)
        }
        timeline?.record(world, device: device, store.view, names: observed.names)
    }

    /// - Returns: whether the store changed.
    private mutating func updateStore(
        _ world: some Backend, _ mark: Int?, _ new: ArraySlice<TraceEvent>
    ) -> Bool {
        let isDamaged = new.indices.contains { if case .damaged = new[$0].kind { true } else { false } }
        guard isDamaged || mark != store.mark else { return false }
        let isChanged = world.withDisk(of: device) { disk in
            if !isDamaged { return store.update(disk) }
            store.mediumDamaged(disk)
            return true
        }
        return isChanged ?? false
    }

    /// Called when nothing else happens at this instant.
    package mutating func timePassed(to now: Instant) {
        if let passed, passed.now == now, passed.changes == changes { return }
        passed = (now, changes)
        observed.timePassed(to: now)
        checkers.timePassed(in: observed, store.view)
    }

    /// Whether, in the running process, a start ended unconfirmed or a rescue happened.
    package var hasRescued: Bool {
        observed.starts.contains { $0.process == observed.process && $0.end != nil && $0.end != .confirmed }
            || observed.logged([.rescued], since: observed.processBegan) != nil
    }

    /// ``CheckerList/forgetDecisions()``
    package mutating func forgetDecisions() { checkers.forgetDecisions() }

    /// Called when the world has dropped its trace so far; all of it is processed.
    package mutating func dropTrace() { processedEvents = 0 }

    /// Reports log entries that are in the record of a process that has ended and that it could not report.
    private mutating func readRecordLog(at now: Instant) {
        guard let record = view.live.record else { return }
        // What a process could not write, no later one knows of.
        let wasUnwritten =
            observed.logged(
                [.recordNotWritten, .storeUnavailable, .startNotMarked], since: observed.processBegan) != nil
        if endsAtAnyOperation || wasUnwritten { observed.reconcileConfirmations(with: record) }
        guard previousRecords.isNew(record) else { return }
        let reported = observed.logged.filter { $0.process == observed.process && $0.entry.after != nil }
        for entry in UnreportedLogEntries.entries(of: record.log, reported: reported.map(\.entry)) {
            let event = TraceEvent(
                ordinal: processedEvents, at: now, device: device, process: observed.process,
                kind: .log(entry)
            )
            observed.observe(event)
            checkers.observe(event, in: observed, store.view)
        }
    }
}

extension TraceEvent.Kind {
    fileprivate var isEnd: Bool {
        switch self {
        case .processEnded, .powerCut: true
        default: false
        }
    }

    /// Requests and answers, of which there are many. They change only counters and the version of the page's
    /// bytes.
    fileprivate var isTraffic: Bool {
        switch self {
        case .requestSent, .answerHead, .transferEnded, .answered, .pageRequested, .pageReceived: true
        default: false
        }
    }
}
