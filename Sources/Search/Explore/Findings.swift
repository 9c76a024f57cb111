import Core
import Runner

/// What a search has found, each kind of failure once.
package struct Findings: Sendable {
    /// A kind of failure.
    package struct Finding: Sendable {
        /// The first world that showed it, with the file as its source.
        package var result: ScenarioResult
        /// What makes other failures the same one.
        package var signature: FailureSignature
        /// The worlds that showed it, in order; the first is that of ``result``. Each with its ordinal
        /// among all worlds of the search, from 1.
        package var worlds: [(ordinal: Int, recipe: WorldRecipe)]
    }

    package private(set) var all: [Finding] = []

    package init() {}

    /// - Parameters:
    ///   - result: a run with a failure.
    ///   - ordinal: of the world among all of the search, from 1.
    /// - Returns: the index of the kind of failure if nothing of its kind was found before.
    package mutating func add(_ result: ScenarioResult, _ world: WorldRecipe, ordinal: Int) -> Int? {
        guard let failure = result.failures.first else { return nil }
        var signature = FailureSignature(failure, versions: AppDrawing.versionNames).ofAnyCourse
        // What two properties expect are two findings.
        if failure.kind == .expectation, let property = world.basis {
            signature.pattern = "\(property): \(signature.pattern)"
        }
        if let known = all.firstIndex(where: { $0.signature == signature }) {
            all[known].worlds.append((ordinal, world))
            return nil
        }
        all.append(Finding(result: result, signature: signature, worlds: [(ordinal, world)]))
        return all.count - 1
    }
}
