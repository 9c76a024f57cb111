import AppHost
import Backend
import Core
import LocalServer
import Testing
import Updater

@testable import Runner

@Suite("How long pages wait for the local server")
struct AnswerTimesReaderTests {
    private var reader = AnswerTimesReader()
    private let load = PageLoadToken(7)

    private mutating func observe(_ at: Int64, _ kind: TraceEvent.Kind) {
        reader.observe(TraceEvent(ordinal: 1, at: .zero + .milliseconds(at), device: 0, kind: kind))
    }

    private func request(_ target: String, _ destination: PageRequest.Destination = .script) -> PageRequest {
        PageRequest(
            webView: .first, load: destination == .document ? nil : load, target: target,
            destination: destination)
    }

    private func answer(_ status: Int = 200, isWhole: Bool = true, isCached: Bool = false) -> PageAnswer {
        PageAnswer(
            status: status, type: "text/html", bytes: 1, contentOf: VersionMask(), isWhole: isWhole,
            source: isCached ? .cache : .server)
    }

    private mutating func updates(_ at: Int64, _ isUnderWay: Bool) {
        var status = UpdaterStatus()
        status.downloading = isUnderWay ? VersionKey(id: "v2", digest: SHA256.hash(of: [])) : nil
        observe(at, .status(status))
    }

    private func expect(
        idle: [Int64] = [], duringUpdate: [Int64] = [], _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(reader.idle == idle.map { .milliseconds($0) }, sourceLocation: location)
        #expect(reader.duringUpdate == duringUpdate.map { .milliseconds($0) }, sourceLocation: location)
    }

    @Test("A navigation is timed from its first request over the redirect to the end of the document")
    mutating func navigation() {
        observe(0, .navigation(.first, .reload, name: nil))
        observe(0, .pageRequested(request("/", .document)))
        observe(2, .pageRequested(request("/?otalab-load=7", .document)))
        var received = request("/?otalab-load=7", .document)
        received.load = load
        observe(5, .pageReceived(received, answer()))
        expect(idle: [5])
    }

    @Test("An answer is one during an update if an update was under way at some moment of it")
    mutating func update() {
        observe(0, .pageRequested(request("/a.js")))
        updates(1, true)
        observe(3, .pageReceived(request("/a.js"), answer()))
        observe(4, .pageRequested(request("/a.js")))
        updates(5, false)
        observe(8, .pageReceived(request("/a.js"), answer(304)))
        observe(9, .pageRequested(request("/a.js")))
        observe(10, .pageReceived(request("/a.js"), answer(404)))
        expect(idle: [1], duringUpdate: [3, 4])
        reader.reset()
        expect()
    }

    @Test("Equal requests are answered in their order")
    mutating func order() {
        observe(0, .pageRequested(request("/a.js")))
        observe(2, .pageRequested(request("/a.js")))
        observe(3, .pageReceived(request("/a.js"), answer()))
        observe(9, .pageReceived(request("/a.js"), answer()))
        expect(idle: [3, 7])
    }

    @Test("Answers that a connection, a process or the remote root made do not count")
    mutating func uncounted() {
        for lost in [answer(0, isWhole: false), answer(200, isWhole: false), answer(502), answer(504)] {
            observe(0, .pageRequested(request("/a.js")))
            observe(1, .pageReceived(request("/a.js"), lost))
        }
        let ends: [TraceEvent.Kind] = [
            .processEnded(.crash), .powerCut(survived: 0, of: 0), .suspended, .webProcessDied(.first),
            .pageClosed(.first, load: load),
            .answered(
                LocalServer.AccessLogEntry(
                    method: "GET", target: "/a.js", status: 200, type: nil, load: nil, site: nil,
                    isRemote: true)),
        ]
        for end in ends {
            observe(0, .pageRequested(request("/a.js")))
            observe(1, end)
            observe(2, .pageReceived(request("/a.js"), answer()))
        }
        observe(3, .pageRequested(request("/hashed.js")))
        observe(3, .pageReceived(request("/hashed.js"), answer(isCached: true)))
        observe(4, .navigation(.first, .link, name: nil))
        observe(4, .pageRequested(request("/", .document)))
        observe(5, .navigation(.first, .link, name: nil))
        observe(6, .pageRequested(request("/", .document)))
        observe(9, .pageReceived(request("/", .document), answer()))
        expect(idle: [3])
    }

    @Test("The median of an even number is the lower of the two in the middle; none of none")
    func summary() {
        let times = AnswerTimes([4, 1, 3, 2].map { TimeSpan.milliseconds($0) })
        #expect(times == AnswerTimes(count: 4, median: .milliseconds(2), worst: .milliseconds(4)))
        #expect(AnswerTimes([]) == nil)
    }
}
