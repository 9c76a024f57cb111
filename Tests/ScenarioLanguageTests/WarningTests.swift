import Core
import Foundation
import ScenarioLanguage
import Testing

@Suite("Warnings of lint")
struct WarningTests {
    private func warnings(_ text: String) -> [Diagnostic] {
        let reading = read(text)
        #expect(!reading.hasErrors, "\(DiagnosticRenderer.render(reading.diagnostics))")
        return ScenarioWarnings.check(reading)
    }

    private func codes(
        _ steps: String, app: String = "embeds: 'v1'", versions: String = "", more: String = ""
    )
        -> [DiagnosticCode]
    {
        let all = steps + ", { deploy: 'v2' }, { expect: { page: 'ready' }, within: '5s' }"
        let text = story(all, versions: versions, app: app)
        return warnings(text.replacingOccurrences(of: "schema: 1,", with: "schema: 1, " + more)).map(\.code)
    }

    @Test("a version that is neither embedded, nor used by a step, nor by a version that is")
    func versions() {
        let unused = "v3: { from: 'v2', files: { 'b.js': '1 KB' } }, v4: { from: 'v3', changes: ['b.js'] },"
        #expect(codes("{ launch: true }", versions: unused) == [.unusedVersion, .unusedVersion])
        #expect(codes("{ deploy: 'v4' }", versions: unused) == [])
        #expect(
            codes("{ disk: { file: 'v3:/b.js', do: { remove: true } } }", versions: unused) == [
                .unusedVersion
            ])
        let answer = "{ fault: { answer: { status: 200, bytes: 'of v4' } } }"
        #expect(codes(answer, versions: unused) == [])
        #expect(codes("{ expect: { messages: ['recalled v4'] }, within: '1s' }", versions: unused) == [])
    }

    @Test("a version that only one of the cases uses is used")
    func cases() {
        let text = story("{ deploy: '$v' }, { expect: { page: 'ready' }, within: '5s' }")
        let cases = "schema: 1, cases: [{ name: 'a', v: 'v1' }, { name: 'b', v: 'v2' }],"
        #expect(warnings(text.replacingOccurrences(of: "schema: 1,", with: cases)).isEmpty)
    }

    @Test("a name that no later step refers to")
    func names() {
        #expect(codes("{ launch: true, as: 'p' }") == [.unusedName])
        #expect(codes("{ launch: true, as: 'p' }, { wait: '1s' }, { page: 'p', calls: 'onError' }") == [])
        #expect(codes("{ mark: 'm' }") == [.unusedName])
        #expect(codes("{ mark: 'm' }, { expect: { reloads: 0 }, since: 'm' }") == [])
        #expect(codes("{ fault: 'refuse', as: 'f' }, { launch: true }, { heal: 'f' }") == [])
    }

    @Test("a deploy that neither an expectation nor liveness checks")
    func deploys() {
        let steps = "{ expect: { page: 'ready' }, within: '5s' }, { deploy: 'v2' }"
        let none = "schema: 1, liveness: 'none', because: 'so',"
        let text = story(steps).replacingOccurrences(of: "schema: 1,", with: none)
        #expect(warnings(text).map(\.code) == [.uncheckedDeploy])
        #expect(warnings(story(steps)).isEmpty)
        let standing = story("{ always: { screen: 'none' } }, " + steps)
        #expect(warnings(standing.replacingOccurrences(of: "schema: 1,", with: none)).isEmpty)
    }

    @Test("a fault that is healed before anything happens, or that nothing leads to")
    func faults() {
        #expect(codes("{ fault: 'refuse' }, { heal: true }") == [.idleFault])
        #expect(codes("{ fault: 'refuse' }, { expect: { page: 'gone' } }, { heal: true }") == [.idleFault])
        #expect(codes("{ fault: 'refuse' }, { launch: true }, { heal: true }") == [])
        #expect(codes("{ fault: 'refuse', path: 'outcomes' }") == [.idleFault])
        #expect(codes("{ fault: 'refuse', path: 'outcomes' }", app: "embeds: 'v1', outcomes: true") == [])
        #expect(codes("{ fault: 'refuse', path: '/app.js' }") == [])
        let other = "v3: { from: 'v2', files: { 'b.js': '1 KB' } },"
        #expect(
            codes("{ fault: 'refuse', path: '/b.js' }, { unblock: 'v3' }", versions: other) == [.idleFault])
        let edges = "origin: { edges: ['a', 'b'] },"
        #expect(codes("{ fault: 'refuse', edge: 'b' }", more: edges) == [.idleFault])
        #expect(codes("{ fault: 'refuse', edge: 'b' }, { route: 'b' }", more: edges) == [])
    }

    @Test("a launch directly after an armed end of the running app")
    func launches() {
        let kill = "{ kill: 'user', when: { started: 'v2' } }"
        #expect(codes("{ launch: true }, \(kill), { launch: true }") == [.earlyLaunch])
        #expect(
            codes("{ launch: true }, { wait: '1s' }, \(kill), { check: true }, { launch: true }") == [
                .earlyLaunch
            ])
        #expect(codes("{ launch: true }, \(kill), { wait: '1s' }, { launch: true }") == [])
        #expect(codes("{ launch: true }, \(kill), { launch: true, after: '1s' }") == [])
        // The step is armed while the app does not run, so that it waits for the launch.
        #expect(codes("{ launch: true }, { kill: 'user' }, \(kill), { launch: true }") == [])
        #expect(codes("\(kill), { launch: true }") == [])
        let push = "{ push: true, when: { started: 'v2' } }"
        // Not early: nothing waits for the push. It is a step that changes nothing.
        #expect(codes("{ launch: true }, \(push), { launch: true }") == [.idleStep])
    }

    @Test("a step that changes nothing in any run, with the state of the app that every run has there")
    func idleSteps() {
        #expect(codes("{ check: true }") == [.idleStep])
        #expect(codes("{ page: 'reload' }, { launch: true }") == [.idleStep])
        #expect(codes("{ launch: true }, { page: 'reload' }") == [.idleStep])
        #expect(codes("{ launch: true }, { wait: '1s' }, { page: 'reload' }") == [])
        #expect(codes("{ launch: true }, { launch: true }") == [.idleStep])
        #expect(codes("{ launch: true }, { background: true }, { background: true }") == [.idleStep])
        #expect(codes("{ launch: true }, { background: true }, { launch: true }") == [])
        #expect(codes("{ launch: true }, { kill: 'user' }, { kill: 'crash' }") == [.idleStep])
        #expect(codes("{ powerCut: true }, { launch: true }, { kill: 'user' }, { powerCut: true }") == [])
        #expect(
            codes("{ launch: true }, { expect: { process: 'gone' }, within: '9s' }, { check: true }") == [
                .idleStep
            ])
        #expect(codes("{ push: true }, { check: true }") == [])
        #expect(codes("{ launch: true }, { inactive: true }, { inactive: true }") == [.idleStep])
        #expect(codes("{ launch: true }, { active: true }") == [.idleStep])
        #expect(codes("{ inactive: true }") == [.idleStep])
        #expect(codes("{ launch: true }, { inactive: true }, { active: true }, { inactive: true }") == [])
        #expect(codes("{ launch: true }, { inactive: true }, { foreground: true }") == [])
        #expect(
            codes("{ launch: true }, { inactive: true }, { background: true }, { active: true }") == [
                .idleStep
            ])
        // An armed step can have happened by then, and a version can have ended the process.
        #expect(
            codes("{ launch: true }, { kill: 'user', after: '2s' }, { wait: '5s' }, { launch: true }") == [])
        let dies = "v3: { from: 'v2', startup: { dies: 'process', after: '1s' } },"
        let use = "{ deploy: 'v3' }, "
        #expect(codes(use + "{ launch: true }, { wait: '5s' }, { launch: true }", versions: dies) == [])
        // The second round finds the app as the first one left it.
        #expect(codes("{ repeat: 2, steps: [ { launch: true }, { wait: '1s' } ] }") == [])
        #expect(codes("{ repeat: 2, steps: [ { launch: true }, { wait: '1s' }, { kill: 'user' } ] }") == [])
        #expect(codes("{ repeat: 2, steps: [ { check: true }, { wait: '1s' } ] }") == [.idleStep])
    }

    @Test(
        "a step that heals nothing, or sets the network to what it is",
        arguments: [
            ("{ heal: true }", true), ("{ network: 'offline' }, { heal: true }", false),
            ("{ network: 'online' }", true), ("{ network: 'metered' }, { network: 'metered' }", true),
            ("{ network: 'metered' }, { network: 'online' }, { network: 'metered' }", false),
            ("{ fault: 'offline' }, { check: true }, { network: 'online' }", false),
            ("{ fault: 'offline' }, { check: true }, { heal: true }, { network: 'online' }", true),
            ("{ fault: 'offline', as: 'a' }, { check: true }, { heal: 'a' }, { heal: 'a' }", true),
            ("{ fault: 'offline', as: 'a' }, { check: true }, { heal: 'a' }, { network: 'offline' }", false),
            ("{ fault: 'offline', as: 'a' }, { check: true }, { heal: true }, { heal: 'a' }", true),
            // The armed step may have happened, or may happen still.
            ("{ network: 'offline', after: '2s' }, { wait: '1s' }, { network: 'online' }", false),
            ("{ fault: 'offline', as: 'a', after: '2s' }, { wait: '1s' }, { heal: 'a' }", false),
            (
                "{ network: 'offline' }, { heal: true, after: '1s' }, { wait: '5s' }, { network: 'offline' }",
                false
            ),
            // The second round finds what the first one left.
            ("{ repeat: 2, steps: [ { heal: true }, { network: 'offline' } ] }", false),
            ("{ repeat: 2, steps: [ { network: 'online' }, { wait: '1s' } ] }", true),
            (
                "{ repeat: 2, steps: [ { network: 'offline' }, { wait: '1s' }, { network: 'online' } ] }",
                false
            ),
        ])
    func idleHealing(_ steps: String, isIdle: Bool) {
        #expect(codes("{ launch: true }, { wait: '1s' }, " + steps) == (isIdle ? [.idleStep] : []))
    }

    @Test("an expectation that holds before the step that it is meant for has had an effect")
    func heldBefore() {
        let first = "{ launch: true }, { expect: { running: 'v1', pending: null }, within: '5s' }, "
        #expect(
            codes(first + "{ check: true }, { expect: { running: 'v1' }, within: '5s' }") == [.heldBefore])
        #expect(codes(first + "{ check: true }, { expect: { running: 'v1' }, throughout: '5s' }") == [])
        #expect(codes(first + "{ check: true }, { expect: { running: 'v1' } }") == [])
        #expect(
            codes(first + "{ check: true }, { wait: '5s' }, { expect: { running: 'v1' }, within: '5s' }")
                == [])
        #expect(codes(first + "{ relaunch: true }, { expect: { running: 'v1' }, within: '5s' }") == [])
        #expect(codes(first + "{ check: true }, { expect: { screen: 'none' }, within: '5s' }") == [])
        let counted = "{ expect: { running: 'v1', requests: { all: 1 } }, within: '5s' }"
        #expect(codes(first + "{ check: true }, \(counted)") == [])
        let round =
            "{ repeat: 2, steps: [ \(first) { check: true }, { expect: { running: 'v1' }, within: '5s' } ] }"
        #expect(codes(round) == [.heldBefore])
    }

    @Test("a version that is stored, and perhaps not pending yet when the next step comes")
    func storedOnly() {
        let stored = "{ deploy: 'v2' }, { launch: true }, { expect: { stored: ['v2'] }, within: '9s' }"
        #expect(codes(stored + ", { relaunch: true }") == [.storedOnly])
        #expect(
            codes(stored + ", { mark: 'm' }, { page: 'reload' }, { expect: { bytes: '0 B' }, since: 'm' }")
                == [
                    .storedOnly
                ])
        #expect(codes(stored + ", { expect: { pending: 'v2' }, within: '9s' }, { relaunch: true }") == [])
        let both = stored.replacingOccurrences(of: "stored: ['v2']", with: "stored: ['v2'], pending: 'v2'")
        #expect(codes(both + ", { relaunch: true }") == [])
        #expect(codes(stored + ", { wait: '5s' }, { relaunch: true }") == [])
    }

    @Test("the library has none")
    func library() throws {
        for path in LibraryTests.files {
            let url = LibraryTests.root.appendingPathComponent("Scenarios/" + path)
            let reading = ScenarioReader.read(
                path: path, bytes: Array(try Data(contentsOf: url)), devices: LibraryTests.devices,
                used: LibraryTests.used)
            #expect(!reading.scenarios.isEmpty)
            #expect(ScenarioWarnings.check(reading).map(DiagnosticRenderer.render) == [])
        }
    }
}
