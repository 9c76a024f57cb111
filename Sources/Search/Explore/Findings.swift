import Core
import Runner

/// What a search has found, each kind of failure once.
package struct Findings: Sendable {
    /// A kind of failure.
    package struct Finding: Sendable {
        /// The first world that showed it, with the file as its source.
        package var result: ScenarioResult
        /// The worlds that showed it, in order; the first is that of ``result``.
        package var worlds: [WorldRecipe]
        /// Ordinal of the first one among all worlds of the search, from 1.
        package var first: Int
    }

    package private(set) var all: [Finding] = []
    private var signatures: [FailureSignature] = []

    package init() {}

    /// - Parameters:
    ///   - result: a run with a failure.
    ///   - ordinal: of the world among all of the search, from 1.
    /// - Returns: the index of the kind of failure if nothing of its kind was found before.
    package mutating func add(_ result: ScenarioResult, _ world: WorldRecipe, ordinal: Int) -> Int? {
        guard let failure = result.failures.first else { return nil }
        var signature = FailureSignature(failure, versions: AppDrawing.versionNames)
        // Worlds that come to the same failure on different ways are one finding.
        signature.course = []
        signature.headline = ""
        if let known = signatures.firstIndex(of: signature) {
            all[known].worlds.append(world)
            return nil
        }
        signatures.append(signature)
        all.append(Finding(result: result, worlds: [world], first: ordinal))
        return all.count - 1
    }
}
