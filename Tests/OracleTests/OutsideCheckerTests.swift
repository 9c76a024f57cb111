import AppHost
import Backend
import Core
import Testing
import Updater
import World

@testable import Oracle

@Suite("Somebody else's updater, judged from outside: X1, S1 and S2 fire when they are broken, and only then")
struct OutsideCheckerTests {
    private static func request(_ path: String, _ destination: PageRequest.Destination = .script)
        -> PageRequest
    {
        Stage.request(nil, path, destination)
    }

    private static let all = VersionMask(bits: 0b1111)

    // MARK: X1

    @Test("X1 is content with a page in time, a screen that offers a way on, and an app that is not in front")
    func comesUp() {
        var stage = Stage([ComesUp()])
        stage.launch()
        stage.wait(ComesUp.patience - .milliseconds(1))
        stage.emit(.contentShown(.first))
        stage.wait(.hours(1))
        var offline = Stage([ComesUp()])
        offline.launch()
        offline.emit(.screen(.recovery))
        offline.wait(.hours(1))
        var behind = Stage([ComesUp()])
        behind.emit(.launched(foreground: false, bootID: 1))
        behind.wait(.hours(1))
        var left = Stage([ComesUp()])
        left.launch()
        left.emit(.backgrounded)
        left.wait(.hours(1))
        // The page that was shown is still there.
        var back = Stage([ComesUp()])
        back.launch()
        back.emit(.contentShown(.first), .backgrounded, .foregrounded)
        back.wait(.hours(1))
        #expect(stage.broken + offline.broken + behind.broken + left.broken + back.broken == [])
    }

    @Test("X1 fires when the page is gone at the return, or was being loaded")
    func returnsWithout() {
        let ends: [TraceEvent.Kind] = [
            .webProcessDied(.first), .navigation(.first, .reload, name: nil),
        ]
        for end in ends {
            var stage = Stage([ComesUp()])
            stage.launch()
            stage.emit(.contentShown(.first), end, .backgrounded, .foregrounded)
            stage.wait(ComesUp.patience)
            #expect(stage.broken == ["X1"], "\(end)")
        }
    }

    @Test("X1 fires when the app in front shows nothing, after a launch and after its return")
    func staysDark() {
        var stage = Stage([ComesUp()])
        stage.launch()
        stage.emit(.screen(.loading(nil)))
        stage.wait(ComesUp.patience)
        #expect(stage.broken == ["X1"])
        var returned = Stage([ComesUp()])
        returned.emit(.launched(foreground: false, bootID: 1), .foregrounded)
        returned.wait(ComesUp.patience)
        #expect(returned.broken == ["X1"])
    }

    @Test("X1 is silent about an app that ships nothing, until it has shown something")
    func shipsNothing() {
        let app = AppSetup(
            id: "com.example.shop", builds: [BuildSetup(name: "1.0", embeds: nil, native: "A")])
        var stage = Stage([ComesUp()], app: app)
        stage.launch()
        stage.wait(.hours(1))
        #expect(stage.broken == [])
        stage.emit(.contentShown(.first), .processEnded(.user))
        stage.launch()
        stage.wait(ComesUp.patience)
        #expect(stage.broken == ["X1"])
    }

    @Test("X1 fires when the process ends by itself, not when the scenario ends it")
    func ends() {
        var stage = Stage([ComesUp()])
        stage.launch()
        stage.emit(.contentShown(.first), .processEnded(.crash))
        #expect(stage.broken == [])
        stage.launch()
        stage.emit(.processFailed("exit status 7"), .processEnded(.crash))
        #expect(stage.broken == ["X1"])
    }

    // MARK: S1 and S2

    @Test("S1 is content with files that one version has, whichever that is, and with another page's")
    func oneVersion() {
        var stage = Stage([BytesOfOneVersion()])
        stage.launch()
        stage.emit(.committed(.first, load: nil, Self.all))
        stage.emit(.pageReceived(Self.request("/style.css"), Stage.answer(of: 1, 2)))
        stage.emit(.pageReceived(Self.request("/app.js"), Stage.answer(of: 2)))
        stage.emit(.committed(.first, load: nil, Self.all))
        stage.emit(.pageReceived(Self.request("/app.js"), Stage.answer(of: 1)))
        // A script's own request may be for anything.
        stage.emit(.pageReceived(Self.request("/app.js", .fetch), Stage.answer(of: 3)))
        #expect(stage.broken == [])
    }

    @Test("S1 fires when a page gets files of two versions, by its index or by two files")
    func mixed() {
        var stage = Stage([BytesOfOneVersion()])
        stage.launch()
        stage.emit(.committed(.first, load: nil, Self.all))
        stage.emit(.pageReceived(Self.request("/style.css"), Stage.answer(of: 1)))
        stage.emit(.pageReceived(Self.request("/app.js"), Stage.answer(of: 2)))
        #expect(stage.broken == ["S1"])
        #expect(stage.headline == "A page got files of more than one version")
        var index = Stage([BytesOfOneVersion()])
        index.launch()
        index.emit(.committed(.first, load: nil, VersionMask(index: 1)))
        index.emit(.pageReceived(Self.request("/app.js"), Stage.answer(of: 2)))
        #expect(index.broken == ["S1"])
    }

