import Foundation
import ScenarioLanguage
import Testing

/// All diagnostics of a text as `line:column message`.
private func reported(_ text: String) -> [String] {
    read(text).diagnostics.map { diagnostic in
        let position = diagnostic.file.position(of: diagnostic.span.start)
        return "\(position.line):\(position.column) \(diagnostic.message)"
    }
}

private func rendered(_ text: String) -> String { DiagnosticRenderer.render(read(text).diagnostics) }

@Suite("Errors as people see them")
struct RenderedErrorTests {
    @Test("a syntax error is reported alone, where the comma is missing")
    func syntax() {
        #expect(
            rendered("{\n  title: 'x'\n  schema: 1, colour: 2 }") == """
                error: missing ',' between members
                  --> Scenarios/demo.json5:2:13
                  |
                2 |   title: 'x'
                  |             ^ expected ',' here
                  = help: add a comma after this value

                """)
    }

    @Test("a duplicate key is reported with both locations")
    func duplicateKey() {
        #expect(
            rendered("{\n  title: 'x',\n  'title': 'y' }") == """
                error: duplicate key 'title'
                  --> Scenarios/demo.json5:3:3
                  |
                3 |   'title': 'y' }
                  |   ^^^^^^^ again here
                  ::: Scenarios/demo.json5:2:3
                  |
                2 |   title: 'x',
                  |   ^^^^^ the other location
                  = help: keep one of the two

                """)
    }

    @Test("an unknown key gets a suggestion, and is not missing as well")
    func unknownKey() {
        #expect(
            rendered(story("{ expect: { runing: 'v1' } }")) == """
                error: unknown key 'runing' in expectation
                  --> Scenarios/demo.json5:10:17
                   |
                10 |     { expect: { runing: 'v1' } }
                   |                 ^^^^^^ not an expectation key
                   = help: did you mean 'running'?

                """)
        let title = story("{ expect: { running: 'v1' } }").split(separator: "title").joined(
            separator: "titel")
        #expect(reported(title) == ["2:14 unknown key 'titel' in scenario"])
    }

    @Test("a missing key is reported with its documentation")
    func missingKey() {
        #expect(
            rendered(story("{ fault: { answer: { etag: 'x' } } }, { expect: { running: 'v1' } }")) == """
                error: missing key 'status' in answer
                  --> Scenarios/demo.json5:10:24
                   |
                10 |     { fault: { answer: { etag: 'x' } } }, { expect: { running: 'v1' } }
                   |                        ^ no 'status' in here
                   = help: status: Its status.

                """)
    }

    @Test("a wrong type is reported with what was expected, and its unit")
    func wrongType() {
        #expect(
            rendered(story("{ wait: 30 }, { expect: { running: 'v1' } }")) == """
                error: 'wait' can't be a number
                  --> Scenarios/demo.json5:10:13
                   |
                10 |     { wait: 30 }, { expect: { running: 'v1' } }
                   |             ^^ expected a duration such as "20s"
                   = help: write it with its unit, as in "20s"

                """)
    }

    @Test("a wrong unit gets its caret inside the quotes")
    func unit() {
        #expect(
            rendered(story("{ wait: '30 sec' }, { expect: { running: 'v1' } }")) == """
                error: 'sec' is not a unit of a time
                  --> Scenarios/demo.json5:10:17
                   |
                10 |     { wait: '30 sec' }, { expect: { running: 'v1' } }
                   |                 ^^^ expected us, ms, s, m, h, d
                   = help: did you mean 's'?

                """)
    }

    @Test("a name that is not declared gets a suggestion or the list of names")
    func name() {
        #expect(
            rendered(story("{ expect: { running: 'v9' } }")) == """
                error: no version is named 'v9'
                  --> Scenarios/demo.json5:10:26
                   |
                10 |     { expect: { running: 'v9' } }
                   |                          ^^^^ not declared
                   = help: one of v1, v2

                """)
    }

    @Test("a modifier with the wrong verb is reported with the verbs that it is allowed with")
    func modifier() {
        #expect(
            rendered(story("{ launch: true, within: '3s' }, { expect: { running: 'v1' } }")) == """
                error: 'within' does not go with 'launch'
                  --> Scenarios/demo.json5:10:21
                   |
                10 |     { launch: true, within: '3s' }, { expect: { running: 'v1' } }
                   |                     ^^^^^^ not here
                   = help: it goes with 'expect'

                """)
    }

    @Test("tabs and wide characters keep the caret in its column")
    func columns() {
        let text = "{ schema: 1,\n\t/* 😀é */ colour: 1 }"
        let reading = read(text)
        let colour = reading.diagnostics.first { $0.message.contains("colour") }
        #expect(
            colour.map(DiagnosticRenderer.render) == """
                error: unknown key 'colour' in scenario
                  --> Scenarios/demo.json5:2:11
                  |
                2 | \t/* 😀é */ colour: 1 }
                  | \t          ^^^^^^ not a scenario key
                  = help: every key is in the reference: otalab schema --format markdown

                """)
    }

    @Test("lines end with LF, CR LF or CR, and a byte order mark has no column")
    func lineEnds() {
        let text = "\u{FEFF}{ a: 1,\r\n b: 2,\r c: 3,\n d: 4 }"
        let positions = read(text).diagnostics.filter { $0.code == .unknownKey }.map {
            $0.file.position(of: $0.span.start)
        }
        #expect(positions.map(\.line) == [1, 2, 3, 4])
        #expect(positions.map(\.column) == [3, 2, 2, 2])
    }
}

