import Core
import Foundation
import Laboratory

/// `Reports/<run>/` with every format, and `Reports/latest` that names the newest.
///
/// What can go wrong: the folder can't be written (`ReportError` with the place); the verdict has been
/// printed by then.
public struct ReportFolder {
    let root: URL

    public init(_ path: String) { root = URL(fileURLWithPath: path) }

    /// - Returns: the path of the HTML page.
    public func write(_ results: RunResults) throws(ReportError) -> String {
        let name = ReportFolder.name(startedAt: results.startedAt, seed: results.seed)
        let folder = root.appendingPathComponent(name)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(ResultsJSON.bytes(results)).write(to: folder.appendingPathComponent("results.json"))
            try Data(JUnitReport.text(results).utf8).write(to: folder.appendingPathComponent("junit.xml"))
            let page = folder.appendingPathComponent("report.html")
            try Data(HTMLReport.text(results).utf8).write(to: page)
            try link(name)
            return page.relativePath
        } catch {
            throw ReportError(place: folder.path, why: "\(error.localizedDescription)")
        }
    }

    /// A link; where the system has none, a text file with the name.
    private func link(_ name: String) throws {
        let latest = root.appendingPathComponent("latest")
        let files = FileManager.default
        let attributes = try? files.attributesOfItem(atPath: latest.path)
        if attributes != nil {
            try files.removeItem(at: latest)
        }
        do {
            try files.createSymbolicLink(atPath: latest.path, withDestinationPath: name)
        } catch {
            try Data((name + "\n").utf8).write(to: latest)
        }
    }

    /// `2026-11-20T23-19-28Z-42`, of the wall clock and the seed.
    static func name(startedAt: Int64, seed: UInt64) -> String {
        let format = ISO8601DateFormatter()
        format.formatOptions = [.withInternetDateTime]
        let text = format.string(from: Date(timeIntervalSince1970: TimeInterval(startedAt)))
        return text.replacingOccurrences(of: ":", with: "-") + "-\(seed)"
    }
}

public struct ReportError: Error {
    public var place: String
    public var why: String
}
