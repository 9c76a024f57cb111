import AppHost
import Backend
import Core
import LocalServer
import ScenarioLanguage
import Testing
import Updater
import World

@testable import Oracle
@testable import Runner

@Suite("Reporting: S7, T2 and T3 fire when they are broken, and only then")
struct ReportingCheckerTests {
    // MARK: - S7

    private func forwarding(_ target: String, _ fields: [(name: String, value: String)]) -> [String] {
        var stage = Stage.running(CleanForwarding())
        stage.observed.port = 12_308
        let request = ForwardedRequest(
            method: "GET", target: target,
            fields: fields.map { ForwardedRequest.Field(name: $0.name, value: $0.value) })
        stage.emit(.forwarded(request))
        return stage.broken
    }

    @Test("S7 is content with what the page sent, and with the fields of the server's own connection")
    func clean() {
        let usual = [
            ("Host", "api.example.com"), ("Origin", "http://api.example.com"), ("Connection", "close"),
        ]
        #expect(forwarding("/api/x?a=1", usual) == [])
        #expect(forwarding("/api/x", usual + [("Transfer-Encoding", "chunked")]) == [])
        #expect(forwarding("/api/x", [("Upgrade", "websocket"), ("Connection", "Upgrade")]) == [])
        #expect(forwarding("/api/x", [("Cookie", "session=1")]) == [])
    }

    @Test(
        "S7 fires when the remote root learns key, page load or port, or gets a field of the page's own",
        arguments: [
            ("Cookie", "otalab-key-12308=00ff"), ("Cookie", "a=b; otalab-load=01"),
            ("Referer", "http://localhost:12308/"), ("Host", "localhost:12308"), ("TE", "trailers"),
            ("Origin", "http://localhost:12308"), ("Connection", "keep-alive"), ("Keep-Alive", "timeout=5"),
            ("Upgrade", "h2c"), ("Transfer-Encoding", "gzip"), ("Proxy-Authorization", "x"),
        ])
    func unclean(_ field: (String, String)) {
        #expect(forwarding("/api/x", [field]) == ["S7"])
    }

    private static func request(
        _ kind: ClientKind = .app, key: Bool = true, ownHost: Bool = true,
        fields: [(String, String)] = []
    ) -> ClientRequest {
        ClientRequest(
            kind: kind, method: "GET", target: "/app.js",
            fields: [.init(name: "Host", value: "localhost:12308")]
                + fields.map { .init(name: $0.0, value: $0.1) }, hasKey: key, namesOwnHost: ownHost)
    }

    private static let foreign: [ClientRequest] = [
        request(key: false), request(ownHost: false),
        request(.page, fields: [("Sec-Fetch-Site", "cross-site")]),
        request(.neighbour, fields: [("Sec-Fetch-Site", "same-site")]),
        request(.neighbour, fields: [("Origin", "http://localhost:12309")]),
    ]

    @Test("S6 fires when a client that is no page of the app gets anything but a refusal")
    func clients() {
        for request in Self.foreign {
            for (status, broken) in [(200, true), (304, true), (403, false), (421, false), (0, false)] {
                var stage = Stage.running(OwnPagesOnly())
                stage.emit(.clientAnswered(request, status: status))
                #expect(stage.broken == (broken ? ["S6"] : []), "\(request) \(status)")
            }
        }
        var stage = Stage.running(OwnPagesOnly())
        stage.emit(.clientAnswered(Self.request(), status: 200))
        let own = [("Origin", "http://localhost:12308"), ("Sec-Fetch-Site", "same-origin")]
        stage.emit(.clientAnswered(Self.request(fields: own), status: 200))
        #expect(stage.broken == [], "no server can distinguish these from a page's")
    }

    @Test("S7 fires when the target names the page load")
    func target() {
        #expect(forwarding("/api/x?otalab-load=0123456789abcdef", []) == ["S7"])
    }

    // MARK: - T2

    private static func message(_ event: Int, _ method: String, _ params: String) -> TraceEvent.Kind {
        let text = #"{"event":\#(event),"method":"\#(method)","params":{\#(params)}}"#
        return .messageDelivered(.first, Array(text.utf8))
    }

