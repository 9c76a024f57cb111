import Core
import ScenarioLanguage
import Testing

private func action(_ text: String, versions: String = "") throws -> Action {
    let scenario = try scenario(story(text + ", { expect: { page: 'ready' } }", versions: versions))
    return try #require(scenario.steps.first).action
}

private func expectation(_ text: String) throws -> ScenarioLanguage.Expectation {
    let scenario = try scenario(story("{ deploy: 'v2' }, { expect: { \(text) } }"))
    guard case .expect(let expect) = scenario.steps[1].action else { throw Missing() }
    return expect.expectation
}

private struct Missing: Error {}

@Suite("The model has the values of the text")
struct ModelTests {
    static let durationTexts: [(String, Int64)] = [
        ("250ms", 250_000), ("20s", 20_000_000), ("3m", 180_000_000), ("6h", 21_600_000_000),
        ("1 day", 86_400_000_000), ("1d", 86_400_000_000), ("2 days", 172_800_000_000),
        ("1h 30m", 5_400_000_000), ("1m30s", 90_000_000), ("0s", 0), ("15us", 15),
    ]

    @Test("durations", arguments: durationTexts)
    func durations(text: String, microseconds: Int64) throws {
        guard case .wait(let span) = try action("{ wait: '\(text)' }") else { throw Missing() }
        #expect(span.value.microseconds == microseconds)
    }

    static let sizeTexts: [(String, Int)] = [
        ("40 KB", 40_000), ("1200 KB", 1_200_000), ("786432 B", 786_432), ("2 KiB", 2_048),
        ("1 MB", 1_000_000),
        ("3MiB", 3_145_728), ("0 B", 0),
    ]

    @Test("sizes", arguments: sizeTexts)
    func sizes(text: String, bytes: Int) throws {
        let scenario = try scenario(
            story("{ expect: { page: 'ready' } }", versions: "v3: { from: 'v1', files: { x: '\(text)' } }"))
        #expect(scenario.files(of: "v3").first { $0.route == "/x" }?.size == bytes)
    }

    @Test("amounts of a whole are exact, also of large files")
    func amounts() {
        #expect(Amount.percent(60).bytes(of: 600_001) == 360_000)
        #expect(Amount.percent(100).bytes(of: Int.max) == Int.max)
        #expect(Amount.percent(0).bytes(of: 5) == 0)
        #expect(Amount.bytes(7).bytes(of: 5) == 7)
    }

    @Test(
        "durations with a sign, serials and dates of a deploy",
        arguments: [("+1h 30m", 5_400), ("-90s", -90), ("+0s", 0)])
    func statedOrder(text: String, seconds: Int64) throws {
        guard case .deploy(let deploy) = try action("{ deploy: 'v2', serial: 7, date: '\(text)' }") else {
            throw Missing()
        }
        #expect(deploy.serial?.value == 7)
        #expect(deploy.date?.value == TimeSpan(microseconds: seconds * 1_000_000))
    }

    @Test("a field of an answer that is null is left out")
    func absentField() throws {
        let text = "{ fault: { status: 503, headers: { 'content-length': null, Age: '5' } } }"
        guard case .fault(let fault) = try action(text), case .status(503, let headers) = fault.kind else {
            throw Missing()
        }
        #expect(headers.map(\.value.value) == [nil, "5"])
    }

    @Test(
        "what can be damaged, each as it is printed",
        arguments: [
            "record", "records", "starts", "table of v2", "part of v2:/app.js", "list of the download",
            "v2:/app.js",
        ])
    func damageTargets(text: String) throws {
        guard case .disk(let disk) = try action("{ disk: { file: '\(text)', do: { remove: true } } }") else {
            throw Missing()
        }
        #expect(disk.file.value.text == text)
    }

    @Test("a stray file, a newer record, a fault of the API")
    func strayAndNewer() throws {
        guard
            case .disk(let stray) = try action(
                "{ disk: { file: 'stray in tables', do: { create: '4 KB' } } }"),
            case .disk(let newer) = try action("{ disk: { file: 'record', do: { newerFormat: true } } }")
        else { throw Missing() }
        #expect(stray.file.value == .stray(.tables) && stray.damage.value == .create(bytes: 4_000))
        #expect(newer.damage.value == .newerFormat)
        #expect(RequestSubject("api") == .api && RequestSubject.api.text == "api")
    }

