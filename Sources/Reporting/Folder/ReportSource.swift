import Foundation
import Runner

/// Reads results from a `results.json`, from the folder of a report, or from a folder of such folders.
package enum ReportSource {
    /// - Throws: ``ReportError`` with the file and what is wrong in it.
    package static func read(_ path: String) throws(ReportError) -> RunResults {
        let file = try results(in: path)
        return try load(file)
    }

    /// As ``read(_:)``, also for a search over crash points; for a folder without a `results.json`, the
    /// results of all folders below it (artifacts of several jobs, unpacked side by side). Links are not
    /// followed.
    package static func readAll(_ path: String) throws(ReportError) -> [(
        path: String, results: StoredResults
    )] {
        if FileManager.default.fileExists(atPath: path + "/results.json") || !isFolder(path) {
            let file = try results(in: path)
            let folder = file.hasSuffix("/results.json") ? String(file.dropLast(13)) : path
            return [(isFolder(path) ? path : folder, try loadStored(file))]
        }
        var found: [(path: String, results: StoredResults)] = []
        for folder in below(path, depth: 4) {
            found.append((folder, try loadStored(folder + "/results.json")))
        }
        if found.isEmpty { throw ReportError(path: path, why: "there is no results.json in it or below") }
        return found
    }

    private static func loadStored(_ file: String) throws(ReportError) -> StoredResults {
        try load(file) { (bytes) throws(ResultsFault) in try ResultsJSON.readStored(bytes) }
    }

    private static func below(_ path: String, depth: Int) -> [String] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
        var found: [String] = []
        // A folder of a run that was killed while it wrote.
        for name in names where !name.hasSuffix(".unfinished") {
            let inner = path + "/" + name
            let type = try? FileManager.default.attributesOfItem(atPath: inner)[.type] as? FileAttributeType
            guard type == .typeDirectory else { continue }
            if FileManager.default.fileExists(atPath: inner + "/results.json") {
                found.append(inner)
            } else if depth > 1 {
                found += below(inner, depth: depth - 1)
            }
        }
        return found
    }

    /// The scenario files directly in a folder, by name.
    package static func scenarios(
        in folder: String
    ) throws(ReportError) -> [(name: String, bytes: [UInt8])] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return try names.filter { $0.hasSuffix(".json5") }.sorted().map { name throws(ReportError) in
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
                throw ReportError(path: "\(folder)/\(name)", why: "it can't be read")
            }
            return (name, Array(data))
        }
    }

    /// The runs of a recording, or of a report, whose runs have no events.
    package static func runs(_ path: String) throws(ReportError) -> [RecordedRun] {
        let file = try results(in: path)
        return try load(file) { (bytes) throws(ResultsFault) in try RecordingJSON.read(bytes) }
    }

    private static func results(in path: String) throws(ReportError) -> String {
        guard FileManager.default.fileExists(atPath: path) else {
            throw ReportError(path: path, why: "it is not there")
        }
        if isFolder(path) {
            let file = path + "/results.json"
            guard FileManager.default.fileExists(atPath: file) else {
                throw ReportError(path: path, why: "there is no results.json in it")
            }
            return file
        }
        // `latest` is a text file with a folder's name where the system has no links.
        if path.hasSuffix("latest"), let data = FileManager.default.contents(atPath: path), data.count < 200 {
            let name = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            let folder = String(path.dropLast("latest".count)) + name
            if isFolder(folder) { return try results(in: folder) }
        }
        return path
    }

    private static func load(_ file: String) throws(ReportError) -> RunResults {
        try load(file) { (bytes) throws(ResultsFault) in try ResultsJSON.read(bytes) }
    }

    private static func load<Value>(
        _ file: String, _ read: ([UInt8]) throws(ResultsFault) -> Value
    ) throws(ReportError) -> Value {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw ReportError(path: file, why: "it can't be read")
        }
        do throws(ResultsFault) {
            return try read(Array(data))
        } catch {
            throw ReportError(
                path: file, why: error.member.isEmpty ? error.why : "\(error.member) \(error.why)")
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}

/// What a `results.json` has.
package enum StoredResults: Sendable {
    /// Of a run, a sweep or an exploration.
    case run(RunResults)
    case crashPoints(CrashResults)
}
