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
        #expect(codes("{ launch: true, as: 'p' }, { page: 'p', calls: 'onError' }") == [])
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
        #expect(codes("{ launch: true }, \(push), { launch: true }") == [])
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
