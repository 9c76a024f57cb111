import Core
import Runner

extension ScenarioResult {
    /// What is wrong, in one line without a line end; the name of the verdict when nothing is.
    var headline: String {
        let text =
            failures.first?.headline ?? diagnostics.first { $0.isError }?.message ?? reason
            ?? verdict.rawValue
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        guard let seeds, !seeds.failing.isEmpty else { return line }
        return "\(SeedText.line(seeds)): \(line)"
    }

    /// All failures and errors as lines.
    var explanation: [String] { explanation(width: nil, paint: Paint(isOn: false)) }

    /// - Parameter width: columns of the terminal; nil: lines are not limited to a width.
    func explanation(width: Int?, paint: Paint) -> [String] {
        var lines: [String] = []
        for failure in failures { lines += FailureText(failure, in: self).lines(width: width, paint: paint) }
        for diagnostic in diagnostics where diagnostic.isError {
            lines += FailureText.lines(diagnostic, width: width, paint: paint)
        }
        return lines
    }

    /// Command that reproduces the first failure; nil when there is none.
    var reproduction: String? {
        failures.first { !$0.reproduction.isEmpty }?.reproduction
            ?? (verdict == .invalid ? "otalab lint \(ShellWord.quoted(file))" : nil)
    }

    /// Location of the first failure or error; else that of the scenario.
    var faultLocation: FileLocation {
        failures.lazy.compactMap(\.location).first ?? diagnostics.first { $0.isError }?.location
            ?? FileLocation(file: file, line: line, column: 1, length: 1, text: "")
    }
}

/// Text about the runs of one scenario with several seeds.
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
    /// Title for people; for a file that can't be read, the number of its mistakes.
    var shownTitle: String {
        if verdict != .invalid || title != "(file)" || diagnostics.isEmpty { return title }
        return diagnostics.count == 1 ? "a mistake in the file" : "\(diagnostics.count) mistakes in the file"
    }
}