@Suite("Every mistake is reported")
struct MistakeTests {
    /// Steps, and the message about them in line 10; an `expect` follows on line 10 too.
    static let steps: [(String, String)] = [
        ("{ lanch: true }", "unknown key 'lanch' in step"),
        ("{ launch: false }", "'launch' can't be false"),
        ("{ launch: true, kill: 'user' }", "a step with both 'launch' and 'kill'"),
        ("{ because: 'x' }", "a step that does not say what it is"),
        ("{ kill: 'usr' }", "'usr' is not a keyword here"),
        ("{ deploy: 'v9' }", "'v9' is not a value for 'deploy'"),
        ("{ deploy: 'v2', to: ['edge'] }", "no edge is named 'edge'"),
        ("{ route: 'b' }", "no edge is named 'b'"),
        ("{ storeUpdate: '2.0' }", "no build is named '2.0'"),
        ("{ heal: 'x' }", "no fault is named 'x'"),
        ("{ wait: '30' }", "a number without its unit"),
        ("{ wait: '1.5s' }", "a fraction"),
        ("{ wait: 'soon' }", "'soon' is not a duration"),
        ("{ wait: '3s 2m' }", "the parts of a duration go from large to small"),
        ("{ wait: '3s please' }", "something left over in '3s please'"),
        ("{ wait: '99999 days' }", "a duration of more than ten years"),
        ("{ wait: '99999999999999999999s' }", "a number that is too large"),
        ("{ user: 'type' }", "'type' is nothing a user does"),
        ("{ user: 'types from 5s' }", "'types from 5s' does not say until when"),
        ("{ user: 'types from 3m to 5s' }", "typing ends before it begins"),
        ("{ repeat: 0, steps: [ { check: true } ] }", "0 is out of range for 'repeat'"),
        ("{ repeat: 2 }", "'repeat' needs 'steps'"),
        ("{ repeat: 2, steps: [] }", "'steps' is too short"),
        ("{ repeat: 2, steps: [ { gap: {} } ] }", "a gap in a 'repeat'"),
        ("{ gap: { without: ['deploys'] } }", "'deploys' is not a keyword here"),
        ("{ gap: {}, after: '1s' }", "'after' does not go with 'gap'"),
        ("{ page: 'reload', calls: 'onError' }", "'calls' does not go with page: \"reload\""),
        (
            "{ page: 'in front' }",
            "page: \"in front\" needs 'calls' or 'asks' or 'embeds' or 'follows' or 'pushes' or 'opens' or 'does' or 'stores' or 'setsCookie' or 'sends' beside it"
        ),
        ("{ page: 'in front', does: 'flies' }", "'flies' is not a keyword here"),
        ("{ page: 'in front', calls: 'onError', size: '2 KB' }", "'size' needs 'sends'"),
        ("{ page: 'in front', sends: 'hello', size: '4 B' }", "the message is longer than its size"),
        ("{ page: 'in front', sends: 'hello', size: '17 MB' }", "a message of more than 16 MB"),
        ("{ page: 'in front', opens: '/a', asks: '/b' }", "'opens' and 'asks' exclude each other"),
        ("{ deploy: 'v2', audience: { usr: 'x' } }", "unknown key 'usr' in audience"),
        (
            "{ deploy: 'embedded', audience: { user: 'x' } }",
            "the order to leave all downloaded versions for some devices only"
        ),
        ("{ deploy: 'v2', audience: {} }", "an audience of everybody"),
        ("{ check: true, audience: { user: 'x' } }", "'audience' does not go with 'check'"),
        (
            "{ deploy: 'v2', audience: { user: 'x' }, parts: 'files' }",
            "'audience' and 'parts' exclude each other"
        ),
        ("{ deploy: 'v2', serial: -1 }", "-1 is out of range for 'serial'"),
        ("{ fault: { diskError: 'ENOTDIR', call: 'read' } }", "'read' does not fail with ENOTDIR"),
        ("{ deploy: 'v2', serial: 3, parts: 'files' }", "files alone state neither serial nor date"),
        ("{ deploy: 'v2', date: '25h' }", "'25h' has no sign"),
        ("{ deploy: 'v2', date: '+25' }", "a number without its unit"),
        ("{ check: true, serial: 3 }", "'serial' does not go with 'check'"),
        ("{ kill: 'not answering' }", "'not answering' is not a keyword here"),
        ("{ fault: { status: 503, headers: { Age: 5 } } }", "'Age' can't be a number"),
        ("{ fault: 'refuse', path: 'api' }", "no page has an API to ask"),
        ("{ check: true, when: { asked: 'api' } }", "'api' is not a value for 'asked'"),
        ("{ disk: { file: 'table of v9', do: { remove: true } } }", "no version is named 'v9'"),
        ("{ disk: { file: 'part of v2:/x.js', do: { remove: true } } }", "'v2' has no file '/x.js'"),
        (
            "{ disk: { file: 'stray in records', do: { create: '1 KB' } } }",
            "'records' is no folder of the store"
        ),
        ("{ disk: { file: 'stray in tables', do: { remove: true } } }", "a stray file can only be created"),
        ("{ disk: { file: 'record', do: { create: '1 KB' } } }", "only a stray file is created"),
        ("{ disk: { file: 'starts', do: { newerFormat: true } } }", "only a record has a newer format"),
        ("{ page: 'old', calls: 'onError' }", "'old' is not a value for 'page'"),
        ("{ fault: 'refused' }", "'refused' is not a keyword here"),
        ("{ fault: { slow: 'disk reads' } }", "'slow' needs 'by'"),
        ("{ fault: { reset: '30 KB' } }", "'30 KB' does not begin with 'after'"),
        ("{ fault: { status: 99 } }", "99 is out of range for 'status'"),
        ("{ fault: 'refuse', path: '/ap.js' }", "'/ap.js' is not a value for 'path'"),
        ("{ disk: { file: 'v1', do: { remove: true } } }", "'v1' names no file of a version"),
        ("{ disk: { file: 'v1:/x.js', do: { remove: true } } }", "'v1' has no file '/x.js'"),
        ("{ kill: 'user', when: { stored: '101%', of: '/app.js' } }", "more than 100 %"),
        ("{ kill: 'user', when: { stored: '10%' } }", "'stored' needs 'of'"),
        ("{ kill: 'user', at: '1s', after: '2s' }", "'after' and 'at' exclude each other"),
        ("{ wait: '1s', when: { asked: '/app.js' } }", "'when' does not go with 'wait'"),
        ("{ set: { startupTimeout: '20 apples' } }", "'apples' is not a unit of a time"),
        ("{ expect: {} }", "an expectation of nothing"),
        ("{ expect: { running: 'v2' } }", "'v2' never gets there"),
        ("{ expect: { pending: 'v1' } }", "'v1' never gets there"),
        ("{ expect: { process: 'gone', running: 'v1' } }", "a version runs in a process that is gone"),
        ("{ expect: { page: 'ready' }, while: 'the page is in use' }", "'while' needs 'throughout'"),
        (
            "{ expect: { page: 'ready' }, within: '1s', throughout: '1s' }",
            "'within' and 'throughout' exclude each other"
        ),
        ("{ expect: { running: 'v1' }, since: 'flap' }", "'flap' is not a value for 'since'"),
        ("{ expect: { running: 'v1' }, since: 'm' }, { mark: 'm' }", "the mark 'm' is only named later"),
        ("{ mark: 'm' }, { mark: 'm' }", "two things are named 'm'"),
        ("{ mark: 'start' }", "'start' is a keyword of the language"),
        ("{ expect: { requests: { manifest: -1 } } }", "-1 is out of range for 'manifest'"),
        ("{ expect: { requests: { '/ap.js': 1 } } }", "no file of a version is named '/ap.js'"),
        ("{ expect: { requests: { other: 1 } } }", "unknown key 'other' in requests"),
        ("{ expect: { reloads: 1.5 } }", "'reloads' must be a whole number"),
        ("{ expect: { reloads: {} } }", "'reloads' says nothing"),
        (
            "{ expect: { reloads: { between: [3, 2] } } }",
            "no number is at least the one and at most the other"
        ),
        ("{ expect: { reloads: { between: [3, 2, 1] } } }", "'between' takes two numbers"),
        ("{ expect: { reloads: { exact: 1, atMost: 2 } } }", "'atMost' and 'exact' exclude each other"),
        ("{ expect: { bytes: 5 } }", "'bytes' can't be a number"),
        ("{ expect: { blacklist: 'v1' } }", "'blacklist' can't be text"),
        (
            "{ expect: { log: { has: ['launched'], hasNot: ['launched'] } } }",
            "'launched' both in and not in the list"
        ),
        ("{ expect: { answers: { asked: 'script' } } }", "missing key 'count' in answers"),
        ("{ check: '$x' }", "no case has a value 'x'"),
    ]

