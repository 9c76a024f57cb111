import Foundation

/// Lists all files and folders below a folder, sorted.
///
/// Guarantees: a folder that can't be listed is an entry with the reason, never left out. Links to folders
/// are not followed, so that the walk ends.
package enum FolderWalk {
    package struct Entry: Hashable, Sendable {
        /// Path that begins with the root's path.
        package var path: String
        /// Reason why this folder can't be listed; nil otherwise.
        package var fault: String?

        package init(path: String, fault: String? = nil) {
            self.path = path
            self.fault = fault
        }
    }

    /// - Parameter root: a folder, or a link to one; it is an entry only if it can't be listed.
    package static func entries(_ root: String) -> [Entry] {
        let bare = root.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root
        var found: [Entry] = []
        walk(bare, &found)
        return found
    }

    /// Entries whose paths end with `ending`, and folders that can't be listed.
    package static func entries(_ root: String, ending: String) -> [Entry] {
        entries(root).filter { $0.fault != nil || $0.path.hasSuffix(ending) }
    }

    private static func walk(_ folder: String, _ found: inout [Entry]) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            found.append(Entry(path: folder, fault: reason(folder)))
            return
        }
        for name in names {
            let path = folder == "/" ? "/" + name : folder + "/" + name
            var status = stat()
            let isFolder = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            // walk has added a folder that can't be listed; it must not be added twice.
            if isFolder {
                let before = found.count
                walk(path, &found)
                if found.count == before + 1, found[before].path == path { continue }
            }
            found.append(Entry(path: path))
        }
    }

    private static func reason(_ folder: String) -> String {
        access(folder, R_OK | X_OK) == 0
            ? "this folder can't be read" : "this folder may not be read"
    }
}