    @Test("every trigger")
    func triggers() throws {
        let steps = """
            { check: true, at: '10s' }, { check: true, after: '3s' },
            { kill: 'system', when: { stored: '60%', of: 'app.js' } },
            { kill: 'low memory', when: { asked: '/app.js', nth: 2 } },
            { push: true, after: { confirmed: 'v2' } }, { check: true, when: { asked: 'manifest' } },
            { deploy: 'v2' }, { expect: { page: 'ready' } },
            """
        let triggers = try scenario(story(steps)).steps.map(\.trigger)
        let conditions = triggers.map { trigger -> TriggerCondition? in
            switch trigger {
            case .when(let condition), .after(let condition): condition.value
            default: nil
            }
        }
        guard case .at(let time) = triggers[0], case .delay(let delay) = triggers[1] else { throw Missing() }
        #expect(time.value == .seconds(10) && delay.value == .seconds(3))
        guard case .stored(.percent(60), of: let file) = conditions[2] else { throw Missing() }
        #expect(file.value == "/app.js")
        guard case .asked(let route, nth: 2) = conditions[3] else { throw Missing() }
        #expect(route == .route("/app.js"))
        guard case .after = triggers[4], case .confirmed(let version) = conditions[4] else { throw Missing() }
        #expect(version.value == "v2")
        guard case .asked(.manifest, nth: 1) = conditions[5] else { throw Missing() }
        #expect(triggers[6] == nil)
    }

    static let faults: [(String, FaultKind)] = [
        ("'refuse'", .refuse), ("'dns failure'", .dnsFailure), ("'connect time-out'", .connectTimeout),
        ("'offline'", .offline), ("'stale edge'", .staleEdge), ("'captive portal'", .captivePortal),
        ("'reset'", .reset(after: nil)), ("{ reset: 'after 30 KB' }", .reset(after: .bytes(30_000))),
        ("{ stall: 'after 60%' }", .stall(after: .percent(60))),
        ("{ truncate: 'after 50%' }", .truncate(.percent(50))),
        ("{ corrupt: '1 byte' }", .corrupt(bytes: 1, at: nil)),
        ("{ corrupt: '2 B', at: '10 KB' }", .corrupt(bytes: 2, at: .bytes(10_000))),
        ("{ status: 503 }", .status(503, headers: [])),
        ("{ slow: 'disk removes', by: '500ms' }", .slow(.diskRemoves, by: .milliseconds(500))),
        ("{ noSpace: 'after 100 KB' }", .noSpace(after: 100_000)),
    ]

    @Test("every kind of fault", arguments: faults)
    func faultKind(text: String, kind: FaultKind) throws {
        guard
            case .fault(let fault) = try action(
                "{ fault: \(text), path: '/app.js', nth: 2, for: '3s', times: 4 }")
        else { throw Missing() }
        #expect(fault.kind == kind)
        #expect(fault.target == .route("/app.js") && fault.nth?.value == 2)
        #expect(fault.duration?.value == .seconds(3) && fault.times?.value == 4)
    }

    @Test("a whole answer as a fault")
    func answer() throws {
        let text = """
            { fault: { answer: { status: 206, from: '5 B', etag: 'other', bytes: 'of v2',
              'retry-after': '90s',
              headers: { 'X-A': 'b' } } } }
            """
        guard case .fault(let fault) = try action(text), case .answer(let answer) = fault.kind else {
            throw Missing()
        }
        #expect(answer.status.value == 206 && answer.from?.value == 5 && answer.etag?.value == "other")
        #expect(answer.bytesOf?.value == "v2" && answer.retryAfter?.value == .seconds(90))
        #expect(answer.headers.map(\.name.value) == ["X-A"] && answer.headers.map(\.value.value) == ["b"])
    }

    static let startups: [(String, StartupBehaviour)] = [
        ("'normal'", .normal), ("'hangs'", .hangs), ("{ hangs: true }", .hangs),
        ("{ throws: 'at load' }", .throwsError(after: nil)),
        ("{ throws: 'after 2s' }", .throwsError(after: .seconds(2))),
        ("{ dies: 'process', after: '2s' }", .dies(.process, after: .seconds(2))),
        ("{ dies: 'page' }", .dies(.page, after: .zero)),
        ("{ ready: 'after 9s' }", .staged(usable: .seconds(9), confirms: .seconds(9))),
        ("{ usable: 'after 3s', confirms: 'never' }", .staged(usable: .seconds(3), confirms: nil)),
        (
            "{ usable: 'after 22s', confirms: 'after 25s' }",
            .staged(usable: .seconds(22), confirms: .seconds(25))
        ),
    ]

