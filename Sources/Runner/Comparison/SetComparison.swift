/// The runs of two sides, each compared with the run of the same name on the other side.
package struct SetComparison: Hashable, Sendable {
    /// In the order of the first side.
    package var runs: [RunComparison] = []
    /// Names of runs that only one side has.
    package var onlyOne: [String] = []
    package var onlyOther: [String] = []

    package init(_ one: [RecordedRun], _ other: [RecordedRun], ignoresSecrets: Bool) {
        var places: [String: Int] = [:]
        for (index, run) in other.enumerated() { places[run.result.name] = index }
        for run in one {
            guard let place = places.removeValue(forKey: run.result.name) else {
                onlyOne.append(run.result.name)
                continue
            }
            runs.append(RunComparison(run, other[place], ignoresSecrets: ignoresSecrets))
        }
        onlyOther = other.map(\.result.name).filter { places[$0] != nil }
    }

    package var different: [RunComparison] { runs.filter { !$0.isEqual } }

    package var isEqual: Bool { different.isEmpty && onlyOne.isEmpty && onlyOther.isEmpty }
}
