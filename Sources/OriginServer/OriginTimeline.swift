import Backend
import Core
import Runner
import ScenarioLanguage
import Updater
import World

/// A scenario as its origin alone sees it: what it begins with, and which step is the origin's to do when.
///
/// Times: an action takes none; `wait` and `throughout` take what they say, and so does `within`, since
/// whoever plays the device has that long; `settle` is given 30 s. Steps inside a `repeat` stand in the row
/// as often as they happen. Steps of the device are told, not done.
///
/// What can go wrong is in the scenario (``ScenarioFault``), or in a step that is asked for by hand
/// (``StepFault``). Deliberately not here: clocks and sockets.
package struct OriginTimeline: Sendable {
    /// One step of the story.
    package struct Row: Sendable {
        /// From 1, in the order of the file.
        package var number: Int
        /// Of the file.
        package var line: Int
        /// As the file says it, on one line.
        package var text: String
        /// After the begin.
        package var at: TimeSpan
        package var deed: Operation
    }

    package enum Operation: Hashable, Sendable {
        /// At its time.
        case origin([NamedAction])
        /// From its time on, when the trigger says so.
        case triggered([TriggeredAction])
        /// Somebody else's: a device's, or an expectation.
        case device
    }

    package let scenario: Scenario
    package let rows: [Row]
    /// At its begin, its one device running outside. Nothing has been deployed.
    package let world: World
    private let devices: [String]

    /// - Parameters:
    ///   - root: scheme and authority under which the origin will be asked.
    ///   - link: nil: that of the scenario's device profile.
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
        // It is served as long as somebody wants it.
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
        var timeline = Timeline(scenario: scenario)
        timeline.tell(NumberedStep.tree(of: scenario))
        rows = timeline.rows
    }

    // MARK: - By hand

    /// What is wrong with a step that somebody sent.
    package struct StepFault: Error, Hashable, Sendable {
        /// Lines for a person.
        package var text: String
    }

    /// Reads steps as a scenario's `steps` would hold them, one object or several with commas between them;
    /// all names are this scenario's.
    /// - Parameter count: of calls so far; names a fault that has no name.
    package func deeds(reading bytes: [UInt8], afterCalls count: Int = 0) throws(StepFault) -> [Row] {
        let head = "\n  ],\n}\n"
        var text = ScenarioPrinter.text(of: scenario)
        text.removeLast(head.count - 1)
        let before = text.split(separator: "\n", omittingEmptySubsequences: false).count
        text += "\n"
        let whole = Array(text.utf8) + bytes + Array(head.utf8)
        let reading = ScenarioReader.read(path: "request body", bytes: whole, devices: devices)
        let faults = reading.diagnostics.filter { $0.severity == .error }
        guard faults.isEmpty, let told = reading.scenarios.first else {
            throw StepFault(text: faults.map { OriginTimeline.text($0, linesBefore: before) }.joined())
        }
        let known = NumberedStep.all(of: scenario).count
        let sent = NumberedStep.tree(of: told).filter { $0.number >= known }
        guard !sent.isEmpty else { throw StepFault(text: "error: the body holds no step\n") }
        var timeline = Timeline(scenario: told)
        timeline.tell(sent)
        return timeline.rows.enumerated().map { place, row in
            row.namingFaults("by hand \(count + 1)" + (place == 0 ? "" : ".\(place + 1)"))
        }
    }

    private static func text(_ diagnostic: Diagnostic, linesBefore: Int) -> String {
        let place = diagnostic.file.position(of: diagnostic.span.start)
        var text = "error: \(diagnostic.message)\n"
        if place.line > linesBefore {
            let line = diagnostic.file.text(ofLine: place.line)
            text += "  --> body:\(place.line - linesBefore):\(place.column)\n"
            text += "  | \(line)\n  | \(String(repeating: " ", count: max(place.column - 1, 0)))^"
            text += diagnostic.label.isEmpty ? "\n" : " \(diagnostic.label)\n"
        }
        if let help = diagnostic.help { text += "  = help: \(help)\n" }
        return text
    }
}

extension OriginTimeline {
    /// Works out when each step comes.
    private struct Timeline {
        let scenario: Scenario
        var rows: [Row] = []
        private var now = TimeSpan.zero
        /// A story of more steps, repeats opened, is none.
        private static let mostRows = 20_000

        init(scenario: Scenario) { self.scenario = scenario }

        mutating func tell(_ steps: [NumberedStep]) {
            for numbered in steps where rows.count < Timeline.mostRows { tell(numbered) }
        }

        private mutating func tell(_ numbered: NumberedStep) {
            switch numbered.step.action {
            case .repeat(let spec):
                for _ in 0..<max(0, spec.count.value) {
                    let begun = now
                    tell(numbered.inner)
                    if let every = spec.every?.value { now = max(now, begun + every) }
                    if rows.count >= Timeline.mostRows { return }
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
            default: add(numbered, deed(numbered))
            }
        }

        private mutating func add(_ numbered: NumberedStep, _ deed: Operation) {
            rows.append(
                Row(
                    number: numbered.number + 1,
                    line: scenario.source.position(of: numbered.step.span.start).line,
                    text: scenario.words(of: numbered.step), at: now, deed: deed))
        }

        private func deed(_ numbered: NumberedStep) -> Operation {
            let step = numbered.step
            guard step.action.side == .origin else { return .device }
            guard let trigger = step.trigger else { return .origin(step.namedActions) }
            return .triggered(step.namedActions.map { TriggeredAction(trigger, $0, step: numbered.number) })
        }
    }
}

extension OriginTimeline.Row {
    /// Two calls' faults must not have one name: the second would take the place of the first.
    fileprivate func namingFaults(_ name: String) -> Self {
        func named(_ namedAction: NamedAction) -> NamedAction {
            guard case .fault = namedAction.action, namedAction.name == nil else { return namedAction }
            return NamedAction(namedAction.action, as: name)
        }
        var row = self
        switch deed {
        case .origin(let namedActions): row.deed = .origin(namedActions.map(named))
        case .triggered(let scheduled):
            row.deed = .triggered(
                scheduled.map { TriggeredAction($0.trigger, named($0.namedAction), step: $0.step) })
        case .device: break
        }
        return row
    }

    package var isFault: Bool {
        func isFault(_ namedAction: NamedAction) -> Bool {
            if case .fault = namedAction.action { true } else { false }
        }
        return switch deed {
        case .origin(let namedActions): namedActions.allSatisfy(isFault)
        case .triggered(let scheduled): scheduled.allSatisfy { isFault($0.namedAction) }
        case .device: false
        }
    }
}
