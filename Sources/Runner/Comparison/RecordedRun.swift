import Backend
import Core
import ScenarioLanguage
import World

/// A run with all that a comparison can show of it.
package struct RecordedRun: Sendable {
    /// With its whole timeline and the device's states if the run was recorded; as a report has it if not.
    package var result: ScenarioResult
    /// Everything that the run's digest covers, in order; nil if only a report of the run exists.
    package var events: [RecordedEvent]?

    package init(result: ScenarioResult, events: [RecordedEvent]? = nil) {
        self.result = result
        self.events = events
    }

    /// Performs all runs of a scenario with everything recorded.
    package static func all(
        of scenario: Scenario, seed: UInt64, profiles: [DeviceProfile]
    ) -> [RecordedRun] {
        var runner = ScenarioRunner(profiles: profiles)
        runner.timelineLimit = Int.max
        runner.recordsMoments = true
        runner.keepsDigestedEvents = true
        return RunPlan.plans(for: scenario, seed: seed).map { plan in
            var trace: [DigestedEvent] = []
            let result = runner.runOnce(plan, nil, trace: &trace).result
            return RecordedRun(result: result, events: trace.map { RecordedEvent($0) })
        }
    }
}

/// One entry of what a run's digest covers: an event of the world, an input or an effect of the app, or a
/// fact of the trace.
package struct RecordedEvent: Hashable, Sendable {
    package var at: Instant
    /// Index of the device; -1: no device.
    package var device: Int
    /// What it is, then its content part by part.
    package var fields: [Field]

    /// A part that is not divided further, as ``DigestedEvent/Field``.
    package struct Field: Hashable, Sendable {
        /// Path from the entry: `fetch.url`; empty for what the entry is.
        package var path: String
        package var value: String

        package init(path: String, value: String) {
            self.path = path
            self.value = value
        }
    }

    package init(at: Instant, device: Int, fields: [Field]) {
        self.at = at
        self.device = device
        self.fields = fields
    }

    init(_ event: DigestedEvent) {
        let fields = event.fields.map { Field(path: $0.path, value: $0.value) }
        self.init(at: event.at, device: event.device, fields: fields)
    }

    /// The entry without what each seed draws (session keys, tokens of page loads): sixteen hexadecimal
    /// digits or more, and numbers of as many bits, are not compared.
    var withoutSecrets: RecordedEvent {
        var event = self
        for index in fields.indices {
            event.fields[index].value = RecordedEvent.withoutSecrets(fields[index].value)
        }
        return event
    }

    private static func withoutSecrets(_ text: String) -> String {
        var kept: [UInt8] = []
        var run: [UInt8] = []
        func isHex(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        for byte in Array(text.utf8) + [0] {
            if isHex(byte) {
                run.append(byte)
                continue
            }
            kept += run.count < 16 ? run : [UInt8(ascii: "*")]
            run = []
            kept.append(byte)
        }
        return String(decoding: kept.dropLast(), as: UTF8.self)
    }
}
