import Runner

extension Shard {
    /// `2/3`, or `auto`: as the variables of the job say.
    init(option text: String, environment: (String) -> String?) throws(UsageError) {
        if text == "auto" {
            self = try Shard.ofJob(environment)
            return
        }
        let sides = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let number = sides[0], let count = sides[1], count >= 1, count <= 100_000,
            (1...count).contains(number)
        else {
            throw UsageError(
                message: "--shard can't be '\(text)'", help: "write I/N, from 1/N to N/N, or auto")
        }
        self.init(number: number, of: count)
    }

    /// Where a job of a matrix says which one it is: the variable, from what it counts, and that of the
    /// number of all.
    private static let variables = [
        // GitHub has contexts, no variables: strategy.job-index and strategy.job-total.
        (index: "OTALAB_SHARD_INDEX", first: 0, total: "OTALAB_SHARD_TOTAL"),
        // GitLab's `parallel: N`.
        (index: "CI_NODE_INDEX", first: 1, total: "CI_NODE_TOTAL"),
        // Kubernetes' indexed jobs; how many there are it does not say.
        (index: "JOB_COMPLETION_INDEX", first: 0, total: "OTALAB_SHARD_TOTAL"),
    ]

    private static func ofJob(_ environment: (String) -> String?) throws(UsageError) -> Shard {
        for row in variables {
            guard let index = environment(row.index), !index.isEmpty else { continue }
            guard let total = environment(row.total), !total.isEmpty else {
                throw UsageError(
                    message: "\(row.index) is set and \(row.total) is not",
                    help: "set \(row.total) to the number of jobs, or write --shard I/N")
            }
            guard let number = Int(index), let count = Int(total), count >= 1, count <= 100_000,
                (0..<count).contains(number - row.first)
            else {
                throw UsageError(
                    message: "\(row.index)=\(index) and \(row.total)=\(total) name no shard",
                    help: "\(row.index) goes from \(row.first) to \(row.total)\(row.first == 0 ? " - 1" : "")"
                )
            }
            return Shard(number: number - row.first + 1, of: count)
        }
        throw UsageError(
            message: "--shard auto finds no variable of a job",
            help: "set OTALAB_SHARD_INDEX (from 0) and OTALAB_SHARD_TOTAL, or write --shard I/N")
    }
}
