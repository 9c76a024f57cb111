import Foundation

/// Finds the folders of device profiles, which are named `profiles` and lie next to the scenarios.
///
/// For a scenario below a folder `Scenarios` it is the nearest `profiles` between its own folder and that
/// one; otherwise the one in its own folder or in the folder above. If no path has one, it is
/// `Scenarios/profiles` of the working directory.
package enum ProfileFolder {
    package static let name = "profiles"
    package static let root = "Scenarios"

    /// Whether a file is in a folder of profiles and therefore no scenario.
    package static func holds(_ path: String) -> Bool {
        let folders = components(path).dropLast()
        guard let root = folders.lastIndex(of: root) else { return folders.last == name }
        return folders[root...].contains(name)
    }

    /// - Parameters:
    ///   - paths: files or folders of the command line.
    ///   - files: scenarios found there.
    package static func find(_ paths: [String], _ files: [ScenarioFile]) -> [String] {
        var found: [String] = []
        for path in paths {
            let bare = ScenarioFile.withoutLine(path)
            add(nearest(isFolder(bare) ? bare : above(bare)), to: &found)
        }
        for file in files { add(nearest(above(file.path)), to: &found) }
        let usual = root + "/" + name
        if found.isEmpty, isFolder(usual) { found.append(usual) }
        return found
    }

    private static func add(_ folder: String?, to found: inout [String]) {
        guard let folder else { return }
        func standard(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
        if !found.contains(where: { standard($0) == standard(folder) }) { found.append(folder) }
    }

    private static func nearest(_ start: String) -> String? {
        var folder = start
        var levels = components(start).contains(root) ? Int.max : 2
        while levels > 0 {
            let last = components(folder).last
            if last == name { return folder }
            let candidate = folder == "." ? name : folder + "/" + name
            if isFolder(candidate) { return candidate }
            if last == root || last == nil { return nil }
            folder = above(folder)
            levels -= 1
        }
        return nil
    }

    private static func components(_ path: String) -> [String] {
        path.split(separator: "/").map(String.init).filter { $0 != "." }
    }

    private static func above(_ path: String) -> String {
        let bare = path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let slash = bare.lastIndex(of: "/") else { return "." }
        return slash == bare.startIndex ? "/" : String(bare[..<slash])
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