    @Test("each mistake in a step is reported once, on its line", arguments: steps)
    func step(text: String, message: String) {
        let all = reported(story(text + ", { expect: { page: 'ready' } }"))
        #expect(all.count == 1)
        #expect(all.allSatisfy { $0.hasPrefix("10:") && $0.hasSuffix(" " + message) }, "\(all)")
    }

    static let versions: [(String, [String])] = [
        ("v3: { from: 'v4' }, v4: { from: 'v3' }", ["'v3' comes from itself", "'v4' comes from itself"]),
        ("v3: { from: 'v3' }", ["'v3' comes from itself"]),
        ("v3: { changes: ['app.js'] }", ["'changes' needs 'from'"]),
        ("v3: { from: 'v1', changes: ['ap.js'] }", ["'v3' does not inherit '/ap.js'"]),
        ("v3: { files: { 'x.js': '2 KB' } }", ["'v3' has no index"]),
        ("v3: { from: 'v1', without: ['index.html'] }", ["'v3' has no index"]),
        ("v3: { from: 'v1', files: { 'x.js': { optional: true } } }", ["'/x.js' has no size"]),
        ("v3: { from: 'v1', files: { 'x.js': { same: 'v1:/y.js' } } }", ["'v1' has no file '/y.js'"]),
        (
            "v3: { from: 'v1', files: { 'x.js': { same: 'v4:/x.js' } } }, v4: { from: 'v3' }",
            ["the content of '/x.js' is nowhere made"]
        ),
        ("v3: { from: 'v1', files: { '../x.js': '1 KB' } }", ["'../x.js' is not a route"]),
        ("v3: { from: 'v1', files: { 'x.js': '1 kb' } }", ["'kb' is not a unit of a size"]),
        ("v3: { from: 'v1', startup: 'hang' }", ["'hang' is not a keyword here"]),
        (
            "v3: { from: 'v1', startup: { hangs: true, dies: 'page' } }",
            ["a startup with both 'hangs' and 'dies'"]
        ),
        ("v3: { from: 'v1', startup: { confirms: 'after 2s' } }", ["'confirms' needs 'usable'"]),
        ("v3: { from: 'v1', startup: { works: 2, after: '2s' } }", ["'after' needs 'dies'"]),
        (
            "v3: { from: 'v1', startup: { usble: 'after 1s', confirms: 'never' } }",
            ["unknown key 'usble' in startup"]
        ),
        ("v3: { from: 'v1', native: 'A' }", ["no native interface is named 'A'"]),
    ]

