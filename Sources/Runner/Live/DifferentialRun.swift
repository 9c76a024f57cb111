import Backend
import Core
import Oracle
import ScenarioLanguage
import Updater
import World

/// One story in two surroundings: the simulated world, and others whose app is real. What became of each step
/// and what each process asked the origin for must be equal.
///
/// Both arms run the same steps by the same code (``ScenarioRun``); only what they are run in differs. The
/// disk takes no time in either. Not compared: times, the order of requests that run at the same time,
/// requests that ended with their process before an answer began, digests. A story that others than a world
/// can't be made to tell is left out with the reason (``LiveSupport``).
package struct DifferentialRun: Sendable {
    package struct Outcome: Sendable {
        package enum Verdict: Hashable, Sendable {
            case equal
            case differs
            /// In both, and alike: two arms with the same defect agree, and it is a defect all the same.
            case fails
            /// The other arm can't tell it.
            case skipped
            /// The file can't be read, or the other arm could not be set up.
            case invalid
        }

        package var name: String
        package var verdict: Verdict
        /// Why it was skipped, is invalid or fails, or what differs: lines for a person.
        package var lines: [String] = []
        package var steps = 0
        /// In both arms, when they are equal.
        package var requests = 0
    }

    package var profiles: ProfileSet
    package var seed: UInt64 = 1

    package init(profiles: ProfileSet) { self.profiles = profiles }

    /// Every run of a file: its cases, and the orders that they leave open.
    /// - Parameter make: the other surroundings, at the story's begin. Where they need another root of the
    ///   origin or another port of the app, they say so in the setup.
    package func compare<Place: Backend>(
        _ file: ScenarioFile, choosing chooses: (Scenario) -> Bool = { _ in true },
        in make: (inout WorldSetup) throws -> Place
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

    private func compare<Place: Backend>(
        _ plan: RunPlan, in make: (inout WorldSetup) throws -> Place
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
            // A real disk costs no virtual time; a simulated one must not either.
            for device in ready.setup.devices.indices { ready.setup.devices[device].diskCost = .free }
            let simulated = runner.run(plan, ready, on: try DifferentialRun.world(ready, plan.scenario))
            if !simulated.result.verdict.isGood, runner.run(plan).verdict.isGood {
                outcome.lines = ["without the time that a phone's disk takes it is another story"]
                return outcome
            }
            let other: Place
            do {
                other = try make(&ready.setup)
            } catch {
                return Outcome(name: plan.name, verdict: .invalid, lines: ["\(error)"])
            }
            let real = runner.run(plan, ready, on: other)
            outcome.steps = simulated.result.steps.count
            outcome.requests = DifferentialRun.requests(simulated.run.backend.trace).count
            outcome.lines =
                DifferentialRun.results(simulated.result, real.result)
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

    private static func results(_ world: ScenarioResult, _ real: ScenarioResult) -> [String] {
        var lines: [String] = []
        if world.verdict != real.verdict {
            lines.append("verdict: world \(world.verdict), live \(real.verdict)")
        }
        for (one, other) in zip(world.steps, real.steps) where one.outcome != other.outcome {
            lines.append(
                "step \(one.index + 1), line \(one.line): world \(one.outcome), live \(other.outcome): \(one.text)"
            )
        }
        let (first, second) = (world.failures.map(\.headline), real.failures.map(\.headline))
        if first != second {
            lines += first.filter { !second.contains($0) }.map { "world alone: \($0)" }
            lines += second.filter { !first.contains($0) }.map { "live alone: \($0)" }
        }
        return lines
    }

    private struct Heard: Hashable {
        var process: Int
        var transfer: TransferID
    }

    /// One request, as far as it must be the same.
    private struct Asked: Hashable, Comparable {
        var process: Int
        var thing: String
        /// The first byte wanted.
        var from: Int

        static func < (left: Asked, right: Asked) -> Bool {
            (left.process, left.thing, left.from) < (right.process, right.thing, right.from)
        }

        var text: String { from > 0 ? "\(thing) from byte \(from)" : thing }
    }

    /// Those that came to something. Whether one still left in the moment in which its process ended is
    /// decided by less than the arms' clocks agree in.
    private static func requests(_ facts: [TraceEvent]) -> [Asked] {
        var heard: Set<Heard> = []
        for fact in facts {
            switch fact.kind {
            case .answerHead(let id, _, _, _), .transferFailed(let id, _, _), .transferCancelled(let id, _):
                heard.insert(Heard(process: fact.process, transfer: id))
            default: break
            }
        }
        return facts.compactMap { fact in
            guard case .requestSent(let request) = fact.kind,
                heard.contains(Heard(process: fact.process, transfer: request.transfer))
            else { return nil }
            let thing =
                switch request.kind {
                case .manifest: "manifest"
                case .outcomes: "outcomes"
                case .file(let route): route
                }
            return Asked(process: fact.process, thing: thing, from: request.from ?? 0)
        }.sorted()
    }

    private static func traffic(_ world: [TraceEvent], _ real: [TraceEvent]) -> [String] {
        let (first, second) = (requests(world), requests(real))
        if first == second { return [] }
        var all = first + second.filter { !first.contains($0) }
        all = all.enumerated().filter { all.firstIndex(of: $0.element) == $0.offset }.map(\.element)
        return all.sorted().compactMap { asked in
            let (here, there) = (first.count { $0 == asked }, second.count { $0 == asked })
            if here == there { return nil }
            return "process \(asked.process) asks for \(asked.text): world \(here) times, live \(there) times"
        }
    }
}