    @Test("every start-up", arguments: startups)
    func startup(text: String, behaviour: StartupBehaviour) throws {
        let scenario = try scenario(
            story("{ expect: { page: 'ready' } }", versions: "v3: { from: 'v1', startup: \(text) }"))
        #expect(scenario.version("v3")?.startup.behaviour == behaviour)
        #expect(scenario.version("v1")?.startup.behaviour == .normal)
    }

    @Test("first starts that fail, and starts on a native build")
    func startupVariants() throws {
        let text = story(
            "{ expect: { page: 'ready' } }",
            versions: """
                v3: { from: 'v1', startup: { fails: 2, how: 'hangs' } },
                v4: { from: 'v1', startup: { on: { B: { dies: 'process', after: '300ms' } } } },
                """, app: "builds: { '1': { embeds: 'v1', native: 'A' }, '2': { native: 'B' } }")
        let scenario = try scenario(text)
        let first = try #require(scenario.version("v3")?.startup.first)
        #expect(first.count.value == 2 && first.behaviour == .hangs)
        let native = try #require(scenario.version("v4")?.startup.onNative.first)
        #expect(native.native.value == "B" && native.startup == .dies(.process, after: .milliseconds(300)))
        #expect(scenario.app.builds.map(\.name.value) == ["1", "2"] && scenario.app.installed.value == "1")
        #expect(scenario.app.builds.map(\.embeds?.value) == ["v1", nil])
    }

    static let users: [(String, UserAction)] = [
        ("waits", .waits), ("taps", .taps), ("types", .types(from: nil, to: nil)),
        ("types from 5s to 3m", .types(from: .seconds(5), to: .minutes(3))), ("taps a link", .tapsLink),
        ("swipes the app away", .swipesAway), ("try again", .presses(.tryAgain)),
        ("looks for an update", .presses(.lookForUpdate)),
        ("sends the report", .presses(.sendReport)),
    ]

    @Test("every action of a user", arguments: users)
    func user(text: String, wanted: UserAction) throws {
        guard case .user(let action) = try action("{ user: '\(text)' }") else { throw Missing() }
        #expect(action == wanted)
    }

    @Test("counts: exact, at least, at most, between")
    func counts() throws {
        func bounds(_ text: String) throws -> [Int64?] {
            let bounds = try #require(try expectation("reloads: \(text)").reloads)
            return [bounds.atLeast, bounds.atMost]
        }
        #expect(try bounds("3") == [3, 3])
        #expect(try bounds("{ atLeast: 2 }") == [2, nil])
        #expect(try bounds("{ atMost: 4 }") == [nil, 4])
        #expect(try bounds("{ between: [1, 5] }") == [1, 5])
        #expect(try bounds("{ exact: 0 }") == [0, 0])
        let between = Bounds(atLeast: 1, atMost: 3, span: SourceSpan(start: 0, end: 0))
        #expect([0, 1, 3, 4].map { between.holds($0) } == [false, true, true, false])
    }

    @Test("null in an expectation is a value, a missing key is not")
    func null() throws {
        let expected = try expectation("pending: null, lastKnownGood: 'v1'")
        #expect(expected.pending != nil && expected.pending?.value == nil)
        #expect(expected.lastKnownGood?.value == "v1")
        #expect(expected.running == nil)
    }

    @Test("files that were fetched and requested")
    func requests() throws {
        let expected = try expectation(
            """
            fetched: { files: 1, has: ['app.js'], hasNot: ['/index.html'] },
            requests: { manifest: { atMost: 2 }, '/app.js': 1 }, bytes: { atMost: '1300 KB' }, whiteTime: '0s'
            """)
        #expect(expected.fetched?.files?.exact == 1)
        guard case .partial(let has, let hasNot, _) = expected.fetched?.routes else { throw Missing() }
        #expect(has.map(\.value) == ["/app.js"] && hasNot.map(\.value) == ["/index.html"])
        #expect(expected.requests?.manifest?.atMost == 2 && expected.requests?.files == nil)
        #expect(expected.requests?.routes.map(\.route.value) == ["/app.js"])
        #expect(expected.bytes?.atMost == 1_300_000 && expected.whiteTime?.exact == 0)
    }

