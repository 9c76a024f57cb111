import Backend
import ScenarioLanguage
import Updater

/// Reads from the trace of a run which cells it reaches, decisions left out. It can read a trace in parts.
package struct CoverageReader: Sendable {
    package private(set) var table = CoverageTable()
    /// What was reached, each once, with the ordinal of its event in what was read, from 0.
    package private(set) var discoveries: [(key: Int, event: Int)] = []
    private var known: Set<Int> = []
    private var events = 0
    /// Last cause of each device's log.
    private var lastCauses: [LogCause?]
    private var trackers: [CircumstanceTracker]
    /// Faults of the run by their names.
    private var faults: [String: FaultKind]

    package init(devices: Int, faults: [String: FaultKind]) {
        trackers = (0..<devices).map { CircumstanceTracker(device: $0) }
        lastCauses = [LogCause?](repeating: nil, count: devices)
        self.faults = faults
    }

    /// A fault that begins from here on, with the name that the trace gives it.
    package mutating func name(_ fault: FaultKind, _ name: String) { faults[name] = fault }

    /// Forgets what was reached, not what is under way: for a copy of a run that counts its own part only.
    package mutating func dropCounts() {
        table = CoverageTable()
        (discoveries, known, events) = ([], [], 0)
    }

    package mutating func observe(_ events: some Sequence<TraceEvent>) {
        for event in events { observe(event) }
    }

    package mutating func observe(_ event: TraceEvent) {
        defer { events += 1 }
        switch event.kind {
        case .log(let entry): add(entry.cause, event.device)
        case .processEnded(let cause): add(.end, cause.rawValue, event.device)
        default:
            if let kind = DisturbanceKind(event.kind, faults: faults) {
                add(.disturbance, kind.name, event.device)
            }
        }
        // The event counts as happening in what was under way before it.
        if trackers.indices.contains(event.device) { trackers[event.device].observe(event) }
    }

    /// - Parameter device: negative for all devices.
    private mutating func add(_ group: CoverageCell.Group, _ name: String, _ device: Int) {
        for tracker in trackers.indices where device < 0 || tracker == device {
            add(CoverageCell(group, name, trackers[tracker].current))
        }
    }

    private mutating func add(_ cell: CoverageCell) {
        table.add(cell)
        if let key = cell.index { discover(key) }
    }

    private mutating func add(_ cause: LogCause, _ device: Int) {
        add(CoverageCell(.cause, cause.rawValue))
        guard lastCauses.indices.contains(device) else { return }
        if let last = lastCauses[device] { discover(CoverageDiscovery.key(of: cause, after: last)) }
        lastCauses[device] = cause
    }

    private mutating func discover(_ key: Int) {
        if known.insert(key).inserted { discoveries.append((key, events)) }
    }

    /// What is under way on a device.
    package func circumstance(of device: Int) -> Circumstance { trackers[device].current }
}

/// What a run reached and where: a cell, or a cause of the log right after another one. There are many more
/// of these pairs than cells, so that a search finds something new for longer.
package struct CoverageDiscovery: Hashable, Sendable {
    /// Equal for equal discoveries of one program: the index of a cell in ``CoverageCell/all``, or a number
    /// above those.
    package var key: Int
    /// Index of the step, in the order of the file; nil: after the last one.
    package var step: Int?

    package var isCell: Bool { CoverageDiscovery.isCell(key) }

    package static func isCell(_ key: Int) -> Bool { key < CoverageCell.ofTrace.count }

    static func key(of cause: LogCause, after last: LogCause) -> Int {
        let causes = LogCause.allCases.count
        return CoverageCell.ofTrace.count + index(last) * causes + index(cause)
    }

    private static func index(_ cause: LogCause) -> Int { indices[cause] ?? 0 }
    private static let indices = Dictionary(
        uniqueKeysWithValues: zip(LogCause.allCases, LogCause.allCases.indices))
}

extension RunPlan {
    /// The scenario's faults by the names that the trace gives them.
    package var namedFaults: [String: FaultKind] {
        var faults: [String: FaultKind] = [:]
        for numbered in NumberedStep.all(of: scenario) {
            if case .fault(let spec) = numbered.step.action { faults[numbered.faultName] = spec.kind }
        }
        return faults
    }
}
