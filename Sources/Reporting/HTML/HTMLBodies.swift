import Runner
import Search

/// Shares the room of a page among scenarios: what explains a failure always, then the failure as Markdown,
/// the scenario file and the trace, as much of each as fits.
struct HTMLBodies {
    private let results: RunResults
    private let anchors: [String]
    private let traces: Laboratory.Traces
    private var extras: [HTMLScenario.Extra]

    init(_ results: RunResults, _ anchors: [String], _ traces: Laboratory.Traces) {
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

    func text(of place: Int) -> String { text(of: place, extras[place]) }

    private func text(of place: Int, _ extra: HTMLScenario.Extra) -> String {
        HTMLScenario.block(results.scenarios[place], anchors[place], extra)
    }

    /// First what is wrong in all of them; then what led to it, then its steps, traces, and the steps of what
    /// passed.
    private mutating func share() {
        let places = results.scenarios.indices
        var rest = HTMLReport.mostBytes - 60_000
        for row in results.coverage {
            rest -= 250 + row.scenarios.reduce(0) { $0 + 60 + 2 * $1.name.utf8.count }
        }
        for scenario in results.notRun.prefix(1_000) { rest -= 60 + 2 * scenario.name.utf8.count }
        var sizes = places.map { text(of: $0, HTMLScenario.Extra()).utf8.count }
        rest -= sizes.reduce(0, +)
        func grow(_ place: Int, _ change: (inout HTMLScenario.Extra) -> Void) {
            var extra = extras[place]
            change(&extra)
            let more = text(of: place, extra).utf8.count - sizes[place]
            guard more <= rest else { return }
            rest -= more
            sizes[place] += more
            extras[place] = extra
        }
        let bad = places.filter { results.scenarios[$0].verdict != .passed }
        for place in bad { grow(place) { $0.showsEvents = true } }
        for place in bad { grow(place) { $0.showsSteps = true } }
        shareTraces(&rest)
        for place in places where results.scenarios[place].verdict == .passed {
            grow(place) { $0.showsSteps = true }
        }
    }

    /// Those that need little leave the rest to the others.
    private mutating func shareTraces(_ rest: inout Int) {
        let wanting = results.scenarios.indices.filter { wantsTrace(results.scenarios[$0].verdict) }
        var needs = wanting.map { (place: $0, bytes: need(of: $0)) }
        needs.sort { ($0.bytes, $0.place) < ($1.bytes, $1.place) }
        for (number, need) in needs.enumerated() {
            let share = max(0, rest) / (needs.count - number)
            extras[need.place].room = need.bytes <= share ? HTMLReport.mostBytes : share
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

    private func need(of place: Int) -> Int {
        var extra = extras[place]
        extra.room = HTMLReport.mostBytes
        return HTMLScenario.extra(results.scenarios[place], anchors[place], extra).utf8.count + 200
    }
}
