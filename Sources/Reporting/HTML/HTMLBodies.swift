import Runner
import Search

/// Divides the size of a page among the scenarios. What explains a failure is always shown; the failure as
/// Markdown, the scenario file and the trace as far as they fit.
struct HTMLBodies {
    private let results: RunResults
    private let anchors: [String]
    private let traces: ScenarioSuite.Traces
    private var extras: [HTMLScenario.Extra]

    init(_ results: RunResults, _ anchors: [String], _ traces: ScenarioSuite.Traces) {
        self.results = results
        self.anchors = anchors
        self.traces = traces
        var files: Set<String> = []
        extras = results.scenarios.map { scenario in
            // The first scenario of each file shows it.
            let isFirst = scenario.source != nil && files.insert(scenario.file).inserted
            return HTMLScenario.Extra(showsFile: isFirst)
        }
        share()
    }

    func text(of index: Int) -> String { text(of: index, extras[index]) }

    private func text(of index: Int, _ extra: HTMLScenario.Extra) -> String {
        HTMLScenario.block(results.scenarios[index], anchors[index], extra)
    }

    /// Divides the bytes in this order: all failures, the events that led to them, their steps, traces, and
    /// the steps of scenarios that passed.
    private mutating func share() {
        let indices = results.scenarios.indices
        var rest = HTMLReport.maxBytes - 60_000
        for rule in results.coverage {
            rest -= 250 + rule.scenarios.reduce(0) { $0 + 60 + 2 * $1.name.utf8.count }
        }
        for scenario in results.notRun.prefix(1_000) { rest -= 60 + 2 * scenario.name.utf8.count }
        var sizes = indices.map { text(of: $0, HTMLScenario.Extra()).utf8.count }
        rest -= sizes.reduce(0, +)
        func grow(_ index: Int, _ change: (inout HTMLScenario.Extra) -> Void) {
            var extra = extras[index]
            change(&extra)
            let more = text(of: index, extra).utf8.count - sizes[index]
            guard more <= rest else { return }
            rest -= more
            sizes[index] += more
            extras[index] = extra
        }
        let bad = indices.filter { results.scenarios[$0].verdict != .passed }
        for index in bad { grow(index) { $0.showsEvents = true } }
        for index in bad { grow(index) { $0.showsSteps = true } }
        shareTraces(&rest)
        for index in indices where results.scenarios[index].verdict == .passed {
            grow(index) { $0.showsSteps = true }
        }
    }

    /// Divides the rest equally among the traces; small ones leave their unused share to the others.
    private mutating func shareTraces(_ rest: inout Int) {
        let wanting = results.scenarios.indices.filter { wantsTrace(results.scenarios[$0].verdict) }
        var needs = wanting.map { (scenario: $0, bytes: need(of: $0)) }
        needs.sort { ($0.bytes, $0.scenario) < ($1.bytes, $1.scenario) }
        for (index, need) in needs.enumerated() {
            let share = max(0, rest) / (needs.count - index)
            extras[need.scenario].budget = need.bytes <= share ? HTMLReport.maxBytes : share
            rest -= min(need.bytes, share)
        }
    }

    private func wantsTrace(_ verdict: Verdict) -> Bool {
        switch traces {
        case .none: false
        case .failed: verdict.needsTrace
        case .all: verdict != .invalid && verdict != .skipped
        }
    }

    private func need(of index: Int) -> Int {
        var extra = extras[index]
        extra.budget = HTMLReport.maxBytes
        return HTMLScenario.extra(results.scenarios[index], anchors[index], extra).utf8.count + 200
    }
}
