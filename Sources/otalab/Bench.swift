import Core
import Foundation
import Runner
import ScenarioLanguage
import World

extension Verb {
    static let bench = Verb(
        name: "bench", summary: "measure the laboratory, and updates on each device profile",
        options: [
            Option("--json", "print the figures as JSON"),
            Option("--seconds", value: "N", "time for each measurement (default 2)"),
            Option(
                "--only", value: "FIGURE", offer: .choices(Bench.subjects),
                "measure one of " + Bench.subjects.joined(separator: ", ")),
            Option(
                "--story", value: "N",
                "only perform the update story N times, for a profiler; prints its events"),
        ]
    ) { program in try await Bench(program.arguments).run() }
}

/// `otalab bench`: what the laboratory costs on one core, as a table or as JSON. Time is processor time, so
/// that other programs on the machine matter less. Figures belong to one machine at one time: compare ratios
/// within one run, not figures of two runs.
struct Bench: Sendable {
    /// One figure with its unit, the minimum that this project guarantees, and how it was measured.
    struct Figure: Sendable {
        var name: String
        var value: Double
        var unit: String
        var floor: Double?
        var how: String
    }

    /// The values of `--only`, each one measurement of ``run()``.
    static let subjects = ["kernel", "stories", "idle", "fork", "hashes", "reader", "update"]

    let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func run() async throws -> ExitCode {
        let seconds = Double(try arguments.number("--seconds", in: 1...600) ?? 2)
        if let runs = try arguments.number("--story", in: 1...100_000) { return try story(Int(runs)) }
        let only = arguments.text("--only")
        var figures: [Figure] = []
        if only ?? "kernel" == "kernel" { figures += kernel(seconds) }
        if only ?? "stories" == "stories" { figures += try scenarios(seconds) }
        if only ?? "idle" == "idle" { figures += try idle() }
        if only ?? "fork" == "fork" { figures += try fork(seconds) }
        if only ?? "hashes" == "hashes" { figures += hashes(seconds) }
        if only ?? "reader" == "reader" { figures += try reader(seconds) }
        let measuresUpdates = only ?? "update" == "update"
        if figures.isEmpty, !measuresUpdates {
            throw UsageError(
                message: "there is no figure '\(only ?? "")'",
                help: "write " + Bench.subjects.joined(separator: ", "))
        }
        figures.append(
            Figure(
                name: "peak memory", value: peakMegabytes, unit: "MB", floor: nil,
                how: "getrusage, all of the above"))
        // After the peak, which is compared with that of programs without this measurement.
        let measured = measuresUpdates ? try updates() : []
        if arguments.has("--json") {
            Output.result(json(figures + self.figures(measured)))
        } else {
            Output.result(table(figures) + (measured.isEmpty ? "" : updateTable(measured)))
        }
        return .passed
    }

    // MARK: Measurements

    private func kernel(_ seconds: Double) -> [Figure] {
        var events = 0
        var digest: UInt64 = 0
        let time = measure { start in
            repeat {
                digest = digest &* 31 &+ KernelBench.run(events: 200_000)
                events += 200_000
            } while elapsed(start) < seconds
        }
        let how = "64 entities, history and digest on, last \(Hex.text(digest).prefix(4))"
        return [
            Figure(
                name: "bare kernel", value: Double(events) / time, unit: "events/s", floor: 1_000_000,
                how: how)
        ]
    }

    private func scenarios(_ seconds: Double) throws -> [Figure] {
        let plain = try prepared(BenchScenario.busy, seconds)
        let heavy = try prepared(BenchScenario.wholePages, seconds)
        let fresh = try unprepared(BenchScenario.busy, seconds)
        let description =
            "60 files of 512 B, 20 changed, loss, redeployed mid-download, a crash, a failed start and its rescue, all checkers"
        return [
            Figure(
                name: "update stories", value: plain.scenarios, unit: "stories/s", floor: 100,
                how: description + "; each page load 13 requests, each run another seed"),
            Figure(
                name: "the same, fastest slice", value: plain.fastest, unit: "stories/s", floor: nil,
                how: "of \(Bench.slices): least disturbed by other programs on the machine"),
            Figure(
                name: "the same, prepared anew", value: fresh, unit: "stories/s", floor: nil,
                how: "file parsed, content generated and caches of stored bytes emptied for each run"),
            Figure(
                name: "story events", value: plain.events, unit: "events/s", floor: nil,
                how: "\(plain.eventsEach) per run"),
            Figure(
                name: "simulated over wall, busy", value: plain.speed, unit: "×", floor: 1_000,
                how: "of the same runs, liveness left out"),
            Figure(
                name: "update stories, whole pages", value: heavy.scenarios, unit: "stories/s", floor: nil,
                how: "the same, each page load 61 requests; \(heavy.eventsEach) events per run"),
        ]
    }