    @Test("each mistake in a version is reported", arguments: versions)
    func version(text: String, messages: [String]) {
        let all = reported(story("{ launch: true }, { expect: { page: 'ready' } }", versions: text))
        #expect(all.count == messages.count)
        for (line, message) in zip(all, messages) {
            #expect(line.hasPrefix("7:") && line.hasSuffix(" " + message))
        }
    }

    @Test("all mistakes of a file are reported at once, in the order of the file")
    func allAtOnce() {
        let text = story(
            "{ wait: 30 },\n{ expect: { process: 'gone', page: 'ready' } },\n{ lanch: true },",
            versions: "v3: { from: 'v1', changes: ['ap.js'] }", app: "embeds: 'v1', confirm: 'load'")
        #expect(
            reported(text) == [
                "3:33 'load' is not a keyword here", "7:33 'v3' does not inherit '/ap.js'",
                "10:13 'wait' can't be a number", "11:36 a page in a process that is gone",
                "12:3 unknown key 'lanch' in step",
            ])
    }

    @Test("another schema is refused before anything else")
    func schema() {
        #expect(reported("{ schema: 2, colour: 1 }") == ["1:11 schema 2 is not known here"])
    }

    @Test("a text that is empty or not an object is no scenario")
    func noObject() {
        #expect(reported("[]") == ["1:1 a scenario file holds one object"])
        #expect(reported("") == ["1:1 the text is empty"])
    }

    @Test("no expectation at all is a warning, and the scenario is still there")
    func nothingExpected() {
        let reading = read(story("{ launch: true }"))
        #expect(reading.diagnostics.map(\.code) == [.nothingExpected])
        #expect(!reading.hasErrors && reading.scenarios.count == 1)
    }

    @Test("liveness can be none only with a reason")
    func liveness() throws {
        let text = story("{ expect: { page: 'ready' } }")
        let silent = text.split(separator: "schema: 1,").joined(separator: "schema: 1, liveness: 'none',")
        #expect(reported(silent) == ["2:24 liveness: \"none\" needs 'because' beside it"])
        let reason = text.split(separator: "schema: 1,")
            .joined(separator: "schema: 1, liveness: 'none', because: 'the origin is gone',")
        guard case .none(let because) = try scenario(reason).liveness else {
            Issue.record("liveness is expected")
            return
        }
        #expect(because.value == "the origin is gone")
    }
}

