import Backend
import AppHost
import Core
import ScenarioLanguage
import TestSupport
import Testing
import Updater
import World

@testable import Runner

/// The smallest backend: no world, no app, no disk. A launch starts a process that shows a page three seconds
/// later and a kill ends it; nothing else happens on it.
struct LampBackend: Backend {
    private(set) var now = Instant.zero
    private(set) var trace: [TraceEvent] = []
    private(set) var armedActions: [ArmedAction] = []
    private(set) var eventCount = 0
    private var process: Int?
    private var launches = 0
    private var pageIsDue: Instant?
    private var showsPage = false

    var isSettled: Bool { pageIsDue == nil }
    var appliedDeviceFaults: [String] { [] }
    var digest: UInt64 { UInt64(trace.count) }

    mutating func perform(_ action: StepAction) {
        guard action.trigger == nil else { return }
        switch action.namedAction.action {
        case .launch:
            launches += 1
            process = launches
            pageIsDue = now + .seconds(3)
            report(.launched(foreground: true, bootID: 1))
        case .kill(let cause):
            report(.processEnded(cause))
            (process, pageIsDue, showsPage) = (nil, nil, false)
        default: break
        }
    }

    mutating func advance(to end: Instant) -> StepOutcome {
        guard let due = pageIsDue, due <= end else {
            now = max(now, end)
            return .reachedEnd
        }
        (now, pageIsDue, showsPage) = (due, nil, true)
        eventCount += 1
        report(.contentShown(WebViewID(1)))
        return .event
    }

    mutating func disarm() {}

    func view(of device: Int) -> DeviceView {
        var view = DeviceView(device: device, build: "1.0")
        view.process = process
        view.isInForeground = process != nil
        view.running = showsPage ? "v1" : nil
        if process != nil {
            view.webViews = [WebViewView(id: WebViewID(1), state: showsPage ? .shown : .loading)]
        }
        return view
    }

    func webStorage(of device: Int) -> (cookies: [String], keys: [String]) { ([], []) }
    func withDisk<Result>(of device: Int, _ body: (SimulatedDisk) -> Result) -> Result? { nil }
    func diskRevision(of device: Int) -> Int? { nil }
    func key(ofVersion index: Int) -> VersionKey? { nil }
    func files(ofVersion index: Int) -> [PublishedFile] { [] }

    private mutating func report(_ kind: TraceEvent.Kind) {
        trace.append(
            TraceEvent(ordinal: trace.count + 1, at: now, device: 0, process: process ?? launches, kind: kind)
        )
    }
}

@Suite("A scenario runs on any backend")
struct LampBackendTests {
    private func run(_ steps: String) throws -> ScenarioResult {
        let plan = try SmallScenario.plan(
            SmallScenario.text(steps, head: "liveness: \"none\", because: \"a lamp has no updates\","))
        let runner = ScenarioRunner(profiles: [.plain])
        let ready = try runner.prepare(plan.scenario)
        return runner.run(plan, ready, on: LampBackend(), checkers: []).result
    }

    @Test("its actions, its time and its view decide what expectations find")
    func passes() throws {
        let result = try run(
            """
            { launch: true }, { expect: { process: "alive", running: null } },
            { expect: { running: "v1" }, within: "5s" },
            { kill: "user" }, { expect: { process: "gone" } },
            """)
        #expect(result.failures.map(\.headline) == [])
        #expect(result.virtualDuration == .seconds(3))
        #expect(result.events == 1)
    }

    @Test("an expectation that it does not meet fails, at the time that the backend gives")
    func fails() throws {
        let result = try run("{ launch: true }, { expect: { running: \"v1\" }, within: \"2s\" },")
        #expect(result.failures.count == 1)
        #expect(result.failures.first?.at == .zero + .seconds(2))
    }
}
