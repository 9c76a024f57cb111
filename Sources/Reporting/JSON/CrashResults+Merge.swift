import Runner
import Search

extension CrashResults: ShardResults {
    /// Joins the shards of one search over crash points. The results equal those of the whole search.
    ///
    /// - Parameters:
    ///   - shards: results with the folder that they were read from, in any order.
    ///   - folder: of the merged results; commands name the files of findings there.
    package static func merged(
        _ shards: [(path: String, results: CrashResults)], to folder: String
    ) throws(MergeError) -> CrashResults {
        guard let first = shards.first else {
            throw MergeError(message: "there is nothing to merge", help: "name the folders of the shards")
        }
        for other in shards.dropFirst() {
            try ShardCheck.sameProgram(first, other)
            try ShardCheck.sameFiles(first, other)
            try ShardCheck.sameCall(first, other)
            try ShardCheck.sameCount(first, other)
        }
        try ShardCheck.complete(shards)
        var all = first.results
        all.shard = nil
        all.isPartial = shards.contains { $0.results.isPartial }
        all.all = shards.reduce(CrashTally()) { $0 + $1.results.all }
        // Stable: one entry for each device of a scenario.
        all.scenarios = shards.flatMap(\.results.scenarios).enumerated().sorted {
            ($0.element.ordinal, $0.offset) < ($1.element.ordinal, $1.offset)
        }.map(\.element)
        for scenario in all.scenarios.indices {
            for finding in all.scenarios[scenario].findings.indices {
                guard let name = all.scenarios[scenario].findings[finding].file else { continue }
                all.scenarios[scenario].findings[finding].command =
                    CrashFile(name, in: folder, seed: all.seed).command
            }
        }
        return all
    }

    /// Names of the files of all findings.
    package var files: [String] { scenarios.flatMap(\.findings).compactMap(\.file) }
}