@Suite("Wrong use of keywords is reported with its position and a fix")
struct WrongUseTests {
    static let faults: [(String, String, String?)] = [
        (
            "{ expect: { log: { hasNot: ['became-pendin'] } } }",
            "'became-pendin' is not a keyword here",
            "did you mean 'became-pending'?"
        ),
        ("{ never: {} }", "an expectation of nothing", "say what must hold"),
        (
            "{ never: { page: 'gone' }, within: '3s' }", "'within' does not go with 'never'",
            "it goes with 'expect'"
        ),
        (
            "{ always: { page: 'ready' }, when: { asked: 'manifest' } }", "'when' does not go with 'always'",
            nil
        ),
        (
            "{ expect: { page: 'ready' }, while: 'the page is in use' }", "'while' needs 'throughout'",
            "or say it with 'always' or 'never'"
        ),
        (
            "{ check: true, on: 'tablet' }", "no device of this scenario is named 'tablet'",
            "the file declares no device of this scenario"
        ),
        ("{ deploy: 'v2', on: 'tablet' }", "'on' does not go with 'deploy'", nil),
        (
            "{ deploy: 'v2' }, { expect: { blame: { v2: {} } } }", "blame that says nothing",
            "say cause, count or ended; 'blacklist' says that it is there"
        ),
        (
            "{ expect: { storedFiles: ['v1:/ap.js'] } }", "'v1' has no file '/ap.js'",
            "did you mean '/app.js'?"
        ),
        ("{ expect: { storedFiles: ['v9:/app.js'] } }", "no version is named 'v9'", nil),
        ("{ expect: { times: { lunch: '2s' } } }", "unknown key 'lunch' in times", "did you mean 'launch'?"),
        ("{ expect: { time: 20 } }", "'time' can't be a number", nil),
        ("{ expect: { logOf: { v3: ['launched'] } } }", "no version is named 'v3'", nil),
        (
            "{ page: 'in front', stores: 'cart', calls: 'release' }",
            "'stores' and 'calls' exclude each other", nil
        ),
        ("{ page: 'in front' }", "page: \"in front\" needs 'calls' or 'asks'", nil),
        ("{ expect: { answers: [] } }", "'answers' is too short", nil),
    ]

