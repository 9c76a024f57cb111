import Backend
import Core
import HTTP1
import ScenarioLanguage
import Testing
import Updater

@testable import World

@Suite("The link between device and origin")
struct LinkTests {
    private let one = TransferID(1)
    private let two = TransferID(2)

    private func begin(
        _ link: inout Link, _ id: TransferID, _ faults: [FaultKind] = [], isOffline: Bool = false
    )
        -> (Link.Stage, after: TimeSpan)
    {
        let request = OriginRequest(kind: .file("/app.js"), url: "https://updates.example.com/app.js")
        let plan = RequestPlan(faults)
        return link.begin(
            id, request, edge: 0, plan, connectTimeout: .seconds(15), isOffline: isOffline)
    }

    /// Serves until nothing is left; the instants at which bytes came, with their transfers.
    private func drain(_ link: inout Link) -> [(id: TransferID, bytes: Int, at: TimeSpan, end: BodyEnd?)] {
        var log: [(id: TransferID, bytes: Int, at: TimeSpan, end: BodyEnd?)] = []
        var at = TimeSpan.zero
        while let (id, bytes, after) = link.serve() {
            at += after
            let taken = link.take(id, bytes)
            log.append((id, taken.bytes.count, at, taken.end))
        }
        return log
    }

    @Test("A fresh connection costs its round trips, a used one does not")
    func connections() {
        var link = Link(LinkProfile())
        let fresh = begin(&link, one).after
        #expect(fresh == .milliseconds(250))
        link.end(one, keepsConnection: true)
        let used = begin(&link, two).after
        #expect(used == .milliseconds(50))
    }

    @Test("Ten megabits carry 1.25 MB in a second, and two transfers share them fairly")
    func bandwidth() throws {
        var link = Link(LinkProfile())
        let body = [UInt8](repeating: 7, count: 625_000)
        for id in [one, two] {
            _ = begin(&link, id)
            _ = link.answered(id, OriginAnswer(status: 200, body: AnswerBody(body)))
            let end = link.startBody(id)
            #expect(end == nil)
        }
        let log = drain(&link)
        let last = try #require(log.last)
        #expect(last.at >= .seconds(1) && last.at < .milliseconds(1_001))
        let firstEnd = try #require(log.first { $0.end == .whole })
        #expect(firstEnd.at > .milliseconds(900), "neither gets the line for itself")
        #expect(log.allSatisfy { $0.bytes <= Link.maxTurn })
        #expect(log.filter { $0.id == one }.reduce(0) { $0 + $1.bytes } == 625_000)
    }

    @Test("A cancelled transfer leaves the line to the others")
    func cancel() {
        var link = Link(LinkProfile())
        for id in [one, two] {
            _ = begin(&link, id)
            _ = link.answered(
                id, OriginAnswer(status: 200, body: AnswerBody([UInt8](repeating: 1, count: 100_000))))
            _ = link.startBody(id)
        }
        let first = link.serve()
        #expect(first?.0 == one)
        link.end(one, keepsConnection: false)
        let late = link.take(one, first?.bytes ?? 0).bytes
        #expect(late.isEmpty)
        let rest = drain(&link).map(\.id)
        #expect(!rest.isEmpty && rest.allSatisfy { $0 == two })
    }

    @Test("A paused transfer gets no turn until it goes on; the others have the line")
    func pause() {
        var link = Link(LinkProfile())
        for id in [one, two] {
            _ = begin(&link, id)
            _ = link.answered(
                id, OriginAnswer(status: 200, body: AnswerBody([UInt8](repeating: 1, count: 100_000))))
            _ = link.startBody(id)
        }
        link.pause(one, true)
        let others = drain(&link)
        #expect(others.allSatisfy { $0.id == two } && others.reduce(0) { $0 + $1.bytes } == 100_000)
        link.pause(one, false)
        let rest = drain(&link)
        #expect(rest.allSatisfy { $0.id == one } && rest.reduce(0) { $0 + $1.bytes } == 100_000)
    }

