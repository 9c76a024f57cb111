import Core
import ScenarioLanguage

/// One planned run, in values that another process can be given.
///
/// Guarantees: whoever makes it gets the result that this process would get, since it reads the
/// same bytes: the scenario file and the files that it uses are part of the request, not their paths alone.
/// Deliberately not here: folders of real builds, which are read from disk where the run is made.
package struct RunRequest: Hashable, Sendable {
    /// A file by the path that reports show.
    package struct File: Hashable, Sendable {
        package var path: String
        package var bytes: [UInt8]

        package init(path: String, bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    package var file: File
    /// What the scenario takes from other files with `use`.
    package var included: [File]
    /// Name of the scenario in its file, its case among it.
    package var scenario: String
    /// Index of the order of events, from 0.
    package var order: Int
    /// Of the run, as `--seed` says.
    package var seed: UInt64

    package init(file: File, included: [File], scenario: String, order: Int, seed: UInt64) {
        self.file = file
        self.included = included
        self.scenario = scenario
        self.order = order
        self.seed = seed
    }

    init(_ plan: RunPlan) {
        let source = plan.scenario.source
        file = File(path: source.path, bytes: source.bytes)
        included = source.included.map { File(path: $0.file.path, bytes: $0.file.bytes) }
        scenario = plan.scenario.name
        order = plan.orderNumber.map { $0 - 1 } ?? 0
        seed = plan.seed
    }
}

/// A run that something else than this process makes, and what there is to say of it if nothing comes back.
package struct PlannedRun: Sendable {
    package let request: RunRequest
    private let plan: RunPlan

    init(_ plan: RunPlan) {
        self.plan = plan
        request = RunRequest(plan)
    }

    package var name: String { plan.name }

    /// A result for a run that was ended from outside: nothing is known of what the app would have done, so
    /// it is inconclusive, and an error of the run as a whole (``ScenarioResult/exitCode``).
    ///
    /// - Parameters:
    ///   - found: what is known of the end, one line each.
    ///   - flags: what the command that shows it again needs besides file and seed.
    package func result(
        endedBy kind: Failure.Kind, _ headline: String, found: [String], help: String, flags: String = ""
    ) -> ScenarioResult {
        var result = ScenarioRunner.blank(plan)
        result.verdict = .inconclusive
        result.source = String(decoding: plan.scenario.source.bytes, as: UTF8.self)
        var failure = Failure(kind: kind, headline: headline, at: .zero)
        failure.actual = found
        failure.help = help
        failure.reproduction = Reproduction.command(plan) + flags
        failure.place = SourcePlace(
            plan.scenario.caseName?.span ?? plan.scenario.title.span, in: plan.scenario.source)
        result.failures = [failure]
        if let line = failure.place?.line { result.line = line }
        return result
    }
}

/// Makes the runs that another process asks for.
///
/// The last file is kept as it was read, and of a scenario with several orders its world before anything has
/// happened: requests come in the order of the files.
package struct RequestRunner {
    private let options: Laboratory.Options
    private var last: Reading?

    private struct Reading {
        var file: RunRequest.File
        var included: [RunRequest.File]
        var scenarios: [Scenario]
        var diagnostics: [DiagnosticResult]
        /// Of the scenario of that name.
        var prepared: (name: String, value: ScenarioRunner.Prepared?)?
    }

    package init(_ options: Laboratory.Options) { self.options = options }

    /// Nil for a request that names nothing in its file.
    package mutating func result(of request: RunRequest) -> ScenarioResult? {
        var reading = take(request)
        guard let scenario = reading.scenarios.first(where: { $0.name == request.scenario }) else {
            return nil
        }
        let plans = RunPlan.plans(for: scenario, seed: request.seed)
        guard plans.indices.contains(request.order) else { return nil }
        if plans.count > 1, reading.prepared?.name != scenario.name {
            reading.prepared = (scenario.name, Laboratory.prepare(scenario, options))
        }
        last = reading
        let prepared = plans.count > 1 ? reading.prepared?.value : nil
        return Laboratory.result(
            of: .plan(plans[request.order], prepared, reading.diagnostics), options)
    }

    private func take(_ request: RunRequest) -> Reading {
        if let last, last.file == request.file, last.included == request.included { return last }
        let reading = ScenarioReader.read(
            path: request.file.path, bytes: request.file.bytes, devices: options.profiles.names,
            used: { path in request.included.first { $0.path == path }?.bytes })
        return Reading(
            file: request.file, included: request.included,
            scenarios: reading.scenarios.map { Laboratory.bounded($0, options) },
            diagnostics: reading.diagnostics.map { DiagnosticResult($0) })
    }
}
