import Backend
import Core
import Runner
import ScenarioLanguage
import Updater
import World

/// The part of a scenario that its origin plays: the initial world, and the time of each step.
///
/// Times: an action takes none. `wait` and `throughout` take their own duration; so does `within`, because
/// the real device has that long. `settle` takes 30 s. A step in a `repeat` appears once for each round.
/// Steps for the device are listed and not performed.
///
/// Errors are in the scenario (``ScenarioFault``) or in a step that a client sends (``StepError``).
/// Deliberately not here: clocks and sockets.
package struct OriginTimeline: Sendable {
    package let scenario: Scenario
    /// Steps in order of time.
    package let steps: [TimelineStep]
    /// World at the beginning: nothing is deployed, and the app of its only device runs outside of it.
    package let world: World
    /// Names of the device profiles.
    private let devices: [String]

    /// - Parameters:
    ///   - root: scheme and authority of the origin's URLs.
    ///   - link: latency and bandwidth; nil: those of the scenario's device profile.
    package init(
        _ scenario: Scenario, profiles: ProfileSet = ProfileSet(), root: String, link: LinkProfile?
    ) throws(ScenarioFault) {
        self.scenario = scenario
        devices = profiles.names
        let compiler = ScenarioCompiler(
            scenario: scenario, profiles: profiles.profiles, readFolder: BuildFolder.read)
        var setup = try compiler.setup(seed: scenario.seed)
        setup.origin.root = root
        setup.devices = [setup.devices.first ?? .plain]
        if let link { setup.devices[0].link = link }
        // An origin is served until the user stops it.
        setup.limits.events = .max
        setup.limits.eventsWithoutProgress = .max
        setup.limits.virtualTime = TimeSpan(microseconds: .max)
        do throws(SetupError) {
            var world = try World(setup)
            world.isRecording = true
            world.useExternalApp()
            world.perform(.launch(.foreground))
            _ = world.run(until: world.now)
            self.world = world
        } catch {
            throw ScenarioFault(error, in: scenario)
        }
        var builder = TimelineBuilder(scenario: scenario)
        builder.append(NumberedStep.tree(of: scenario))
        steps = builder.steps
    }

    // MARK: - Steps of a request

    /// An error in the steps of a request.
    package struct StepError: Error, Hashable, Sendable {
        /// Error with source excerpt and help, for people.
        package var text: String
    }

    /// Parses steps in the syntax of a scenario's `steps`: one object, or several with commas between them.
    /// Names refer to this scenario.
    /// - Parameter count: number of earlier requests with steps, from which unnamed faults get their names.
    package func steps(parsing bytes: [UInt8], requestCount count: Int = 0) throws(StepError)
        -> [TimelineStep]
    {
        let head = "\n  ],\n}\n"
        var text = ScenarioPrinter.text(of: scenario)
        text.removeLast(head.count - 1)
        let prefixLines = text.split(separator: "\n", omittingEmptySubsequences: false).count
        text += "\n"
        let source = Array(text.utf8) + bytes + Array(head.utf8)
        let reading = ScenarioReader.read(path: "request body", bytes: source, devices: devices)
        let errors = reading.diagnostics.filter { $0.severity == .error }
        guard errors.isEmpty, let parsed = reading.scenarios.first else {
            throw StepError(text: errors.map { OriginTimeline.text($0, linesBefore: prefixLines) }.joined())
        }
        let scenarioSteps = NumberedStep.all(of: scenario).count
        let added = NumberedStep.tree(of: parsed).filter { $0.index >= scenarioSteps }
        guard !added.isEmpty else { throw StepError(text: "error: the body holds no step\n") }
        var builder = TimelineBuilder(scenario: parsed)
        builder.append(added)
        return builder.steps.enumerated().map { index, step in
            step.namingFaults("by hand \(count + 1)" + (index == 0 ? "" : ".\(index + 1)"))
        }
    }

    private static func text(_ diagnostic: Diagnostic, linesBefore: Int) -> String {
        let position = diagnostic.file.position(of: diagnostic.span.start)
        var text = "error: \(diagnostic.message)\n"
        if position.line > linesBefore {
            let line = diagnostic.file.text(ofLine: position.line)
            text += "  --> body:\(position.line - linesBefore):\(position.column)\n"
            text += "  | \(line)\n  | \(String(repeating: " ", count: max(position.column - 1, 0)))^"
            text += diagnostic.label.isEmpty ? "\n" : " \(diagnostic.label)\n"
        }
        if let help = diagnostic.help { text += "  = help: \(help)\n" }
        return text
    }
}

extension OriginTimeline {
    /// Computes the time of each step.
    private struct TimelineBuilder {
        let scenario: Scenario
        var steps: [TimelineStep] = []
        private var now = TimeSpan.zero
        /// Most steps with repeats expanded; the others are left out.
        private static let maxSteps = 20_000

        init(scenario: Scenario) { self.scenario = scenario }

        mutating func append(_ numberedSteps: [NumberedStep]) {
            for numbered in numberedSteps where steps.count < TimelineBuilder.maxSteps { append(numbered) }
        }

        private mutating func append(_ numbered: NumberedStep) {
            switch numbered.step.action {
            case .repeat(let spec):
                for _ in 0..<max(0, spec.count.value) {
                    let start = now
                    append(numbered.inner)
                    if let every = spec.every?.value { now = max(now, start + every) }
                    if steps.count >= TimelineBuilder.maxSteps { return }
                }
            case .wait(let span):
                add(numbered, .device)
                now += span.value
            case .settle:
                add(numbered, .device)
                now += .seconds(30)
            case .expect(let spec):
                add(numbered, .device)
                now += spec.throughout?.value ?? spec.within?.value ?? .zero
            default: add(numbered, operation(numbered))
            }
        }

        private mutating func add(_ numbered: NumberedStep, _ operation: TimelineStep.Operation) {
            steps.append(
                TimelineStep(
                    ordinal: numbered.index + 1,
                    line: scenario.source.position(of: numbered.step.span.start).line,
                    text: scenario.text(of: numbered.step), at: now, operation: operation))
        }

        private func operation(_ numbered: NumberedStep) -> TimelineStep.Operation {
            let step = numbered.step
            guard step.action.side == .origin else { return .device }
            guard let trigger = step.trigger else { return .origin(step.namedActions) }
            return .triggered(step.namedActions.map { TriggeredAction(trigger, $0, step: numbered.index) })
        }
    }
}
