import Foundation
import Reporting
import Runner
import Search

/// The seeds of a search, or of a shard of it.
struct ExplorationSeeds: Sendable {
    var first: UInt64
    /// Number of worlds of all shards; nil: until the search is stopped.
    var count: UInt64?
    var shard: Shard?

    /// The seed of a world, in order; nil if there are no more.
    func seed(_ index: UInt64) -> UInt64? {
        let step = UInt64(shard?.count ?? 1)
        let (offset, isOver) = index.multipliedReportingOverflow(by: step)
        let number = offset &+ UInt64((shard?.ordinal ?? 1) - 1)
        if isOver || count.map({ number >= $0 }) ?? false || number > UInt64.max - first { return nil }
        return first + number
    }

    /// How many worlds are left after some.
    func count(after worlds: UInt64) -> Int {
        guard let count else { return Int.max }
        let (shards, ordinal) = (UInt64(shard?.count ?? 1), UInt64(shard?.ordinal ?? 1))
        let own = count / shards + (ordinal <= count % shards ? 1 : 0)
        return Int(own - min(own, worlds))
    }
}

/// Figures of a search: numbers of worlds by their ends, and what they reached.
struct ExplorationSum: Sendable {
    var worlds = 0
    var found = 0
    private(set) var cells = CoverageTable()
    private var events = 0
    private var unfinished = 0
    private var notDrawn = 0
    private var leftOut = 0

    mutating func add(_ outcome: WorldOutcome) {
        worlds += 1
        events += outcome.events
        leftOut += outcome.leftOut
        cells.add(outcome.cells)
        switch outcome.end {
        case .unfinished: unfinished += 1
        case .notDrawn: notDrawn += 1
        case .passed, .found: break
        }
    }

    /// - Parameters:
    ///   - kinds: number of kinds of failures.
    ///   - seconds: duration; nil: it is not shown.
    func text(kinds: Int, seconds: TimeInterval?) -> String {
        let speed = seconds.map { String(format: ", %.0f worlds/s", Double(worlds) / max($0, 0.001)) } ?? ""
        return "\(worlds) worlds, \(events) events, \(found) with a failure of "
            + "\(kinds) kinds, \(unfinished) at the limit of events, "
            + "\(notDrawn) not drawn, \(leftOut) steps left out\(speed)\n"
    }

    func coverageText(_ kept: KeptWorlds) -> String {
        let pairs = kept.reached.count { !CoverageDiscovery.isCell($0) }
        let summary = CoverageSummary(cells)
        var text = "\(summary.text), \(pairs) pairs of causes that follow each other; "
        text += "\(kept.count) beginnings kept\n"
        let causes = summary.causes.filter { $0.count == 0 }.map(\.name)
        if !causes.isEmpty { text += "never logged: \(causes.joined(separator: " "))\n" }
        return text
    }
}

extension CoverageSummary {
    var text: String { "reached \(reached) of \(all) coverage cells" }
}

/// What came back for a world.
enum WorldReply: Sendable {
    case outcome(WorldOutcome)
    /// The worker ended: how, and what to do about it.
    case ended(Failure.Kind, String)
    case stopped

    init(_ outcome: WorkerPool.Outcome, _ limit: String) {
        switch outcome {
        case .result(let frame):
            do throws(ResultsFault) {
                self = .outcome(try WorkerMessage.outcome(frame))
            } catch {
                self = .ended(
                    .workerDied, "The worker process sent an outcome that can't be read: \(error.why)")
            }
        case .died(let end): self = .ended(.workerDied, "The worker process died: \(end.text)")
        case .noFrame:
            self = .ended(.workerDied, "The worker process sent something that is not an outcome")
        case .notStarted(let why):
            self = .ended(.workerDied, "No worker process could be started: \(why)")
        case .overdue: self = .ended(.wallLimit, ScenarioResult.tookTooLong(limit))
        case .stopped: self = .stopped
        }
    }
}
