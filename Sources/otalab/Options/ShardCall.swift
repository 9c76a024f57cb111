import Reporting
import Runner

/// The shard that `--shard` asks for, and the costs by which `--shard-costs` balances the shards.
struct ShardCall {
    /// What shards divide: scenarios by their ids, or files by their paths.
    enum Unit {
        case scenario
        case file
    }

    var shard: Shard
    /// Nil: a hash of the id, or the order of the files, decides.
    var costs: ShardCosts?

    /// - Returns: nil without `--shard`.
    init?(_ arguments: Arguments, of unit: Unit) throws(UsageError) {
        let file = arguments.text("--shard-costs")
        guard let text = arguments.text("--shard") else {
            if file == nil { return nil }
            throw UsageError(
                message: "--shard-costs balances shards, and there is no --shard",
                help: "add --shard I/N, or --shard auto")
        }
        shard = try Shard(option: text, environment: Output.variable)
        guard let file else { return }
        let costs = ShardCosts(try ShardCall.entries(file, of: unit))
        if costs.isEmpty {
            throw UsageError(
                message: "\(file) does not say how long anything took",
                help: unit == .scenario
                    ? "name a results.json of otalab run, written without --no-timings"
                    : "name a results.json of run, sweep or crashpoints, written without --no-timings")
        }
        shard.costsDigest = costs.digest
        self.costs = costs
    }

    private static func entries(_ file: String, of unit: Unit) throws(UsageError) -> [ShardCosts.Entry] {
        do throws(ReportError) {
            return try ReportSource.readAll(file).flatMap { entries($0.results, of: unit) }
        } catch {
            throw UsageError(
                message: "--shard-costs can't be read: \(error.path): \(error.why)",
                help: "name the report folder or results.json of an earlier call")
        }
    }

    private static func entries(_ results: StoredResults, of unit: Unit) -> [ShardCosts.Entry] {
        switch (results, unit) {
        case (.run(let results), .scenario): results.costsByID
        case (.run(let results), .file): results.costsByFile
        case (.crashPoints, .scenario): []
        case (.crashPoints(let results), .file): results.costsByFile
        }
    }
}

extension CrashResults {
    /// How many states were launched in the scenarios of each file; such a report has no times.
    fileprivate var costsByFile: [ShardCosts.Entry] {
        scenarios.map { .init($0.file, Int64($0.counts.launched)) }
    }
}
