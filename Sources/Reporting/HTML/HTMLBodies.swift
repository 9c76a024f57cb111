import Laboratory

/// Shares the room of a page among scenarios: what explains a failure always, then the failure as Markdown,
/// the scenario file and the trace, as much of each as fits.
struct HTMLBodies {
    private let results: RunResults
    private let anchors: [String]
    private let traces: Laboratory.Traces
    /// Bytes that each scenario has for its trace; 0: it shows none.
    private var rooms: [Int] = []
    /// The first scenario with each file shows it.
    private var showsFile: [Bool] = []

    init(_ results: RunResults, _ anchors: [String], _ traces: Laboratory.Traces) {
        self.results = results
        self.anchors = anchors
        self.traces = traces
        var files: Set<String> = []
        for scenario in results.scenarios {
            showsFile.append(scenario.source != nil && files.insert(scenario.file).inserted)
        }
        share()
    }

    func text(of place: Int) -> String {
        let scenario = results.scenarios[place]
        let extra = HTMLScenario.Extra(room: rooms[place], showsFile: showsFile[place])
        return HTMLScenario.block(scenario, anchors[place], extra)
    }

    /// Those that need little leave the rest to the others.
    private mutating func share() {
        var rest = HTMLReport.mostBytes - 100_000
        rooms = [Int](repeating: 0, count: results.scenarios.count)
        for (place, scenario) in results.scenarios.enumerated() {
            let none = HTMLScenario.Extra(room: 0, showsFile: false)
            rest -= HTMLScenario.block(scenario, anchors[place], none).utf8.count
        }
        for row in results.coverage {
            rest -= 200 + row.scenarios.reduce(0) { $0 + 60 + 2 * $1.name.utf8.count }
        }
        let wanting = results.scenarios.indices.filter { wantsTrace(results.scenarios[$0].verdict) }
        var needs = wanting.map { (place: $0, bytes: need(of: $0)) }
        needs.sort { ($0.bytes, $0.place) < ($1.bytes, $1.place) }
        for (number, need) in needs.enumerated() {
            let share = max(0, rest) / (needs.count - number)
            rooms[need.place] = need.bytes <= share ? HTMLReport.mostBytes : share
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
        let scenario = results.scenarios[place]
        let extra = HTMLScenario.Extra(room: HTMLReport.mostBytes, showsFile: showsFile[place])
        return HTMLScenario.extra(scenario, anchors[place], extra).utf8.count + 200
    }
}
