/// Reason why results can't be merged.
package struct MergeError: Error, Hashable, Sendable {
    package var message: String
    package var help: String

    package init(message: String, help: String) {
        self.message = message
        self.help = help
    }
}

/// Results of a whole call, or of one shard of it.
package protocol ShardResults {
    var toolVersion: String { get }
    var commandLine: [String] { get }
    var scenarioSetDigest: UInt64 { get }
    var shard: Shard? { get }
    /// Whether it was interrupted.
    var isPartial: Bool { get }
}

extension ShardResults {
    package var shardText: String { shard.map { "\($0.ordinal)/\($0.count)" } ?? "a whole run" }
}

extension RunResults: ShardResults {}

/// Checks that results, each with the path that it was read from, are the shards of one call.
package enum ShardCheck {
    package static func sameProgram<Results: ShardResults>(
        _ one: (path: String, results: Results), _ two: (path: String, results: Results)
    ) throws(MergeError) {
        let versions = [one, two].map(\.results.toolVersion)
        guard versions[0] != versions[1] else { return }
        throw fault("not the same version of otalab", (one.path, versions[0]), (two.path, versions[1]))
    }

    package static func sameFiles<Results: ShardResults>(
        _ one: (path: String, results: Results), _ two: (path: String, results: Results)
    ) throws(MergeError) {
        guard one.results.scenarioSetDigest != two.results.scenarioSetDigest else { return }
        throw MergeError(
            message: "the scenario files of \(one.path) and \(two.path) are not the same",
            help: "run all shards from one commit, with the same paths")
    }

    package static func sameCall<Results: ShardResults>(
        _ one: (path: String, results: Results), _ two: (path: String, results: Results)
    ) throws(MergeError) {
        let calls = [one, two].map { $0.results.commandLine.joined(separator: " ") }
        guard calls[0] != calls[1] else { return }
        throw fault("not the same call", (one.path, calls[0]), (two.path, calls[1]))
    }

    package static func sameCount<Results: ShardResults>(
        _ one: (path: String, results: Results), _ two: (path: String, results: Results)
    ) throws(MergeError) {
        guard one.results.shard?.count != two.results.shard?.count else {
            if one.results.shard?.costsDigest == two.results.shard?.costsDigest { return }
            throw MergeError(
                message: "the shards \(one.path) and \(two.path) are not balanced by the same costs",
                help: "run all shards with the same --shard-costs, or all without it")
        }
        throw fault(
            "not the same number of shards", (one.path, one.results.shardText),
            (two.path, two.results.shardText))
    }

    /// Each shard is there once, or there is one whole run.
    package static func complete<Results: ShardResults>(
        _ shards: [(path: String, results: Results)]
    ) throws(MergeError) {
        guard let count = shards.first?.results.shard?.count else {
            if shards.count <= 1 { return }
            throw MergeError(
                message: "\(shards[0].path) is a whole run, not a shard",
                help: "merge the folders of one run with --shard 1/N … N/N")
        }
        for number in 1...max(1, count) {
            let found = shards.filter { $0.results.shard?.ordinal == number }
            if found.isEmpty {
                throw MergeError(
                    message: "shard \(number)/\(count) is missing",
                    help: "name the folders of all \(count) shards")
            }
            if found.count > 1 {
                throw MergeError(
                    message: "shard \(number)/\(count) is there twice: \(found[0].path), \(found[1].path)",
                    help: "name each shard once")
            }
        }
    }

    /// Two shards that differ in something.
    static func fault(
        _ what: String, _ one: (path: String, value: String), _ two: (path: String, value: String)
    ) -> MergeError {
        MergeError(
            message: "\(what): \(one.value) in \(one.path), \(two.value) in \(two.path)",
            help: "merge shards of one run: the same program, files, flags and seed")
    }
}
