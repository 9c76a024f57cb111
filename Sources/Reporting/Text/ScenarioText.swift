import Core
import Runner

extension ScenarioResult {
    /// What is wrong in one line without its end; the verdict's word where nothing is.
    var headline: String {
        let text =
            failures.first?.headline ?? diagnostics.first { $0.isError }?.message ?? reason
            ?? verdict.rawValue
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        guard let seeds, !seeds.failing.isEmpty else { return line }
        return "\(SeedText.line(seeds)): \(line)"
    }

    /// All that is known of what is wrong, as lines.
    var explanation: [String] { explanation(width: nil, paint: Paint(isOn: false)) }

    /// - Parameter width: columns of a terminal; nil: lines may be as long as they are.
    func explanation(width: Int?, paint: Paint) -> [String] {
        var lines: [String] = []
        for failure in failures { lines += FailureText(failure, in: self).lines(width: width, paint: paint) }
        for diagnostic in diagnostics where diagnostic.isError {
            lines += FailureText.lines(diagnostic, width: width, paint: paint)
        }
        return lines
    }

    /// One command that shows it again.
    var reproduction: String? {
        failures.first { !$0.reproduction.isEmpty }?.reproduction
            ?? (verdict == .invalid ? "otalab lint \(file)" : nil)
    }

    /// Where a report points at.
    var faultPlace: SourcePlace {
        failures.lazy.compactMap(\.place).first ?? diagnostics.first { $0.isError }?.place
            ?? SourcePlace(file: file, line: line, column: 1, length: 1, text: "")
    }
}

/// Several seeds of one scenario, in words.
enum SeedText {
    /// `3 of 100 seeds fail (4, 17, 88)`.
    static func line(_ seeds: SeedSummary) -> String {
        guard !seeds.failing.isEmpty else { return "\(seeds.run) seeds" }
        let shown = seeds.failing.prefix(10).map { "\($0)" }.joined(separator: ", ")
        let more = seeds.failing.count > 10 ? ", …" : ""
        return "\(seeds.failing.count) of \(seeds.run) seeds fail (\(shown)\(more))"
    }
}

extension ScenarioResult {
    /// For people: of a file that can't be read as a scenario, how many mistakes it has.
    var shownTitle: String {
        if verdict != .invalid || title != "(file)" || diagnostics.isEmpty { return title }
        return diagnostics.count == 1 ? "a mistake in the file" : "\(diagnostics.count) mistakes in the file"
    }
}