    @Test("each", arguments: faults)
    func each(steps: String, message: String, help: String?) {
        let reading = read(story(steps + ", { expect: { page: 'ready' } }"))
        let found = reading.diagnostics.first { $0.message.hasPrefix(message) }
        #expect(found != nil, "\(reading.diagnostics.map(\.message))")
        if let help { #expect(found?.help?.hasPrefix(help) == true, "\(found?.help ?? "no help")") }
        #expect(reading.scenarios.isEmpty)
    }

    @Test(
        "several devices: profiles are checked, 'device' beside them is too much, crashes are on one of them")
    func devices() {
        func messages(_ head: String, _ steps: String = "") -> [String] {
            let text = story(steps + "{ expect: { page: 'ready' } }")
                .replacingOccurrences(of: "title: 'A title',", with: "title: 'A title', \(head)")
            return read(text).diagnostics.map(\.message)
        }
        #expect(messages("devices: { a: 'plain', b: 'plain' },", "{ launch: true, on: 'b' }, ").isEmpty)
        #expect(
            messages("", "{ launch: true }, { deploy: 'embedded', order: 'force' }, ")
                == ["'order' beside \"embedded\""])
        #expect(messages("", "{ launch: true }, { deploy: 'embedded' }, ").isEmpty)
        #expect(messages("devices: { a: 'plan' },") == ["no device is named 'plan'"])
        #expect(
            messages("device: 'plain', devices: { a: 'plain' },") == [
                "'devices' and 'device' exclude each other"
            ])
        func crash(_ device: String) -> String {
            "{ crash: { operation: 1, of: 'launch', outcome: 'kill' }\(device) }, "
        }
        let two = "devices: { a: 'plain', b: 'plain' },"
        #expect(messages(two, crash(", on: 'b'") + crash(", on: 'b'") + "{ launch: true }, ").isEmpty)
        #expect(
            messages(two, crash("") + crash(", on: 'b'") + "{ launch: true }, ")
                == ["a second crash on another device"])
    }
}