    @Test("S2 fires on bytes that no version has, as a file and as the document")
    func unknownBytes() {
        var stage = Stage([BytesOfOneVersion()])
        stage.launch()
        stage.emit(.pageReceived(Self.request("/app.js"), Stage.answer(status: 404)))
        #expect(stage.broken == [])
        stage.emit(.pageReceived(Self.request("/app.js"), Stage.answer()))
        #expect(stage.broken == ["S2"])
        var document = Stage([BytesOfOneVersion()])
        document.launch()
        document.emit(.pageReceived(Self.request("/", .document), Stage.answer()))
        #expect(document.broken == ["S2"])
    }

    // MARK: What was shown

    @Test("a version was shown when a document's files are its alone, also if its index has not changed")
    func shown() {
        var number = 0
        func event(_ kind: TraceEvent.Kind) -> TraceEvent {
            number += 1
            return TraceEvent(ordinal: number, at: .zero, device: 0, process: 1, kind: kind)
        }
        let events = [
            event(.launched(foreground: true, bootID: 1)),
            event(.committed(.first, load: nil, VersionMask())),
            event(.pageReceived(Self.request("/style.css"), Stage.answer(of: 1, 2))),
            event(.pageReceived(Self.request("/app.js"), Stage.answer(of: 2))),
            event(.committed(.first, load: nil, VersionMask(index: 0))),
            event(.committed(.first, load: nil, Self.all)),
        ]
        #expect(ShownVersions.indices(in: events) == [2, 0])
        #expect(ShownVersions.indices(in: events.prefix(3)) == [])
    }

    // MARK: R3 by a declared policy

    private static func retries(_ retries: Int = 1) -> [any Checker] {
        [DeclaredRetries { .init(proof: .called, timeout: .seconds(20), retries: retries) }]
    }

    /// A start of v2 in a new process, with the app in front for this time.
    private static func start(_ stage: inout Stage, _ time: TimeSpan, proven: Bool = false) {
        stage.launch()
        stage.emit(.committed(.first, load: nil, Self.all))
        stage.emit(.pageReceived(Self.request("/app.js"), Stage.answer(of: 1)))
        if proven { stage.emit(.called(.first, .startupDidComplete, load: nil)) }
        stage.wait(time)
        stage.emit(.processEnded(.user))
    }

    @Test("A version may fail once more than it is retried, and not be shown after that")
    func retried() {
        var stage = Stage(Self.retries())
        for _ in 1...2 { Self.start(&stage, .seconds(25)) }
        #expect(stage.broken == [])
        Self.start(&stage, .seconds(1))
        #expect(stage.broken == ["R3"])
        var once = Stage(Self.retries(0))
        Self.start(&once, .seconds(25))
        #expect(once.broken == [])
        Self.start(&once, .seconds(1))
        #expect(once.broken == ["R3"])
    }

    @Test("A start that was too short proves nothing, and a proof lets failures count from zero")
    func proofs() {
        var short = Stage(Self.retries())
        for _ in 1...5 { Self.start(&short, .seconds(24)) }
        #expect(short.broken == [])
        var proven = Stage(Self.retries())
        for _ in 1...4 {
            Self.start(&proven, .seconds(25))
            Self.start(&proven, .seconds(25), proven: true)
        }
        #expect(proven.broken == [])
    }

    @Test("Crashes and the page's own word are failures; a page loaded again is the same start")
    func failures() {
        for end in [TraceEvent.Kind.processEnded(.crash), .called(.first, .startupDidFail, load: nil)] {
            var stage = Stage(Self.retries())
            for number in 1...3 {
                stage.launch()
                stage.emit(.committed(.first, load: nil, VersionMask(index: 1)))
                #expect(stage.broken == (number == 3 ? ["R3"] : []))
                stage.emit(end)
            }
        }
        var reloaded = Stage(Self.retries())
        reloaded.launch()
        for _ in 1...5 {
            reloaded.emit(.committed(.first, load: nil, VersionMask(index: 1)))
            reloaded.wait(.seconds(25))
        }
        #expect(reloaded.broken == [])
    }

    @Test("The embedded version, which nothing can replace, is not judged, nor one that gets another chance")
    func chances() {
        var embedded = Stage(Self.retries())
        for _ in 1...5 {
            embedded.launch()
            embedded.emit(.committed(.first, load: nil, VersionMask(index: 0)))
            embedded.wait(.seconds(25))
        }
        #expect(embedded.broken == [])
        var unblocked = Stage(Self.retries())
        for _ in 1...2 { Self.start(&unblocked, .seconds(25)) }
        unblocked.emit(.unblocked(["v2"]))
        Self.start(&unblocked, .seconds(25))
        #expect(unblocked.broken == [])
    }
}
