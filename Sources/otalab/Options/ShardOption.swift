import Runner

extension Shard {
    /// Parses `2/3`, or `auto` for the variables of the CI job.
    init(option text: String, environment: (String) -> String?) throws(UsageError) {
        if text == "auto" {
            self = try Shard.ofJob(environment)
            return
        }
        let sides = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let ordinal = sides[0], let count = sides[1], count >= 1, count <= 100_000,
            (1...count).contains(ordinal)
        else {
            throw UsageError(
                message: "--shard can't be '\(text)'", help: "write I/N, from 1/N to N/N, or auto")
        }
        self.init(ordinal: ordinal, of: count)
    }

    /// The variables with which CI systems number parallel jobs: the job's index, the first index, and the
    /// number of jobs.
    private static let variables = [
        // GitHub has contexts, no variables: strategy.job-index and strategy.job-total.
        (index: "OTALAB_SHARD_INDEX", first: 0, total: "OTALAB_SHARD_TOTAL"),
        // GitLab's `parallel: N`.
        (index: "CI_NODE_INDEX", first: 1, total: "CI_NODE_TOTAL"),
        // Kubernetes' indexed jobs; it has no variable for their number.
        (index: "JOB_COMPLETION_INDEX", first: 0, total: "OTALAB_SHARD_TOTAL"),
    ]

    /// Slurm's array jobs, whose first index and step are the job's choice: `--array=1-4`, `--array=0-6:2`.
    private static func ofSlurm(_ environment: (String) -> String?) throws(UsageError) -> Shard? {
        let names = ["ID", "MIN", "MAX", "COUNT", "STEP"].map { "SLURM_ARRAY_TASK_\($0)" }
        var texts = names.map { environment($0) ?? "" }
        if texts[0].isEmpty { return nil }
        // Slurm leaves the step out in some versions.
        if texts[4].isEmpty { texts[4] = "1" }
        let numbers = texts.compactMap { Int($0) }
        func fault() -> UsageError {
            let shown = zip(names, texts).map { "\($0)=\($1)" }.joined(separator: ", ")
            return UsageError(
                message: "\(shown) are no shard",
                help: "submit the array as one range: --array=1-4, or write --shard I/N")
        }
        guard numbers.count == 5 else { throw fault() }
        let (id, first, last, count, step) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
        guard (1...100_000).contains(count), step >= 1, first <= id, id <= last,
            // An array of single indices, like 1,2,7, has fewer tasks than its range.
            (last - first) / step + 1 == count, (id - first) % step == 0
        else { throw fault() }
        return Shard(ordinal: (id - first) / step + 1, of: count)
    }

    private static func ofJob(_ environment: (String) -> String?) throws(UsageError) -> Shard {
        if let shard = try ofSlurm(environment) { return shard }
        for names in variables {
            guard let index = environment(names.index), !index.isEmpty else { continue }
            guard let total = environment(names.total), !total.isEmpty else {
                throw UsageError(
                    message: "\(names.index) is set and \(names.total) is not",
                    help: "set \(names.total) to the number of jobs, or write --shard I/N")
            }
            guard let ordinal = Int(index), let count = Int(total), count >= 1, count <= 100_000,
                (0..<count).contains(ordinal - names.first)
            else {
                throw UsageError(
                    message: "\(names.index)=\(index) and \(names.total)=\(total) are no shard",
                    help:
                        "\(names.index) goes from \(names.first) to \(names.total)\(names.first == 0 ? " - 1" : "")"
                )
            }
            return Shard(ordinal: ordinal - names.first + 1, of: count)
        }
        throw UsageError(
            message: "--shard auto finds no variable of a CI job",
            help: "set OTALAB_SHARD_INDEX (from 0) and OTALAB_SHARD_TOTAL, or write --shard I/N")
    }
}
