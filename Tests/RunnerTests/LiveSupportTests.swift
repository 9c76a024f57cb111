import TestSupport
import Testing

@testable import Runner

@Suite("Which scenarios can be run over real sockets")
struct LiveSupportTests {
    @Test(
        "Not one in which a process ends in the instant of a page's call; time between them makes it possible",
        arguments: [
            ("{ kill: \"user\" }", false), ("{ background: true }, { kill: \"low memory\" }", false),
            ("{ repeat: 1, steps: [{ kill: \"user\" }] }", false),
            ("{ wait: \"1s\" }, { kill: \"user\" }", true), ("{ background: true }", true),
        ])
    func endOfCall(end: String, isPossible: Bool) throws {
        let call = "{ launch: true }, { page: \"in front\", calls: \"startupDidComplete\" }, "
        let scenario = try SmallScenario.plan(SmallScenario.text(call + end)).scenario
        #expect((LiveSupport.reason(against: scenario) == nil) == isPossible)
    }
}
