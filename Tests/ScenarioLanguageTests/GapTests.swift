import Core
import ScenarioLanguage
import Testing

@Suite("Gaps")
struct GapTests {
    private func steps(_ text: String) throws -> [Step] { try scenario(story(text)).steps }

    private func gap(_ text: String) throws -> GapSpec {
        guard case .gap(let gap) = try #require(steps("\(text), { expect: { page: 'ready' } }").first).action
        else { throw NoGap() }
        return gap
    }

    private struct NoGap: Error {}

    @Test("A gap has classes that it leaves out and a longest time; both can be missing")
    func reads() throws {
        let gap = try gap("{ gap: { without: ['store update', 'order'], atMost: '6d' } }")
        #expect(gap.without.map(\.value) == [.storeUpdate, .order])
        #expect(gap.atMost?.value == .hours(144))
        let free = try self.gap("{ gap: {} }")
        #expect(free.without.isEmpty && free.atMost == nil)
    }

    @Test(
        "Steps of one verb have the class of what they do",
        arguments: [
            ("{ kill: 'low memory' }", StepClass.kill), ("{ kill: 'not responding' }", .crash),
            ("{ kill: 'battery' }", .powerCut), ("{ user: 'swipes the app away' }", .kill),
            ("{ deploy: 'v2' }", .deploy), ("{ deploy: 'v2', order: 'force' }", .order),
            ("{ deploy: 'embedded' }", .order), ("{ unblock: 'v2' }", .order),
            ("{ page: 'in front', calls: 'checkForUpdates' }", .check),
            ("{ page: 'in front', calls: 'startupDidFail' }", .failure),
            ("{ page: 'reload' }", .reload), ("{ page: 'taps a link' }", .navigation),
            ("{ fault: 'offline' }", .network), ("{ fault: 'refuse' }", .requestFault),
            ("{ fault: 'locked device' }", .diskFault), ("{ fault: 'port taken' }", .port),
        ])
    func classes(text: String, wanted: StepClass) throws {
        let step = try #require(steps("\(text), { expect: { page: 'ready' } }").first)
        #expect(step.action.stepClass == wanted)
    }

    @Test("Steps that check or structure a scenario fill no gap")
    func structure() throws {
        let text = """
            { mark: 'm' }, { gap: {} }, { repeat: 2, steps: [ { check: true } ] },
            { always: { page: 'ready' } }, { expect: { page: 'ready' } }
            """
        for step in try steps(text) {
            #expect(step.action.stepClass == nil, "\(step.verb)")
            #expect(try !gap("{ gap: {} }").allows([step.action]))
        }
    }

    @Test("The waits of a filling are together no longer than the gap allows, and none has an unknown end")
    func time() throws {
        func wait(_ minutes: Int64) -> Action { .wait(Spanned(.seconds(60 * minutes))) }
        let hour = try gap("{ gap: { atMost: '1h' } }")
        #expect(hour.allows([wait(30), .check, wait(30)]))
        #expect(!hour.allows([wait(30), .check, wait(31)]))
        #expect(!hour.allows([.settle]))
        #expect(try gap("{ gap: {} }").allows([wait(6_000), .settle]))
        #expect(try !gap("{ gap: { without: ['time'] } }").allows([wait(1)]))
    }

    @Test("Nothing is warned of that a filling can change: versions, faults, the app's state")
    func warnings() throws {
        let text = """
            { launch: true }, { gap: {} }, { launch: true }, { network: 'online' }, { heal: true },
            { expect: { running: 'v1' } }
            """
        let reading = read(story(text))
        #expect(ScenarioWarnings.check(reading).isEmpty)
        let without = read(story(text.replacing("{ gap: {} },", with: "")))
        #expect(ScenarioWarnings.check(without).contains { $0.code == .idleStep })
    }
}