    @Test("where counters begin, and how long an expectation is checked")
    func timing() throws {
        let steps = """
            { mark: 'here' }, { launch: true, as: 'first' },
            { expect: { reloads: 0 }, since: 'here' }, { expect: { reloads: 0 }, since: 'first' },
            { expect: { reloads: 0 }, since: 'launch' },
            { expect: { reloads: 0 }, since: 'start', within: '5s' },
            { expect: { reloads: 0 }, throughout: '3m', while: 'the page is in use' },
            """
        let expects = try scenario(story(steps)).steps.compactMap { step -> ExpectStep? in
            guard case .expect(let expect) = step.action else { return nil }
            return expect
        }
        #expect(expects.map(\.since?.value) == [.mark("here"), .step("first"), .verb(.launch), .start, nil])
        #expect(expects[3].within?.value == .seconds(5))
        #expect(expects[4].throughout?.value == .minutes(3) && expects[4].during?.value == .pageInUse)
    }

    @Test("a step's location is its object, and an expected value's location is the value")
    func spans() throws {
        let text = story("{ expect: { running: 'v1' }, because: 'so' }")
        let scenario = try scenario(text)
        let step = scenario.steps[0]
        #expect(scenario.source.text(of: step.span) == "{ expect: { running: 'v1' }, because: 'so' }")
        #expect(scenario.source.text(of: step.verbSpan) == "expect")
        guard case .expect(let expect) = step.action else { throw Missing() }
        #expect(expect.expectation.running.map { scenario.source.text(of: $0.span) } == "'v1'")
    }

    @Test("the id is the path below Scenarios, or the id in the file")
    func ids() throws {
        let text = story("{ expect: { page: 'ready' } }")
        for (path, id) in [
            ("/x/Scenarios/a/b.json5", "a/b"), ("b.json5", "b"), ("Scenarios/v1.2/c", "v1.2/c"),
        ] {
            #expect(ScenarioReader.read(path: path, bytes: Array(text.utf8)).scenarios.first?.id == id)
        }
        let named = text.split(separator: "schema: 1,").joined(separator: "schema: 1, id: 'mine',")
        #expect(try scenario(named).id == "mine")
    }

    @Test("defaults come from the table")
    func defaults() throws {
        let scenario = try scenario(story("{ deploy: 'v2' }, { expect: { page: 'ready' } }"))
        #expect(scenario.device.value == "plain" && scenario.seed == 1 && scenario.liveness == .expected)
        #expect(scenario.app.id.value == "com.example.shop" && scenario.app.manifest == .own)
        #expect(scenario.origin.edges.map(\.value) == ["origin"] && scenario.origin.route.value == "origin")
        guard case .deploy(let deploy) = scenario.steps[0].action else { throw Missing() }
        #expect(
            deploy.order == .update && deploy.parts == .all && deploy.keepsOldFiles && deploy.edges.isEmpty)
    }
}

@Suite("Identity of files")
struct FileIdentityTests {
    @Test("inherited content is the same, listed or changed content is new, `same` is equal on purpose")
    func identity() throws {
        let scenario = try scenario(
            story(
                "{ expect: { page: 'ready' } }",
                versions: """
                    v3: { from: 'v2', files: { 'app.js': '600 KB', 'old.js': { same: 'v1:/app.js' } } },
                    v4: { from: 'v3', without: ['old.js'], changes: ['index.html'] },
                    v5: { from: 'v4', files: { a: { same: 'v5:/b' }, b: '1 KB' } },
                    """))
        func content(_ version: String, _ route: String) -> String? {
            scenario.files(of: version).first { $0.route == route }.map {
                "\($0.content.version):\($0.content.route) \($0.size)"
            }
        }
        #expect(content("v2", "/index.html") == "v1:/index.html 2000")
        #expect(content("v2", "/app.js") == "v2:/app.js 600000")
        #expect(content("v3", "/app.js") == "v3:/app.js 600000")
        #expect(content("v3", "/old.js") == "v1:/app.js 600000")
        #expect(content("v4", "/old.js") == nil)
        #expect(content("v4", "/index.html") == "v4:/index.html 2000")
        #expect(content("v4", "/app.js") == "v3:/app.js 600000")
        #expect(content("v5", "/a") == "v5:/b 1000")
        #expect(scenario.files(of: "v5").map(\.route) == ["/a", "/app.js", "/b", "/index.html"])
        #expect(scenario.files(of: "v9").isEmpty)
    }
}
