import Core
import Testing
import Updater

@testable import AppHost

@Suite("The host's own log (T1), and what is refused many times (S10)")
struct HostLogTests {
    private func refusal(_ number: Int) -> LogEntry { LogEntry(.requestRefused, detail: "path=/\(number)") }

    private func details(_ entries: [LogEntry]) -> [String] { entries.map(\.detail) }

    @Test("The newest hundred entries are kept, and each is logged at once")
    func entries() {
        var log = HostLog()
        for number in 1...100 {
            let entry = LogEntry(.diskFailed, detail: "\(number)")
            #expect(log.append(entry, at: .zero) == [entry])
        }
        #expect(log.reportLines.count == 100 && log.reportLines.first?["facts"] == "1")
        _ = log.append(LogEntry(.diskFailed, detail: "101"), at: .zero)
        #expect(log.reportLines.count == 100)
        #expect(log.reportLines.first?["facts"] == "2" && log.reportLines.last?["facts"] == "101")
    }

    @Test("Lines are numbered from 1, messages before requests, and those after all other entries")
    func order() {
        var log = HostLog()
        for cause in [LogCause.requestRefused, .bridgeMessageRefused, .serverPortTaken] {
            _ = log.append(LogEntry(cause, detail: "a"), at: .zero)
        }
        #expect(log.reportLines.map { $0["n"] } == ["1", "2", "3"])
        #expect(
            log.reportLines.map { $0["cause"] } == [
                "server-port-taken", "bridge-message-refused", "request-refused",
            ])
    }

    @Test(
        "Twenty different refusals are kept, the newest; the number of the others is, with their repetitions"
    )
    func kept() {
        var log = RefusalLog(.requestRefused)
        for number in 1...20 { _ = log.append(refusal(number), at: .zero) }
        #expect(details(log.counted) == (1...20).map { "path=/\($0)" })
        for _ in 0..<2 { _ = log.append(refusal(1), at: .zero) }
        #expect(details(log.counted).last == "path=/1 times=3" && log.counted.count == 20)
        _ = log.append(refusal(21), at: .zero)
        #expect(details(log.counted).suffix(3) == ["path=/1 times=3", "path=/21", "earlier=1"])
        #expect(log.counted.count == 21)
        for number in 22...40 { _ = log.append(refusal(number), at: .zero) }
        #expect(details(log.counted).first == "path=/21" && details(log.counted).last == "earlier=22")
        #expect(log.counted.allSatisfy { $0.cause == .requestRefused })
    }

    @Test("Twenty are logged in each minute from the first one; then comes the number of the others")
    func logged() {
        var log = RefusalLog(.bridgeMessageRefused)
        var now = Instant.zero + .seconds(7)
        for minute in 0..<3 {
            for number in 0..<20 {
                let entry = refusal(number)
                let logged = log.append(entry, at: now)
                let isAfterOthers = minute > 0 && number == 0
                #expect(details(logged) == (isAfterOthers ? ["unlogged=2"] : []) + [entry.detail])
            }
            #expect(log.append(refusal(1), at: now) == [])
            #expect(log.append(refusal(1), at: now + .milliseconds(59_999)) == [])
            now = now + .minutes(1)
        }
        #expect(log.append(refusal(1), at: now).first?.cause == .bridgeMessageRefused)
    }
}