    @Test("What keeps a connection from coming about fails it in its time")
    func connectFaults() {
        let rows: [(FaultKind, TransferFailure, TimeSpan)] = [
            (.refuse, .refused, .milliseconds(100)), (.dnsFailure, .nameNotResolved, .milliseconds(100)),
            (.insecure, .insecure, .milliseconds(200)), (.connectTimeout, .connectTimeout, .seconds(15)),
        ]
        for (kind, failure, after) in rows {
            var link = Link(LinkProfile())
            let next = begin(&link, one, [kind])
            #expect(next.0 == .fails(failure), "\(kind)")
            #expect(next.after == after, "\(kind)")
        }
        var link = Link(LinkProfile())
        let offline = begin(&link, one, isOffline: true).0
        #expect(offline == .fails(.offline))
    }

    @Test("An answer is cut at the stated byte")
    func cuts() {
        func cut(
            _ kind: FaultKind, _ fields: HeaderFields = ["Content-Length": "1000"]
        ) -> (head: Bool, bytes: Int, end: BodyEnd?) {
            var link = Link(LinkProfile())
            _ = begin(&link, one, [kind])
            let body = AnswerBody([UInt8](repeating: 1, count: 1_000))
            let next = link.answered(one, OriginAnswer(status: 200, fields: fields, body: body))
            guard next?.0 == .head else { return (false, 0, nil) }
            if let end = link.startBody(one) { return (true, 0, end) }
            let log = drain(&link)
            return (true, log.reduce(0) { $0 + $1.bytes }, log.last?.end)
        }
        #expect(cut(.reset(after: nil)) == (false, 0, nil))
        #expect(cut(.stall(after: nil)) == (false, 0, nil))
        #expect(cut(.reset(after: .percent(40))) == (true, 400, .reset))
        #expect(cut(.stall(after: .bytes(123))) == (true, 123, .stall))
        #expect(cut(.truncate(.bytes(0))) == (true, 0, .truncate))
        // All that was announced has arrived.
        #expect(cut(.truncate(.bytes(5_000))) == (true, 1_000, .whole))
        // Without a length the connection's end is the body's; chunks show that some are missing.
        #expect(cut(.truncate(.bytes(300)), [:]) == (true, 300, .whole))
        #expect(cut(.reset(after: .bytes(300)), [:]) == (true, 300, .reset))
        #expect(
            cut(.truncate(.bytes(300)), ["Transfer-Encoding": "chunked"]) == (true, 300, .truncate))
        #expect(cut(.slow(.answers, by: .seconds(1))) == (true, 1_000, .whole))
    }

    @Test("A status without a body ends with its head, whatever happens to the connection then")
    func noBodyToCut() {
        for kind in [FaultKind.reset(after: .bytes(9)), .stall(after: .bytes(9)), .truncate(.bytes(9))] {
            for (status, end) in [(204, BodyEnd.whole), (304, .whole), (200, RequestPlan([kind]).end)] {
                var link = Link(LinkProfile())
                _ = begin(&link, one, [kind])
                _ = link.answered(one, OriginAnswer(status: status))
                let seen = link.startBody(one)
                // Without a length and without chunks, the connection's end is the body's.
                let isCutOff = kind == .truncate(.bytes(9))
                #expect(seen == (isCutOff ? .whole : end), "\(kind) \(status)")
            }
        }
    }

    @Test("What alters an answer alters it as it says")
    func alterations() throws {
        let library = try VersionLibrary(Shop.setup())
        let file = try #require(library.versions[0].file("/app.js"))
        let bytes = library.bytes(of: file)
        var answer = OriginAnswer(status: 200, body: AnswerBody(bytes), contentOf: VersionMask(bits: 1))
        answer.set("Date", "now")
        let request = OriginRequest(
            kind: .file("/app.js"), url: "https://updates.example.com/app.js",
            fields: ["Range": "bytes=1000-"])
        func altered(_ kind: FaultKind) -> OriginAnswer {
            RequestPlan([kind]).altered(answer, request, library, noise: 0xfeed)
        }
        let portal = altered(.captivePortal)
        #expect(portal.status == 200)
        let type = portal.field("Content-Type") ?? ""
        #expect(type.hasPrefix("text/html"))
        #expect(
            altered(
                .status(503, headers: [HeaderSpec(name: "Retry-After", value: Spanned<String?>(.some("7")))])
            ).field("retry-after")
                == "7")
        var bare = AnswerSpec(200)
        bare.headers = [HeaderSpec(name: "content-length", value: Spanned<String?>(nil))]
        let unmeasured = altered(.answer(bare))
        #expect(unmeasured.body.count == 60_000 && unmeasured.field("Content-Length") == nil)
        #expect(unmeasured.endsWithConnection && unmeasured.hasReadableFraming)
        let corrupt = altered(.corrupt(bytes: 3, at: .bytes(10)))
        #expect(
            zip(corrupt.body.bytes, bytes).enumerated().filter { $1.0 != $1.1 }.map(\.offset) == [10, 11, 12])
        #expect(corrupt.contentOf.isEmpty)
        var setup = AnswerSpec(206)
        setup.from = 0
        #expect(altered(.answer(setup)).field("Content-Range") == "bytes 0-59999/60000")
        setup.from = nil
        setup.bytesOf = "v2"
        setup.etag = "other"
        let other = altered(.answer(setup))
        let second = try #require(library.versions[1].file("/app.js"))
        #expect(other.body.bytes == Array(library.bytes(of: second)[1_000...]))
        #expect(other.field("ETag") == "\"other\"")
        #expect(other.contentOf == VersionMask(bits: 2))
        let refused = altered(.answer(AnswerSpec(416)))
        #expect(refused.status == 416 && refused.body.isEmpty)
    }

    @Test("A fault applies to the requests that it names, the nth, or a number of times")
    func board() throws {
        let library = try VersionLibrary(Shop.setup())
        func request(_ kind: OriginRequest.Kind) -> OriginRequest { OriginRequest(kind: kind, url: "x") }
        var board = ActiveFaults()
        var fault = FaultSpec(.refuse, target: "/app.js")
        fault.nth = 2
        board.begin(fault, as: "second")
        var twice = FaultSpec(.refuse, target: .manifest)
        twice.times = 2
        board.begin(twice, as: "twice")
        let rows: [(OriginRequest.Kind, [String])] = [
            (.file("/app.js"), []), (.file("/logo.png"), []), (.file("/app.js"), ["second"]),
            (.file("/app.js"), []), (.manifest, ["twice"]), (.manifest, ["twice"]), (.manifest, []),
        ]
        for (kind, expected) in rows {
            let applied = board.apply(to: request(kind), edge: "origin", library).map(\.id)
            #expect(applied == expected)
        }
        let healed = board.heal("second").map(\.id)
        #expect(healed == ["second"])
        let rest = board.heal(nil).map(\.id)
        #expect(rest == ["twice"])
        #expect(board.isEmpty)
    }

    @Test(
        "Retry-After and the length in a 416 are digits, or state nothing",
        arguments: ["+30", "-30", "3e1", "30"])
    func wholeNumbers(_ text: String) {
        var answer = OriginAnswer(status: 503)
        answer.set("Retry-After", text)
        #expect(answer.note(at: Self.time).retryAfter == (text == "30" ? TimeSpan.seconds(30) : nil))
        answer = OriginAnswer(status: 416)
        answer.set("Content-Range", "bytes */" + text)
        #expect(answer.note(at: Self.time).unsatisfiedLength == (text == "30" ? 30 : nil))
        answer = OriginAnswer(status: 206)
        answer.set("Content-Range", "bytes " + text + "-99/100")
        #expect(answer.note(at: Self.time).partFrom == (text == "30" ? 30 : nil))
    }

    private static let time = OriginTime(seconds: 1_790_000_000)

    @Test("An answer is misdated if it states no time, or one more than a day from the origin's")
    func misdated() {
        let day = TimeSpan.days(1)
        let dates: [(date: OriginTime, isMisdated: Bool)] = [
            (Self.time, false), (Self.time + day, false), (Self.time + (.zero - day), false),
            (Self.time + day + .seconds(1), true), (Self.time + (.zero - day - .seconds(1)), true),
        ]
        var answer = OriginAnswer(status: 200)
        #expect(answer.note(at: Self.time).isMisdated)
        answer.set("Date", "yesterday")
        #expect(answer.note(at: Self.time).isMisdated)
        for (date, isMisdated) in dates {
            answer.set("Date", HTTPDate.text(date))
            #expect(answer.note(at: Self.time).isMisdated == isMisdated, "\(date)")
        }
    }

    @Test("A body has a coding if its answer states another one than identity")
    func codings() {
        for (coding, isCoded) in [(nil, false), ("identity", false), ("Identity", false), ("gzip", true)] {
            var answer = OriginAnswer(status: 200)
            if let coding { answer.set("Content-Encoding", coding) }
            #expect(answer.note(at: Self.time).isCoded == isCoded)
        }
    }
}
