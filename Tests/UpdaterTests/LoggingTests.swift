import Core
import Foundation
import Testing

@testable import Updater

@Suite("Log and error report")
struct LoggingTests {
    private static let report = SourceTree.root.appending(path: "Sources/Updater/Updater.docc/ErrorReport.md")

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

    @Test("T1: lines of a report have known keywords and fields, and unusual text stays within one line")
    func lines() throws {
        var device = try Harness.aboutToStart()
        let token = device.load(.processStart)
        device.send(.page(token, .failed("line one\nlog n=1 cause=forged 100 % ✓\u{7f}")))
        let report = device.updater.report()
        #expect(report.text.components(separatedBy: "\n").count == report.lines.count + 3)
        #expect(!report.text.contains("\nlog n=1 cause=forged"))
        let version = try #require(report.lines.first { $0.keyword == "version" && $0["id"] == "v2" })
        #expect(version["state"] == "failed-once" && version["roles"] == "pending")
        for line in report.lines {
            let keyword = try #require(ReportKeyword(rawValue: line.keyword), "\(line.keyword)")
            for field in line.fields { #expect(keyword.fields.contains(field.name), "\(line.text)") }
        }
    }

    @Test("T1: the format's page contains the table of keywords")
    func reportPage() throws {
        var lines = ["| line | fields | what it says |", "|---|---|---|"]
        for keyword in ReportKeyword.allCases {
            let fields = keyword.fields.map { "`\($0)`" }.joined(separator: " ")
            lines.append("| `\(keyword.rawValue)` | \(fields) | \(keyword.meaning) |")
        }
        let table = lines.joined(separator: "\n")
        let text = try GeneratedPage.text(at: LoggingTests.report, replacingTableWith: table)
        #expect(GeneratedPage.table(in: text) == table)
    }
}
