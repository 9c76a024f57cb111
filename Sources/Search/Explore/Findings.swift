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
        /// Number of worlds that had run when it was found.
        package var foundAfter: Int
    }

    package private(set) var all: [Finding] = []
    private var kinds: [String] = []

    package init() {}

    /// - Parameters:
    ///   - result: a run with a failure.
    ///   - worlds: number of worlds that have run, with this one.
    /// - Returns: whether nothing of its kind was found before.
    package mutating func add(_ result: ScenarioResult, seed: UInt64, after worlds: Int) -> Bool {
        let kind = Findings.kind(of: result)
        if let known = kinds.firstIndex(of: kind) {
            all[known].seeds.append(seed)
            return false
        }
        kinds.append(kind)
        all.append(Finding(result: result, seeds: [seed], foundAfter: worlds))
        return true
    }

    /// What is equal for equal kinds of failures: kind and rule, and of the sentence the words that are no names,
    /// numbers or times.
    private static func kind(of result: ScenarioResult) -> String {
        guard let failure = result.failures.first else { return result.verdict.rawValue }
        let words = failure.headline.split(separator: " ").filter { word in
            !word.contains { $0.isNumber || $0 == "/" || $0 == ":" }
        }
        return ([failure.kind.rawValue, failure.rule ?? ""] + words.map(String.init)).joined(separator: " ")
    }
}
