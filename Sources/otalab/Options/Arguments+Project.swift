import Foundation
import Runner

/// A call in a folder of a project below its root works in the whole project, as those of other build tools
/// do: it finds scenarios, profiles, settings and reports, and names files as a call in the root does.
extension Arguments {
    /// Goes to the root of the project, the nearest folder above that has `Scenarios/`, and makes paths of
    /// the call relative to it. A repository or a settings file of its own ends the search.
    mutating func enterProject() {
        guard verb.worksInProject, let (root, below) = Arguments.project() else { return }
        func adapted(_ path: String) -> String { Arguments.normal(below + "/" + path) }
        func isRelative(_ path: String) -> Bool { path != "-" && !path.hasPrefix("/") }
        paths = paths.map { path in
            let isHere = ScenarioFile.isThere(path) || path.hasPrefix("./")
            return isRelative(path) && isHere ? adapted(path) : path
        }
        changeValues { option, value in
            if ["--output", "--to"].contains(option.name), !option.takesPath,
                let equal = value.firstIndex(of: "=")
            {
                let path = String(value[value.index(after: equal)...])
                return isRelative(path) ? value[...equal] + adapted(path) : value
            }
            guard option.takesPath, isRelative(value) else { return value }
            // An id can be excluded too.
            return option.name != "--exclude" || ScenarioFile.isThere(value) ? adapted(value) : value
        }
        _ = FileManager.default.changeCurrentDirectoryPath(root)
    }

    /// The root of the project, and the path from it to this folder; nil in the root itself and outside of
    /// projects.
    private static func project() -> (root: String, below: String)? {
        let files = FileManager.default
        func isFolder(_ path: String) -> Bool {
            var isFolder: ObjCBool = false
            return files.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
        }
        var folder = URL(fileURLWithPath: files.currentDirectoryPath)
        var below: [String] = []
        while folder.path != "/" {
            if isFolder(folder.path + "/" + ProfileFolder.root) {
                return below.isEmpty ? nil : (folder.path, below.joined(separator: "/"))
            }
            let ends = [".git", Settings.name].contains { files.fileExists(atPath: folder.path + "/" + $0) }
            if ends { return nil }
            below.insert(folder.lastPathComponent, at: 0)
            folder.deleteLastPathComponent()
        }
        return nil
    }

    /// The path without `.` and, as far as possible, without `..`.
    private static func normal(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        return parts.isEmpty ? "." : parts.joined(separator: "/")
    }
}

extension Verb {
    /// Whether the verb is about the scenarios and reports of a project.
    fileprivate var worksInProject: Bool {
        [
            "run", "crashpoints", "explore", "lint", "fmt", "list", "report", "merge", "diff", "config",
            "show", "new",
        ].contains(name)
    }
}

extension Option {
    fileprivate var takesPath: Bool {
        switch offer {
        case .files, .folders: name != "--directory"
        case .nothing, .choices: false
        }
    }
}
