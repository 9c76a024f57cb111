import Core
import Foundation
import Testing

@testable import Updater

@Suite("Log and error report")
struct LoggingTests {
    private static let causes = SourceTree.root.appending(path: "Sources/Updater/Updater.docc/Causes.md")
    private static let report = SourceTree.root.appending(path: "Sources/Updater/Updater.docc/ErrorReport.md")

    @Test("T1: every cause is in the table once, and the page contains that table")
    func page() throws {
        let meanings = LogCause.meanings
        for cause in LogCause.allCases {
            #expect(meanings.count { $0.cause == cause } == 1, "\(cause.rawValue)")
        }
        #expect(Set(meanings.map(\.meaning)).count == meanings.count, "each cause is distinct")
        var lines = ["| cause | kind | rules | what it means |", "|---|---|---|---|"]
        for meaning in meanings {
            lines.append(
                "| `\(meaning.cause.rawValue)` | \(meaning.kind.rawValue) | \(meaning.rules) | \(meaning.meaning) |"
            )
        }
        let table = lines.joined(separator: "\n")
        let text = try GeneratedPage.text(at: LoggingTests.causes, replacingTableWith: table)
        #expect(GeneratedPage.table(in: text) == table)
    }

    @Test("T1: every cause is logged by some line of code")
    func used() throws {
        var text = ""
        for room in ["Updater", "AppHost"] {
            let folder = SourceTree.root.appending(path: "Sources/\(room)")
            let names = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap {
                $0 as? String
            }
            for name in names where name.hasSuffix(".swift") {
                if name.hasSuffix("LogCause.swift") { continue }
                text += try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            }
        }
        for cause in LogCause.allCases {
            #expect(text.contains(try Regex("\\.\(cause)\\b")), "\(cause.rawValue) is never logged")
        }
    }

    @Test("T1: the log is bounded, and survives the process with the next write of the record")
    func log() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        for _ in 0..<150 { device.check() }
        device.kill()
        try device.launch()
        #expect(device.updater.record.log.count <= StoreRecord.logLimit)
        device.load(.processStart)
        device.kill()
        try device.launch()
        let log = device.updater.record.log
        #expect(log.contains { $0.cause == .startUnclear } && log.contains { $0.cause == .startMarked })
        #expect(log.count { $0.cause == .launched } >= 2)
    }

    @Test("T1: a report is read back as it was written, and unusual text stays within one line")
    func roundTrip() throws {
        var device = try Harness.aboutToStart()
        let token = device.load(.processStart)
        device.send(.page(token, .failed("line one\nlog n=1 cause=forged 100 % ✓\u{7f}")))
        let report = device.updater.report()
        let read = try #require(ErrorReport(text: report.text))
        #expect(read == report && read.isComplete && read.invalidLines.isEmpty)
        let version = try #require(read.lines(.version).first { $0["id"] == "v2" })
        #expect(version["state"] == "failed-once" && version["roles"] == "pending")
        #expect(!read.lines(.log).contains { $0["cause"] == "forged" })
        for line in read.lines {
            let keyword = try #require(ReportKeyword(rawValue: line.keyword), "\(line.keyword)")
            for field in line.fields { #expect(keyword.fields.contains(field.name), "\(line.text)") }
        }
        let windows = report.text.replacingOccurrences(of: "\n", with: "\r\n")
        #expect(ErrorReport(text: windows) == report)
    }

    @Test("T1: a report that was truncated, mixed with other text or is another's is recognised")
    func flaws() throws {
        let device = try Harness(embedded: Version("v1", serial: 1))
        var started = device
        try started.start()
        let text = started.updater.report().text
        let cut = try #require(ErrorReport(text: String(text.prefix(text.count / 2))))
        #expect(!cut.isComplete)
        var lines = text.components(separatedBy: "\n")
        lines.insert("Hello, my app is broken", at: 2)
        let mixed = try #require(ErrorReport(text: lines.joined(separator: "\n")))
        #expect(mixed.invalidLines == [3] && !mixed.isComplete)
        #expect(ErrorReport(text: "") == nil)
        #expect(ErrorReport(text: "otalab-report format=2\n") == nil)
        #expect(ReportLine(text: "log cause=%zz") == nil && ReportLine(text: "log cause=%4") == nil)
        #expect(ReportLine(text: "log cause") == nil && ReportLine(text: "") == nil)
    }

    @Test("T1: the format's page contains the table of keywords, and its example is valid")
    func reportPage() throws {
        var lines = ["| line | fields | what it says |", "|---|---|---|"]
        for keyword in ReportKeyword.allCases {
            let fields = keyword.fields.map { "`\($0)`" }.joined(separator: " ")
            lines.append("| `\(keyword.rawValue)` | \(fields) | \(keyword.meaning) |")
        }
        let table = lines.joined(separator: "\n")
        let text = try GeneratedPage.text(at: LoggingTests.report, replacingTableWith: table)
        #expect(GeneratedPage.table(in: text) == table)
        let blocks = text.components(separatedBy: "```")
        let example = try #require(blocks.first { $0.hasPrefix("text\notalab-report") })
        let report = try #require(ErrorReport(text: String(example.dropFirst(5))))
        #expect(report.isComplete && report.invalidLines.isEmpty && report.lines(.log).count > 5)
        for line in report.lines(.log) {
            #expect(LogCause(rawValue: line["cause"] ?? "") != nil, "\(line.text)")
        }
    }
}
