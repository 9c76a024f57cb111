import Backend
import Core
import Foundation
import Oracle
import ScenarioLanguage
import Updater
import World

/// Runs one scenario on two backends, the simulated world and one with a real app, and compares the outcome
/// of each step and the requests of each process.
///
/// Both runs use the same code (``ScenarioRun``); only the backend differs. The disk takes no time in either.
/// Not compared: times, the order of concurrent requests, requests that ended with their process before an
/// answer began, and digests. A scenario that the other backend does not support is skipped with the reason
/// (``LiveSupport``).
package struct DifferentialRun: Sendable {
    package struct Outcome: Sendable {
        package enum Verdict: Hashable, Sendable {
            case equal
            case differs
            /// The scenario fails equally on both: both have the same defect.
            case fails
            /// The other backend does not support it.
            case skipped
            /// The file can't be read, or the other backend could not be set up.
            case invalid
        }

        package var name: String
        package var verdict: Verdict
        /// Reason why it was skipped, is invalid or fails, or the differences; one line each.
        package var lines: [String] = []
        package var steps = 0
        /// Number of requests to the origin.
        package var requests = 0
    }

    package var profiles: ProfileSet
    package var seed: UInt64 = 1

    package init(profiles: ProfileSet) { self.profiles = profiles }

    /// Compares all runs of a file: its cases, and the orders that they leave open.
    /// - Parameter make: makes the other backend at the start of a scenario. If it needs another origin root
    ///   or app port, it changes the setup.
    package func compare<OtherBackend: Backend>(
        _ file: ScenarioFile, choosing chooses: (Scenario) -> Bool = { _ in true },
        in make: (inout WorldSetup) throws -> OtherBackend
    ) -> [Outcome] {
        let name = ScenarioReader.id(of: file.path)
        if let error = file.error { return [Outcome(name: name, verdict: .invalid, lines: [error])] }
        let reading = file.read(devices: profiles.names)
        if reading.hasErrors {
            let lines = reading.diagnostics.map(\.message)
            return [Outcome(name: name, verdict: .invalid, lines: lines)]
        }
        let plans = reading.scenarios.filter { scenario in
            guard let line = file.line, let name = scenario.caseName else { return true }
            return scenario.source.position(of: name.span.start).line == line
        }.filter(chooses).flatMap { RunPlan.plans(for: $0, seed: seed) }
        return plans.map { compare($0, in: make) }
    }

    private func compare<OtherBackend: Backend>(
        _ plan: RunPlan, in make: (inout WorldSetup) throws -> OtherBackend
    ) -> Outcome {
        var outcome = Outcome(name: plan.name, verdict: .skipped)
        if let reason = plan.scenario.skip?.value ?? LiveSupport.reason(against: plan.scenario) {
            outcome.lines = [reason]
            return outcome
        }
        var runner = ScenarioRunner(profiles: profiles.profiles)
        runner.timelineLimit = 0
        do throws(ScenarioFault) {
            var ready = try runner.prepare(plan.scenario)
            ready.setup.seed = plan.worldSeed
            // A real disk takes no virtual time, so the simulated one must not either.
            for device in ready.setup.devices.indices { ready.setup.devices[device].diskCost = .free }
            let simulated = runner.run(plan, ready, on: try DifferentialRun.world(ready, plan.scenario))
            if !simulated.result.verdict.isGood, runner.run(plan).verdict.isGood {
                outcome.lines = ["without the time that a phone's disk takes, other events happen"]
                return outcome
            }
            let root = ready.setup.origin.root
            let other: OtherBackend
            do {
                other = try make(&ready.setup)
            } catch {
                return Outcome(name: plan.name, verdict: .invalid, lines: ["\(error)"])
            }
            let real = runner.run(plan, ready, on: other)
            outcome.steps = simulated.result.steps.count
            outcome.requests = DifferentialRun.requests(simulated.run.backend.trace).count
            outcome.lines =
                DifferentialRun.results(
                    simulated.result, real.result, roots: (root, ready.setup.origin.root))
                + DifferentialRun.traffic(simulated.run.backend.trace, real.run.backend.trace)
            outcome.verdict = outcome.lines.isEmpty ? .equal : .differs
            if outcome.verdict == .equal, !real.result.verdict.isGood {
                outcome.verdict = .fails
                outcome.lines = real.result.failures.map(\.headline)
            }
        } catch {
            outcome.verdict = .invalid
            outcome.lines = [error.message]
        }
        return outcome
    }

    private static func world(_ ready: ScenarioRunner.Prepared, _ scenario: Scenario) throws(ScenarioFault)
        -> World
    {
        do throws(SetupError) {
            var world = try World(ready.setup, library: ready.library)
            world.isRecording = true
            return world
        } catch {
            throw ScenarioFault(error, in: scenario)
        }
    }

    // MARK: - What differs

    /// - Parameter roots: the origin's root URL in each run. A text that names it is not another outcome.
    private static func results(
        _ world: ScenarioResult, _ real: ScenarioResult, roots: (world: String, real: String)
    ) -> [String] {
        var lines: [String] = []
        if world.verdict != real.verdict {
            lines.append("verdict: world \(world.verdict), live \(real.verdict)")
        }
        for (one, other) in zip(world.steps, real.steps) where one.outcome != other.outcome {
            lines.append(
                "step \(one.index + 1), line \(one.line): world \(one.outcome), live \(other.outcome): \(one.text)"
            )
        }
        let first = world.failures.map(\.headline)
        let second = real.failures.map {
            $0.headline.replacingOccurrences(of: roots.real, with: roots.world)
        }
        if first != second {
            lines += first.filter { !second.contains($0) }.map { "world alone: \($0)" }
            lines += second.filter { !first.contains($0) }.map { "live alone: \($0)" }
        }
        return lines
    }

    /// A transfer that got an answer, failed or was cancelled.
    private struct FinishedTransfer: Hashable {
        var process: Int
        var transfer: TransferID
    }

    /// The parts of a request that must be equal.
    private struct ComparedRequest: Hashable, Comparable {
        var process: Int
        /// `manifest`, `outcomes` or the route.
        var resource: String
        /// First requested byte.
        var from: Int

        static func < (left: ComparedRequest, right: ComparedRequest) -> Bool {
            (left.process, left.resource, left.from) < (right.process, right.resource, right.from)
        }

        var text: String { from > 0 ? "\(resource) from byte \(from)" : resource }
    }

    /// All requests with a result. A request that was sent in the moment in which its process ended is left
    /// out, because the clocks of the two backends don't agree that closely.
    private static func requests(_ events: [TraceEvent]) -> [ComparedRequest] {
        var finished: Set<FinishedTransfer> = []
        for event in events {
            switch event.kind {
            case .answerHead(let id, _, _, _), .transferFailed(let id, _, _), .transferCancelled(let id, _):
                finished.insert(FinishedTransfer(process: event.process, transfer: id))
            default: break
            }
        }
        return events.compactMap { event in
            guard case .requestSent(let request) = event.kind,
                finished.contains(FinishedTransfer(process: event.process, transfer: request.transfer))
            else { return nil }
            let resource =
                switch request.kind {
                case .manifest: "manifest"
                case .outcomes: "outcomes"
                case .file(let route): route
                }
            return ComparedRequest(process: event.process, resource: resource, from: request.from ?? 0)
        }.sorted()
    }

    private static func traffic(_ world: [TraceEvent], _ real: [TraceEvent]) -> [String] {
        let (first, second) = (requests(world), requests(real))
        if first == second { return [] }
        var all = first + second.filter { !first.contains($0) }
        all = all.enumerated().filter { all.firstIndex(of: $0.element) == $0.offset }.map(\.element)
        return all.sorted().compactMap { request in
            let (here, there) = (first.count { $0 == request }, second.count { $0 == request })
            if here == there { return nil }
            return
                "process \(request.process) asks for \(request.text): world \(here) times, live \(there) times"
        }
    }
}
