import Core
import ScenarioLanguage

/// One planned run as values that can be sent to another process.
///
/// Guarantees: the other process gets the same result as this one, because the request contains the bytes of
/// the scenario file and of the files that it includes. Folders of real builds are not included: they are
/// read from disk where the run is performed.
package struct RunRequest: Hashable, Sendable {
    /// A file, with the path that reports show.
    package struct File: Hashable, Sendable {
        package var path: String
        package var bytes: [UInt8]

        package init(path: String, bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    package var file: File
    /// Files that the scenario includes with `use`.
    package var included: [File]
    /// Name of the scenario in its file, with its case.
    package var scenario: String
    /// Index of the order of events, from 0.
    package var order: Int
    /// Seed of the run, as given by `--seed`.
    package var seed: UInt64

    package init(file: File, included: [File], scenario: String, order: Int, seed: UInt64) {
        self.file = file
        self.included = included
        self.scenario = scenario
        self.order = order
        self.seed = seed
    }

    package init(_ plan: RunPlan) {
        let source = plan.scenario.source
        file = File(path: source.path, bytes: source.bytes)
        included = source.included.map { File(path: $0.file.path, bytes: $0.file.bytes) }
        scenario = plan.scenario.name
        order = plan.orderNumber.map { $0 - 1 } ?? 0
        seed = plan.seed
    }
}

/// A run that another process performs, and the result if that process returns none.
package struct PlannedRun: Sendable {
    package let request: RunRequest
    package let plan: RunPlan

    package init(_ plan: RunPlan) {
        self.plan = plan
        request = RunRequest(plan)
    }

    package var name: String { plan.name }

    /// Result of a run that was ended from outside. It is inconclusive, because nothing is known about the
    /// app, and an error of the run as a whole (``ScenarioResult/exitCode``).
    ///
    /// - Parameters:
    ///   - found: what is known about the end, one line each.
    ///   - flags: flags that the reproducing command needs besides file and seed.
    package func result(
        endedBy kind: Failure.Kind, _ headline: String, found: [String], help: String, flags: String = ""
    ) -> ScenarioResult {
        var result = ScenarioRunner.blank(plan)
        result.verdict = .inconclusive
        result.source = String(decoding: plan.scenario.source.bytes, as: UTF8.self)
        var failure = Failure(kind: kind, headline: headline, at: .zero)
        failure.findings = found
        failure.help = help
        failure.reproduction = Reproduction.command(plan) + flags
        failure.location = FileLocation(
            plan.scenario.caseName?.span ?? plan.scenario.title.span, in: plan.scenario.source)
        result.failures = [failure]
        if let line = failure.location?.line { result.line = line }
        return result
    }
}

/// Performs the runs that another process requests.
///
/// The last file is kept parsed and its last scenario prepared, because requests come in the order of the
/// files, and the cases of a file mostly share their world.
package struct RequestRunner {
    private let options: ScenarioSuite.Options
    private var last: Reading?

    private struct Reading {
        var file: RunRequest.File
        var included: [RunRequest.File]
        var scenarios: [Scenario]
        var diagnostics: [DiagnosticResult]
        /// Name of the scenario that was prepared last, and its preparation.
        var prepared: (name: String, value: ScenarioRunner.Prepared)?
    }

    package init(_ options: ScenarioSuite.Options) { self.options = options }

    /// - Returns: nil if the file has no such scenario or order.
    package mutating func plan(of request: RunRequest) -> RunPlan? {
        let reading = take(request)
        last = reading
        guard let scenario = reading.scenarios.first(where: { $0.name == request.scenario }) else {
            return nil
        }
        let plans = RunPlan.plans(for: scenario, seed: request.seed)
        return plans.indices.contains(request.order) ? plans[request.order] : nil
    }

    /// - Returns: nil if the file has no such scenario or order.
    package mutating func result(of request: RunRequest) -> ScenarioResult? {
        var reading = take(request)
        guard let scenario = reading.scenarios.first(where: { $0.name == request.scenario }) else {
            return nil
        }
        let plans = RunPlan.plans(for: scenario, seed: request.seed)
        guard plans.indices.contains(request.order) else { return nil }
        let prepared = prepared(scenario, in: &reading)
        last = reading
        return ScenarioSuite.result(
            of: .plan(plans[request.order], prepared, reading.diagnostics), options)
    }

    /// - Returns: nil if the scenario is not run, or is invalid: the run then says why.
    private func prepared(_ scenario: Scenario, in reading: inout Reading)
        -> ScenarioRunner.Prepared?
    {
        if scenario.skip != nil { return nil }
        if let prepared = reading.prepared, prepared.name == scenario.name { return prepared.value }
        do throws(ScenarioFault) {
            let value = try ScenarioRunner(profiles: options.profiles.profiles)
                .prepare(scenario, after: reading.prepared?.value)
            reading.prepared = (scenario.name, value)
            return value
        } catch {
            return nil
        }
    }

    private func take(_ request: RunRequest) -> Reading {
        if let last, last.file == request.file, last.included == request.included { return last }
        let reading = ScenarioReader.read(
            path: request.file.path, bytes: request.file.bytes, devices: options.profiles.names,
            used: { path in request.included.first { $0.path == path }?.bytes })
        return Reading(
            file: request.file, included: request.included,
            scenarios: reading.scenarios.map { ScenarioSuite.bounded($0, options) },
            diagnostics: reading.diagnostics.map { DiagnosticResult($0) })
    }
}
