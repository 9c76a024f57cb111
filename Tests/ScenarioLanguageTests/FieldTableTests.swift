import Testing

@testable import ScenarioLanguage

private let schemas = ObjectSchema.all(from: .scenario) + ObjectSchema.all(from: .profile)

@Suite("The field table")
struct FieldTableTests {
    @Test("fields are unique, documented, and refer only to fields of their schema", arguments: schemas)
    func fields(schema: ObjectSchema) {
        let fields = schema.fields
        let keys = fields.map(\.key)
        for (index, field) in fields.enumerated() {
            #expect(!keys[..<index].contains(field.key), "\(field.key) twice")
            #expect(field.doc.hasSuffix(".") && field.doc.count > 5)
            let heads = fields.filter { $0.role == .head }.map(\.key)
            switch field.role {
            case .plain, .head: break
            case .with(let wanted), .without(let wanted): #expect(wanted.allSatisfy { heads.contains($0) })
            }
            let named = field.excludes + field.companions + (field.needs.map { [$0] } ?? [])
            #expect(named.allSatisfy { keys.contains($0) })
            #expect(!(field.isRequired && field.fallback != nil))
        }
        if schema.needsHead { #expect(fields.contains { $0.role == .head }) }
    }

    @Test("every verb of the model has a field, and every field of a verb has a case in the model")
    func verbs() {
        let heads = ObjectSchema.step.fields.filter { $0.role == .head }.map(\.key)
        #expect(heads.sorted() == Verb.allCases.map(\.rawValue).sorted())
    }

    /// The shortest form of each verb.
    static let shortest: [(Verb, String)] = [
        (.launch, "launch: true"), (.relaunch, "relaunch: 'background'"), (.kill, "kill: 'low memory'"),
        (.powerCut, "powerCut: true"), (.restart, "restart: true"), (.background, "background: true"),
        (.foreground, "foreground: true"), (.active, "active: true"), (.inactive, "inactive: true"),
        (.suspend, "suspend: '5m'"), (.resume, "resume: true"), (.freeze, "freeze: '1m'"),
        (.socketsLost, "socketsLost: true"),
        (.storeUpdate, "storeUpdate: '1.0'"),
        (.deploy, "deploy: 'embedded'"), (.recall, "recall: ['v1', 'v2']"), (.unblock, "unblock: 'v2'"),
        (.check, "check: true"), (.push, "push: true"), (.page, "page: 'in front', asks: '/lazy.js'"),
        (.native, "native: { asks: 'cart' }"), (.user, "user: 'waits'"), (.client, "client: {}"),
        (.wait, "wait: '1s'"), (.settle, "settle: true"),
        (.expect, "expect: { page: 'ready' }"), (.always, "always: { page: 'ready' }"),
        (.never, "never: { page: 'gone' }"), (.mark, "mark: 'm'"),
        (.repeat, "repeat: 3, every: '1m', steps: [ { check: true } ]"),
        (.gap, "gap: { without: ['deploy', 'disk fault'], atMost: '6d' }"), (.route, "route: 'origin'"),
        (.network, "network: 'offline'"), (.fault, "fault: 'refuse'"), (.heal, "heal: true"),
        (.disk, "disk: { file: 'record', do: { flip: '1 byte' } }"), (.set, "set: { checks: 'manual' }"),
        (.crash, "crash: { operation: 1, of: 'launch', outcome: 'kill' }"),
    ]

    @Test("each button of the native screens has words of its own")
    func buttons() {
        for button in ScreenButton.allCases {
            #expect(TextScanner.userActions.contains { $0.action == .presses(button) }, "\(button)")
        }
    }

    @Test("every verb reads", arguments: shortest)
    func reads(verb: Verb, text: String) throws {
        let scenario = try scenario(story("{ \(text) }, { expect: { page: 'ready' } }"))
        #expect(scenario.steps[0].verb == verb)
    }

    @Test("the list of shortest forms is complete")
    func whole() { #expect(FieldTableTests.shortest.map(\.0) == Verb.allCases) }
}

@Suite("No text crashes the reader")
struct RobustnessTests {
    /// A small scenario with most of the language in it.
    static let sample = Array(
        story(
            """
            { launch: true, as: 'p' }, { deploy: 'v2', to: ['origin'] },
            { page: 'p', calls: 'onError', after: '2s' },
            { fault: { answer: { status: 206, from: '0 B', bytes: 'of v2' } }, path: '/app.js', nth: 2 },
            { repeat: 2, every: '1m', steps: [ { check: true }, { wait: '1m 30s' } ] },
            { expect: { running: 'v1', fetched: { has: ['/app.js'] }, reloads: { between: [0, 2] } },
              within: '3s' },
            """,
            versions: "v3: { from: 'v2', files: { 'x.js': { same: 'v2:/app.js' } }, startup: { fails: 1 } }"
        ).utf8)

    private func check(_ bytes: [UInt8]) -> Bool {
        let reading = ScenarioReader.read(path: "x.json5", bytes: bytes)
        #expect(reading.hasErrors == reading.scenarios.isEmpty)
        for diagnostic in reading.diagnostics {
            #expect(diagnostic.span.start >= 0 && diagnostic.span.end <= bytes.count)
            #expect(!DiagnosticRenderer.render(diagnostic).isEmpty)
        }
        return reading.hasErrors
    }

    @Test("a valid scenario with any token removed, doubled or replaced is read, or refused with a position")
    func mutations() {
        #expect(!check(RobustnessTests.sample))
        let text = String(decoding: RobustnessTests.sample, as: UTF8.self)
        let tokens = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        var refused = 0
        for index in tokens.indices where !tokens[index].isEmpty {
            let old = tokens[index]
            for new in ["", old + " " + old, "null,", "'v3',", "'$x',", "{ },", "[ ],", "-7,", "'v3: '"] {
                var changed = tokens
                changed[index] = new
                if check(Array(changed.joined(separator: " ").utf8)) { refused += 1 }
            }
        }
        #expect(refused > tokens.count)
    }
}