    /// Performs the update story as ``prepared(_:_:)`` does, a number of times instead of for a time.
    private func story(_ runs: Int) throws -> ExitCode {
        let text = Array(BenchScenario.busy.utf8)
        let scenario = try prepare(ScenarioFile(path: "bench/update-story.json5", bytes: text))
        var events = 0
        for seed in 0..<runs { events += try run(scenario, seed: UInt64(seed)).events }
        Output.result("\(runs) stories, \(events) events\n")
        return .passed
    }

    private struct Throughput {
        /// Scenario runs per second.
        var scenarios: Double
        /// Scenario runs per second of the fastest slice.
        var fastest: Double
        /// Events per second.
        var events: Double
        /// Events per scenario run.
        var eventsEach: Int
        /// Simulated time divided by processor time.
        var speed: Double
    }

    /// Number of slices of a measurement.
    private static let slices = 8

    /// Measures runs of a scenario that is prepared once.
    private func prepared(_ text: String, _ seconds: Double) throws -> Throughput {
        let scenario = try prepare(ScenarioFile(path: "bench/update-story.json5", bytes: Array(text.utf8)))
        var count = 0
        var events = 0
        var virtual = 0.0
        var time = 0.0
        var fastest = 0.0
        for _ in 0..<Bench.slices {
            let before = count
            let slice = try measure { start in
                repeat {
                    let results = try run(scenario, seed: UInt64(count))
                    count += 1
                    events += results.events
                    virtual += Double(results.virtualDuration.microseconds) / 1_000_000
                } while elapsed(start) < seconds / Double(Bench.slices)
            }
            time += slice
            fastest = max(fastest, Double(count - before) / slice)
        }
        return Throughput(
            scenarios: Double(count) / time, fastest: fastest, events: Double(events) / time,
            eventsEach: events / max(1, count), speed: virtual / time)
    }

    /// Scenario runs per second if no run profits from an earlier one.
    private func unprepared(_ text: String, _ seconds: Double) throws -> Double {
        var count = 0
        let time = try measure { start in
            repeat {
                let file = ScenarioFile(path: "bench/update-story.json5", bytes: Array(text.utf8))
                _ = try run(try prepare(file), seed: UInt64(count))
                count += 1
            } while elapsed(start) < seconds / 2
        }
        return Double(count) / time
    }

    private func idle() throws -> [Figure] {
        let file = ScenarioFile(path: "bench/idle-week.json5", bytes: Array(BenchScenario.idle.utf8))
        let scenario = try prepare(file)
        let start = Bench.processorTime
        let result = try run(scenario, seed: 1)
        let time = elapsed(start)
        let virtual = Double(result.virtualDuration.microseconds) / 1_000_000
        return [
            Figure(
                name: "simulated over wall, idle", value: virtual / time, unit: "×", floor: nil,
                how: "a week of hourly checks, \(result.events) events")
        ]
    }

    /// A built-in scenario, ready to be run with any seed.
    private func prepare(_ file: ScenarioFile) throws -> PreparedScenario {
        guard let scenario = PreparedScenario(file) else {
            throw BenchFailure(description: "the bench's scenario can't be read")
        }
        return scenario
    }

    private func run(_ scenario: PreparedScenario, seed: UInt64) throws -> ScenarioResult {
        let result = scenario.run(seed: seed)
        guard result.verdict == .passed else {
            let why = result.failures.map(\.headline) + result.diagnostics.map(\.message)
            throw BenchFailure(
                description: "the bench's scenario did not pass: " + why.joined(separator: "; "))
        }
        return result
    }

