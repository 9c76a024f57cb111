import Foundation

/// All that lies below a folder.
///
/// Guarantees: what can't be listed is told with its reason, never passed over in silence; sorted.
/// Links to folders are not followed, so that the walk ends.
package enum FolderWalk {
    package struct Entry: Hashable, Sendable {
        /// The root's path before it.
        package var path: String
        /// Why nothing below it is known: it is a folder and can't be listed.
        package var fault: String?

        package init(path: String, fault: String? = nil) {
            self.path = path
            self.fault = fault
        }
    }

    /// - Parameter root: a folder, or a link to one; told itself only where it can't be listed.
    package static func entries(_ root: String) -> [Entry] {
        let bare = root.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root
        var found: [Entry] = []
        walk(bare, &found)
        return found
    }

    /// Those whose names end so, and folders that can't be listed.
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
            // A folder that can't be listed stands there once, with its reason.
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
