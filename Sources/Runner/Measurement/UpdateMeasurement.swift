import Backend
import Core
import ScenarioLanguage
import World

/// Measures one update on one device profile: the time from a check to pending, and how long a page that
/// reloads all the time waits for the local server meanwhile (rule S9).
///
/// All times are virtual, so they are exact and the same on every machine. They are those of the world's
/// model: disk and network cost what the profile says (``Backend/DiskCost``), computing costs nothing, and
/// each direction of the loopback takes 0.1 ms.
///
/// The page has a document and two files. The app runs its embedded version, so that a reload needs no sync.
/// A pending version waits for the next start, so that no reload switches. The page reloads 5 ms after each
/// of its loads.
package struct UpdateMeasurement: Hashable, Sendable {
    /// What an update consists of.
    package enum Content: String, CaseIterable, Sendable {
        case smallFiles = "40 × 4 KB"
        case largeFile = "1 × 4 MB"

        /// Bytes of the changed files, each of which is hashed once (M17).
        package var bytes: Int {
            switch self {
            case .smallFiles: 40 * 4_000
            case .largeFile: 4_000_000
            }
        }

        fileprivate var files: [(route: String, size: String)] {
            switch self {
            case .smallFiles: (0..<40).map { ("data/part\($0).json", "4 KB") }
            case .largeFile: [("data/all.json", "4 MB")]
            }
        }
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Time from the check to pending while the page does nothing.
    package private(set) var toPending = TimeSpan.zero
    /// The same while the page reloads all the time.
    package private(set) var toPendingWithReloads = TimeSpan.zero
    /// Reloads: from the page's request over its redirect to the end of the document.
    package private(set) var reloadIdle = AnswerTimes(count: 0, median: .zero, worst: .zero)
    package private(set) var reloadDuringUpdate = AnswerTimes(count: 0, median: .zero, worst: .zero)
    /// Requests for the page's files.
    package private(set) var fileIdle = AnswerTimes(count: 0, median: .zero, worst: .zero)
    package private(set) var fileDuringUpdate = AnswerTimes(count: 0, median: .zero, worst: .zero)

    /// Longest time that a request may take during an update: 1.2 × the idle one and a background step.
    package static func limit(idle: AnswerTimes, on profile: DeviceProfile) -> TimeSpan {
        idle.worst * 12 / 10 + backgroundStep(on: profile)
    }

    /// Longest time of one step of the update: 16 disk calls, and 64 KiB at the slower of the disk's rates.
    package static func backgroundStep(on profile: DeviceProfile) -> TimeSpan {
        let cost = profile.diskCost
        let rate = Int64(min(cost.readRate, cost.writeRate))
        return cost.perCall * 16 + TimeSpan(microseconds: 65_536 * 1_000_000 / rate)
    }

    package init(_ content: Content, on profile: DeviceProfile) throws {
        let scenario = try UpdateMeasurement.scenario(content, on: profile)
        let launched = try DeviceUnderUpdate(scenario, profile)
        var device = launched
        toPending = try device.update(reloading: false)
        device = launched
        for _ in 0..<40 { try device.reload() }
        let idle = device.answers()
        toPendingWithReloads = try device.update(reloading: true)
        let during = device.answers()
        reloadIdle = try UpdateMeasurement.summary(idle.reloads.idle)
        fileIdle = try UpdateMeasurement.summary(idle.files.idle)
        reloadDuringUpdate = try UpdateMeasurement.summary(during.reloads.duringUpdate)
        fileDuringUpdate = try UpdateMeasurement.summary(during.files.duringUpdate)
    }

    private static func summary(_ times: [TimeSpan]) throws -> AnswerTimes {
        guard let times = AnswerTimes(times) else { throw Failure(description: "no page was answered") }
        return times
    }

    private static func scenario(_ content: Content, on profile: DeviceProfile) throws -> Scenario {
        let files = content.files.map { "\"\($0.route)\": \"\($0.size)\"" }.joined(separator: ", ")
        let changed = content.files.map { "\"\($0.route)\"" }.joined(separator: ", ")
        let text = """
            {
              schema: 1, title: "An update that is measured", device: "\(profile.name)",
              app: { embeds: "v1", checks: "manual", switchOnReload: false },
              versions: {
                v1: { files: { "index.html": "2 KB", "app.js": "40 KB", "style.css": "4 KB", \(files) } },
                v2: { from: "v1", changes: [\(changed)] },
              },
              steps: [ { launch: true } ],
            }
            """
        let reading = ScenarioReader.read(
            path: "measurement.json5", bytes: Array(text.utf8), devices: [profile.name])
        guard let scenario = reading.scenarios.first, !reading.hasErrors else {
            throw Failure(description: "the measurement's scenario can't be read")
        }
        return scenario
    }
}

/// The device of a measurement: it has launched, and its page is ready.
private struct DeviceUnderUpdate {
    private var world: World
    /// Position in the trace from which answers are counted.
    private var counted = 0

    init(_ scenario: Scenario, _ profile: DeviceProfile) throws {
        world = try World(try ScenarioRunner(profiles: [profile]).prepare(scenario).setup)
        world.isRecording = true
        world.perform(.launch(.foreground))
        world.run(for: .seconds(30))
        counted = world.trace.count
    }

    /// - Returns: the time from the check until the version is pending.
    mutating func update(reloading: Bool) throws -> TimeSpan {
        counted = world.trace.count
        world.perform(.deploy(DeploySpec("v2")))
        let begin = world.now
        world.perform(.check)
        while world.view().status?.pending == nil {
            guard world.now - begin < .minutes(10) else {
                throw UpdateMeasurement.Failure(description: "nothing is pending after ten minutes")
            }
            if reloading { try reload() } else { world.run(for: .milliseconds(10)) }
        }
        for event in world.trace[counted...] {
            if case .log(let entry) = event.kind, entry.cause == .becamePending { return event.at - begin }
        }
        throw UpdateMeasurement.Failure(description: "the log does not have became-pending")
    }

    /// Reloads the page and waits until it is ready.
    mutating func reload() throws {
        let first = world.trace.count
        let begin = world.now
        world.perform(.page(PageSpec(action: .reload)))
        while !isReady(since: first) {
            guard world.now - begin < .minutes(1), case .happened = world.step() else {
                throw UpdateMeasurement.Failure(description: "a reload did not end")
            }
        }
        world.run(for: .milliseconds(5))
    }

    private func isReady(since first: Int) -> Bool {
        world.trace[first...].contains { if case .pageReady = $0.kind { true } else { false } }
    }

    /// Times of reloads, and of requests for files, since the last call of ``update(reloading:)``.
    func answers() -> (reloads: AnswerTimesReader, files: AnswerTimesReader) {
        var reloads = AnswerTimesReader()
        var files = AnswerTimesReader()
        for event in world.trace[counted...] {
            switch event.kind {
            case .pageRequested(let request), .pageReceived(let request, _):
                if request.destination == .document {
                    reloads.observe(event)
                } else {
                    files.observe(event)
                }
            default:
                reloads.observe(event)
                files.observe(event)
            }
        }
        return (reloads, files)
    }
}