    /// The cost of copying a world in the middle of a download and changing the copy, which a search pays for
    /// each branch.
    private func fork(_ seconds: Double) throws -> [Figure] {
        guard var world = BenchScenario.world() else { return [] }
        world.perform(.launch(.foreground))
        _ = world.run(until: .zero + .seconds(2))
        world.perform(.deploy(DeploySpec("v2")))
        world.perform(.check)
        _ = world.run(until: .zero + .milliseconds(2_250))
        var forks = 0
        var sum: UInt64 = 0
        let time = measure { start in
            repeat {
                for _ in 0..<1_000 {
                    var copy = world
                    copy.perform(.network(.online))
                    sum &+= copy.digest
                    forks += 1
                }
            } while elapsed(start) < seconds / 2
        }
        let how = "mid-download, copied and one action performed, sum \(Hex.text(sum).prefix(4))"
        return [
            Figure(name: "fork", value: time / Double(forks) * 1_000_000, unit: "µs", floor: nil, how: how)
        ]
    }

    /// Hashes pieces of 16 KiB, as a download does.
    private func hashes(_ seconds: Double) -> [Figure] {
        let piece = (0..<(16 << 10)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var sha256 = SHA256()
        var sha1 = SHA1()
        let by = SHA256Compression.instructionsAreAvailable ? "the processor's instructions" : "plain Swift"
        return [
            hash("streamed SHA-256", by, seconds, piece.count, { sha256.update(piece) }) {
                sha256.finish().hex
            },
            hash("streamed SHA-1", "plain Swift", seconds, piece.count, { sha1.update(piece) }) {
                sha1.finish().hex
            },
        ]
    }

    /// Bytes per second of SHA-256 over pieces of 16 KiB, measured for a tenth of a second.
    func hashRate() -> Double {
        let piece = [UInt8](repeating: 7, count: 16 << 10)
        var sha256 = SHA256()
        var bytes = 0
        let time = measure { start in
            repeat {
                for _ in 0..<64 { sha256.update(piece) }
                bytes += 64 * piece.count
            } while elapsed(start) < 0.1
        }
        // The digest is used, so that no hashing is left out.
        return Double(bytes + Int(sha256.finish().hex.utf8.count & 1)) / max(time, 1e-6)
    }

    private func hash(
        _ name: String, _ by: String, _ seconds: Double, _ count: Int, _ update: () -> Void,
        _ finish: () -> String
    ) -> Figure {
        var bytes = 0
        let time = measure { start in
            repeat {
                for _ in 0..<256 { update() }
                bytes += 256 * count
            } while elapsed(start) < seconds / 2
        }
        return Figure(
            name: name, value: Double(bytes) / time / 1_000_000, unit: "MB/s", floor: nil,
            how: "\(by), pieces of 16 KiB, last \(finish().prefix(4))")
    }

    func measure(_ body: (_ start: Double) throws -> Void) rethrows -> Double {
        let start = Bench.processorTime
        try body(start)
        return elapsed(start)
    }

    func elapsed(_ start: Double) -> Double { Bench.processorTime - start }

    /// Processor seconds of this process so far; everything that is measured runs on one thread.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    private var peakMegabytes: Double {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_SELF, &usage)
            return Double(usage.ru_maxrss) / 1_000_000
        #else
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return Double(usage.ru_maxrss) / 1_000
        #endif
    }

    // MARK: Output

    private func table(_ figures: [Figure]) -> String {
        var text = "otalab bench \(ToolVersion.current), one core, processor time\n\n"
        for figure in figures {
            let value = number(figure.value)
            let floor = figure.floor.map { "floor \(number($0))" } ?? ""
            text +=
                pad(figure.name, 28) + right(value, 12) + " " + pad(figure.unit, 10) + pad(floor, 16)
                + figure.how + "\n"
        }
        return text
    }

    private func json(_ figures: [Figure]) -> String {
        var json = JSONWriter(indent: 2)
        json.beginObject()
        json.member("schema", "otalab-bench-1")
        json.key("figures")
        json.beginArray()
        for figure in figures {
            json.beginObject()
            json.member("name", figure.name)
            json.member("valueTimes1000", Int64(figure.value * 1_000))
            json.member("unit", figure.unit)
            if let floor = figure.floor { json.member("floorTimes1000", Int64(floor * 1_000)) }
            json.member("how", figure.how)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }

    private func number(_ value: Double) -> String {
        if value < 100 { return String(Int64(value * 10) / 10) + "." + String(Int64(value * 10) % 10) }
        var digits = String(Int64(value))
        var offset = digits.count - 3
        while offset > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: offset))
            offset -= 3
        }
        return digits
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

/// A defect of this program, because its built-in scenarios must pass.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String
}
