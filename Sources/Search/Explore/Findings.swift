import Core
import Runner

/// What a search has found, each kind of failure once.
package struct Findings: Sendable {
    /// A kind of failure.
    package struct Finding: Sendable {
        /// The first world that showed it, with the file as its source.
        package var result: ScenarioResult
        /// Seeds of the worlds that showed it, in order; the first is that of ``result``.
        package var seeds: [UInt64]
    }

    package private(set) var all: [Finding] = []
    private var signatures: [FailureSignature] = []

    package init() {}

    /// - Parameter result: a run with a failure.
    /// - Returns: the index of the kind of failure if nothing of its kind was found before.
    package mutating func add(_ result: ScenarioResult, seed: UInt64) -> Int? {
        guard let failure = result.failures.first else { return nil }
        var signature = FailureSignature(failure, versions: AppDrawing.versionNames)
        // Worlds that come to the same failure on different ways are one finding.
        signature.course = []
        signature.headline = ""
        if let known = signatures.firstIndex(of: signature) {
            all[known].seeds.append(seed)
            return nil
        }
        signatures.append(signature)
        all.append(Finding(result: result, seeds: [seed]))
        return all.count - 1
    }
}
