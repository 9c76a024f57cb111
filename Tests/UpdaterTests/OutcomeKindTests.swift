import Core
import Testing

@testable import Updater

@Suite("T3: what an entry of the log means to an operator")
struct OutcomeKindTests {
    private static let kinds: [LogCause: VersionOutcome.Kind] = [
        .switched: .taken, .startConfirmed: .confirmed, .startFailedByPage: .failed,
        .startFailedByCrash: .failed, .startFailedNotResponding: .failed, .startFailedWebProcess: .failed,
        .startFailedByClock: .failed, .startUnclear: .unclear, .startUnclearByClock: .unclear,
        .startEndedInFront: .unclear, .parked: .parked, .rescued: .rescued, .blacklisted: .refused,
        .parkedOffer: .refused, .recalledOffer: .refused, .otherApp: .refused, .otherChannel: .refused,
        .nativeOutsideRange: .refused, .originChangeNotAllowed: .refused, .dateAhead: .refused,
        .noSpace: .refused,
    ]

    @Test("Each cause is of one kind or of none")
    func kinds() {
        for cause in LogCause.allCases {
            #expect(VersionOutcome.Kind(cause) == Self.kinds[cause], "\(cause)")
        }
    }

    @Test("The origin receives all that is known of an outcome, and no time where none is known")
    func json() {
        var outcome = VersionOutcome(
            id: "d-1", time: OriginTime(seconds: 9), version: "v2", native: "1.0", kind: .failed,
            cause: .startFailedByCrash)
        func text() -> String {
            var json = JSONWriter()
            outcome.write(to: &json)
            return String(decoding: json.bytes, as: UTF8.self)
        }
        let rest =
            #""version":"v2","native":"1.0","outcome":"failed","cause":"start-failed-by-crash"}"#
        #expect(text() == #"{"id":"d-1","time":9,"# + rest)
        outcome.time = nil
        #expect(text() == #"{"id":"d-1","# + rest)
    }

    @Test(
        "An outcome needs a version and an app that reports; a refusal counts once, everything else each time"
    )
    func recorded() throws {
        var updater = Updater()
        updater.settings.reportsOutcomes = true
        updater.record.device = "d"
        updater.record.native = "1.0"
        for _ in 1...2 {
            updater.recordOutcome(LogEntry(.startConfirmed, version: "v2"))
            updater.recordOutcome(LogEntry(.blacklisted, version: "v2"))
        }
        updater.recordOutcome(LogEntry(.blacklisted, version: "v3"))
        updater.recordOutcome(LogEntry(.recalledOffer, version: "v3"))
        updater.recordOutcome(LogEntry(.startConfirmed))
        updater.recordOutcome(LogEntry(.upToDate, version: "v2"))
        updater.settings.reportsOutcomes = false
        updater.recordOutcome(LogEntry(.startConfirmed, version: "v2"))
        #expect(updater.record.outcomes.map(\.id) == (1...5).map { "d-\($0)" })
        #expect(
            updater.record.outcomes.map { "\($0.cause.rawValue) \($0.version)" } == [
                "start-confirmed v2", "blacklisted v2", "start-confirmed v2", "blacklisted v3",
                "recalled-offer v3",
            ])
        #expect(updater.record.outcomes.allSatisfy { $0.native == "1.0" && $0.time == nil })
        #expect(updater.record.outcomeCount == 5)
        updater.settings.reportsOutcomes = true
        updater.record.reportedRefusals = ["recalled-offer v4"]
        updater.recordOutcome(LogEntry(.recalledOffer, version: "v4"))
        updater.recordOutcome(LogEntry(.startConfirmed, version: "v4"))
        #expect(updater.record.outcomes.count == 6, "the origin knows the refusal")
    }

    @Test("A report is over at any status, and taken at one of success alone")
    func statuses() throws {
        for (status, isTaken) in [
            (199, false), (200, true), (204, true), (299, true), (300, false), (400, false), (500, false),
        ] {
            var device = try Harness(embedded: Version("v1", serial: 1))
            device.settings.reportsOutcomes = true
            try device.start()
            device.offered = Version("v2", serial: 2)
            device.check()
            device.kill()
            try device.start()
            device.script = { $0.kind == .outcomes ? Reply(status) : nil }
            device.check()
            #expect(device.updater.outcomeUpload == nil && device.updater.record.outcomes.isEmpty == isTaken)
            #expect(device.causes(.outcomesNotTaken) == (isTaken ? 0 : 1), "\(status)")
            #expect(device.updater.durable.outcomes.isEmpty == isTaken)
        }
        // No transport does this: an end without a head says nothing.
        var headless = try Harness(embedded: Version("v1", serial: 1))
        headless.settings.reportsOutcomes = true
        try headless.start()
        headless.updater.outcomeUpload = OutcomeUpload(id: TransferID(99), reported: [])
        headless.send(.transfer(TransferID(99), .end))
        #expect(headless.logged.last?.detail == "count=0 status=0")
    }

    @Test("U5: a delay that the origin requests holds for the report too")
    func delayed() throws {
        for (status, waits) in [(503, true), (429, true), (404, false), (501, true)] {
            var device = try Harness(embedded: Version("v1", serial: 1))
            device.settings.reportsOutcomes = true
            try device.start()
            device.offered = Version("v2", serial: 2)
            device.check()
            device.kill()
            try device.start()
            device.script = { $0.kind == .outcomes ? Reply(status, [], [("Retry-After", "60")]) : nil }
            device.check()
            #expect(device.updater.isOriginDelayActive == waits, "\(status)")
            #expect(!device.updater.record.outcomes.isEmpty)
        }
    }
}
