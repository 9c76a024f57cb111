import Authoring
import Core
import Foundation
import Oracle
import Runner
import Search

/// `.last-run.json` in the folder of reports: the last verdict of each scenario, for `--failed`. A partial
/// run updates the scenarios that it ran and keeps the others.
package struct LastRun: Hashable, Sendable {
    /// The last result of one scenario.
    package struct Entry: Hashable, Sendable {
        package var name: String
        package var verdict: Verdict
        /// Path of the scenario file as it was given to the program; nil in files of older programs.
        package var file: String?
    }

    package static let file = ".last-run.json"
    static let schema = "otalab-last-run-1"

    /// Results, sorted by name.
    package var entries: [Entry] = []

    /// Reads the file in a folder of reports; nil when there is none.
    /// - Throws: ``ReportError`` when the file can't be read or has another format.
    package static func read(_ folder: String) throws(ReportError) -> LastRun? {
        let path = folder + "/" + file
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ReportError(path: path, why: "it can't be read")
        }
        guard let root = try? JSONReader.read(Array(data), dialect: .strict),
            root["schema"]?.string == schema, let items = root["scenarios"]?.array
        else { throw ReportError(path: path, why: "it is not what otalab writes") }
        var run = LastRun()
        for item in items {
            guard let name = item["name"]?.string,
                let verdict = item["verdict"]?.string.flatMap(Verdict.init(rawValue:))
            else { throw ReportError(path: path, why: "it is not what otalab writes") }
            run.entries.append(Entry(name: name, verdict: verdict, file: item["file"]?.string))
        }
        return run
    }

    /// Replaces the entries of the scenarios in `results`.
    mutating func update(with results: RunResults) {
        var known: [String: Entry] = [:]
        for entry in entries { known[entry.name] = entry }
        for scenario in results.scenarios {
            known[scenario.name] = Entry(
                name: scenario.name, verdict: scenario.verdict, file: scenario.file)
        }
        entries = known.values.sorted { $0.name < $1.name }
    }

    var bytes: [UInt8] {
        var json = JSONWriter(indent: 1)
        json.beginObject()
        json.member("schema", LastRun.schema)
        json.key("scenarios")
        json.beginArray()
        for entry in entries {
            json.beginObject()
            json.member("name", entry.name)
            json.member("verdict", entry.verdict.rawValue)
            if let file = entry.file { json.member("file", file) }
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes + [0x0a]
    }
}
