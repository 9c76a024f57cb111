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

    /// The seeds of all shards, from the first to the last.
    /// - Parameter drawn: worlds of this shard with seeds of their own.
    func range(drawn: UInt64) -> SeedRange {
        let last = count.map { first + min($0 - 1, UInt64.max - first) } ?? seed(max(drawn, 1) - 1)
        return SeedRange(first: first, last: last ?? first)
    }

    /// How many worlds are left after some.
    func count(after worlds: UInt64) -> Int {
        guard let count else { return Int.max }
        let (shards, ordinal) = (UInt64(shard?.count ?? 1), UInt64(shard?.ordinal ?? 1))
        let own = count / shards + (ordinal <= count % shards ? 1 : 0)
        return Int(own - min(own, worlds))
    }
}

/// What the worlds of a search came to, and what they reached.
struct ExplorationSum: Sendable {
    private(set) var counts = SearchCounts()
    private(set) var cells = CoverageTable()

    mutating func add(_ outcome: WorldOutcome) {
        addWorld()
        counts[.events] += outcome.events
        counts[.stepsLeftOut] += outcome.leftOut
        cells.add(outcome.cells)
        if outcome.recipe.basis != nil { counts[.filled] += 1 }
        switch outcome.end {
        case .unfinished: counts[.unfinished] += 1
        case .notDrawn: counts[.notDrawn] += 1
        case .passed, .found: break
        }
    }

    /// A world of which nothing came back.
    mutating func addWorld() { counts[.worlds] += 1 }

    mutating func addFailure() { counts[.failures] += 1 }
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