    private static func ready(_ event: Int, _ version: String = "v2") -> TraceEvent.Kind {
        message(event, "newVersionReady", #""version":"\#(version)""#)
    }

    private static func error(_ event: Int, _ cause: String) -> TraceEvent.Kind {
        message(event, "error", #""cause":"\#(cause)""#)
    }

    /// v1 is shown, and v2 is pending.
    private func notified() -> Stage {
        var stage = Stage.running(NoticesOnce())
        stage.open(Stage.v1, Stage.token(1))
        stage.becomePending(Stage.v2)
        stage.wait(.seconds(1))
        return stage
    }

    @Test("T2 fires when a document gets a notification twice; the next document may get it again")
    func twice() {
        var stage = notified()
        stage.emit(Self.ready(1))
        var next = stage
        next.open(Stage.v1, Stage.token(2))
        next.emit(Self.ready(1))
        #expect(next.broken == [])
        for number in [3, 4] as [UInt64] {
            next.open(Stage.v1, Stage.token(number))
            next.emit(Self.ready(1))
        }
        #expect(next.broken == ["T2"], "it was sent to a fourth page")
        stage.emit(Self.ready(1))
        #expect(stage.broken == ["T2"])
    }

    @Test("T2 fires when a page is notified of a failure that is none of a check, or in no entry")
    func unlogged() {
        for (detail, isOfCheck) in [("clean-up: EIO in list", false), ("EIO in write", true)] {
            var stage = notified()
            stage.emit(Self.error(1, "disk-failed"))
            stage.wait(.seconds(1))
            stage.log(.diskFailed, nil, detail)
            stage.wait(.seconds(2))
            #expect(stage.broken == (isOfCheck ? [] : ["T2"]), "\(detail)")
        }
        var silent = notified()
        silent.emit(Self.error(1, "check-failed"))
        silent.wait(.seconds(3))
        #expect(silent.broken == ["T2"])
    }

    @Test("T2 fires when a page is notified of its own version, or of one that is pending no more")
    func readyTooLate() {
        var own = notified()
        own.open(Stage.v2, Stage.token(2))
        own.emit(Self.ready(1))
        #expect(own.broken == ["T2"])
        var late = notified()
        late.status { $0.pending = nil }
        var onItsWay = late
        onItsWay.wait(.seconds(1))
        onItsWay.emit(Self.ready(1))
        #expect(onItsWay.broken == [])
        late.wait(.seconds(5))
        late.emit(Self.ready(1))
        #expect(late.broken == ["T2"])
    }

    @Test("T2 fires when a failure is reported again without a success, or with every retry")
    func errors() {
        var stage = notified()
        stage.log(.checkFailed)
        stage.emit(Self.error(1, "check-failed"), .checkRequested)
        var afterSuccess = stage
        stage.log(.checkFailed)
        stage.emit(Self.error(2, "check-failed"))
        #expect(stage.broken == [], "the entry of a success may still wait for the record")
        var written = stage
        written.log(.upToDate, Stage.v1)
        written.log(.checkFailed)
        written.wait(.seconds(3))
        #expect(written.broken == [])
        stage.wait(.seconds(3))
        #expect(stage.broken == ["T2"])
        afterSuccess.log(.upToDate, Stage.v1)
        afterSuccess.log(.checkFailed)
        afterSuccess.emit(Self.error(2, "check-failed"))
        #expect(afterSuccess.broken == [])
        // One for the launch, and one for a download that was under way; the third is a retry's.
        var retried = Stage.running(NoticesOnce())
        retried.open(Stage.v1, Stage.token(1))
        retried.emit(Self.error(1, "check-failed"), Self.error(2, "status-refused"))
        #expect(retried.broken == [])
        retried.emit(Self.error(3, "length-mismatch"))
        #expect(retried.broken == ["T2"])
    }

    // MARK: - T3

    private static func report(_ transfer: UInt32, _ outcomes: String...) -> [TraceEvent.Kind] {
        let items = outcomes.map { text in
            let parts = text.split(separator: " ").map(String.init)
            return
                #"{"id":"\#(parts[0])","version":"v2","native":"1.0","outcome":"\#(parts[1])","cause":"x"}"#
        }
        let body = "[" + items.joined(separator: ",") + "]"
        return [Stage.sent(transfer, .outcomes), .outcomes(Array(body.utf8))]
    }

    private func stage() -> Stage {
        var stage = Stage.running(OutcomesOnce())
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 1)) }
        return stage
    }

    private func answer(_ stage: inout Stage, _ transfer: UInt32, _ status: Int) {
        stage.emit(Stage.head(transfer, status), Stage.ended(transfer))
    }

    private func write(_ stage: inout Stage, generation: UInt64) {
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: generation)) }
    }

    @Test("T3 fires when an outcome is reported after the origin has accepted it and the record says so")
    func accepted() {
        var stage = stage()
        for event in Self.report(1, "d-1 taken") { stage.emit(event) }
        answer(&stage, 1, 204)
        var killed = stage
        write(&stage, generation: 3)
        for event in Self.report(2, "d-1 taken", "d-2 confirmed") { stage.emit(event) }
        #expect(stage.broken == ["T3"])
        // The process ended before the record was written.
        killed.launch()
        for event in Self.report(2, "d-1 taken", "d-2 confirmed") { killed.emit(event) }
        #expect(killed.broken == [])
    }

    @Test("T3: an answer of error accepts nothing: the outcome is in the next report")
    func refused() {
        var stage = stage()
        for event in Self.report(1, "d-1 taken") { stage.emit(event) }
        answer(&stage, 1, 503)
        write(&stage, generation: 3)
        var right = stage
        right.launch()
        for event in Self.report(2, "d-1 taken", "d-2 confirmed") { right.emit(event) }
        #expect(right.broken == [])
        stage.launch()
        for event in Self.report(2, "d-2 confirmed") { stage.emit(event) }
        #expect(stage.broken == ["T3"])
    }

    @Test("T3 fires when an id means two outcomes, or the device has another name")
    func ids() {
        var stage = stage()
        for event in Self.report(1, "d-1 taken") { stage.emit(event) }
        answer(&stage, 1, 200)
        var renamed = stage
        for event in Self.report(2, "d-1 failed") { stage.emit(event) }
        #expect(stage.broken == ["T3"])
        for event in Self.report(2, "e-2 failed") { renamed.emit(event) }
        #expect(renamed.broken == ["T3"])
    }
}
