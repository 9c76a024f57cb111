import AppHost
import Backend
import Core
import LocalServer
import Oracle
import Testing
import Updater

@testable import Runner

@Suite("A rule that an effect breaks is broken by the decision behind it")
struct DecisionTests {
    private static let v1 = VersionKey(id: "v1", digest: Digest256(1, 1, 1, 1))
    private static let v2 = VersionKey(id: "v2", digest: Digest256(2, 2, 2, 2))

    /// A trace of one event each 10 ms.
    private static func trace(_ kinds: [TraceEvent.Kind], every span: TimeSpan = .milliseconds(10))
        -> [TraceEvent]
    {
        var at = Instant.zero
        return kinds.enumerated().map { index, kind in
            at = at + span
            return TraceEvent(ordinal: index + 1, at: at, device: 0, kind: kind)
        }
    }

    /// Number of the event that decided what the last one shows.
    private static func decided(_ trace: [TraceEvent], about versions: [String] = ["v2"]) throws -> Int? {
        let last = try #require(trace.last)
        return Decision(about: versions, VersionNames([])).behind(last, in: trace)?.ordinal
    }

    private static func log(_ cause: LogCause, _ id: String) -> TraceEvent.Kind {
        .log(LogEntry(cause, version: id))
    }

    private static func load(_ key: VersionKey) -> TraceEvent.Kind {
        .pageLoad(WebViewID(1), PageLoadToken(1), key)
    }

    @Test("A page load is decided by the switch or the rescue to its version")
    func pageLoad() throws {
        let switched = [Self.log(.switched, "v2"), Self.log(.startMarked, "v2"), Self.load(Self.v2)]
        #expect(try Self.decided(Self.trace(switched)) == 1)
        #expect(try Self.decided(Self.trace([Self.log(.rescued, "v2"), Self.load(Self.v2)])) == 1)
    }

    @Test(
        "Neither a switch to another version nor one that an earlier load showed nor one of an ended process")
    func otherSwitch() throws {
        #expect(try Self.decided(Self.trace([Self.log(.switched, "v1"), Self.load(Self.v2)])) == nil)
        let shown = [Self.log(.switched, "v2"), Self.load(Self.v2), Self.load(Self.v2)]
        #expect(try Self.decided(Self.trace(shown)) == nil)
        let ended = [Self.log(.switched, "v2"), .processEnded(.crash), Self.load(Self.v2)]
        #expect(try Self.decided(Self.trace(ended)) == nil)
    }

    @Test("A decision of more than five seconds before is none")
    func late() throws {
        let kinds = [Self.log(.switched, "v2"), Self.load(Self.v2)]
        #expect(try Self.decided(Self.trace(kinds, every: .seconds(5))) == 1)
        #expect(try Self.decided(Self.trace(kinds, every: .seconds(6))) == nil)
    }

    @Test("Of several values that differ, the first decision counts; a failure about no version takes any")
    func severalValues() throws {
        var before = UpdaterStatus()
        before.parked = [Self.v2]
        var after = UpdaterStatus()
        after.pending = Self.v2
        let kinds = [
            .status(before), Self.log(.parkingEnded, "v2"), Self.log(.becamePending, "v2"), .status(after),
        ]
        #expect(try Self.decided(Self.trace(kinds)) == 2)
        #expect(try Self.decided(Self.trace(kinds), about: []) == 2)
    }

    @Test("The status before may be old, only the decision may not")
    func oldStatus() throws {
        var before = UpdaterStatus()
        before.blacklist = [Self.v2]
        var trace = Self.trace([.status(before), Self.log(.blacklistEnded, "v2"), .status(UpdaterStatus())])
        trace[0].at = .zero
        trace[1].at = .zero + .seconds(90)
        trace[2].at = .zero + .seconds(91)
        #expect(try Self.decided(trace) == 2)
    }

    @Test("A version that was left and pends again: the switch to it decided neither")
    func pendingAgain() throws {
        var before = UpdaterStatus()
        before.current = Self.v2
        var after = UpdaterStatus()
        (after.current, after.pending, after.blacklist) = (Self.v1, Self.v2, [Self.v2])
        let kinds = [
            Self.log(.switched, "v2"), .status(before), Self.log(.blacklistEntry, "v2"),
            Self.log(.rescued, "v1"), .status(after),
        ]
        #expect(try Self.decided(Self.trace(kinds)) == 3)
    }

    @Test("A status is decided by the entry for what differs, of the version that the failure names")
    func status() throws {
        var before = UpdaterStatus()
        before.blacklist = [Self.v2]
        let after = UpdaterStatus()
        let kinds = [
            .status(before), Self.log(.blacklistEnded, "v2"), Self.log(.downloadStarted, "v2"),
            Self.log(.blacklistEnded, "v1"), .status(after),
        ]
        #expect(try Self.decided(Self.trace(kinds)) == 2)
        #expect(try Self.decided(Self.trace(kinds), about: ["v3"]) == nil)
        #expect(
            try Self.decided(Self.trace([.status(after), Self.log(.blacklistEnded, "v2"), .status(after)]))
                == nil)
    }
}
