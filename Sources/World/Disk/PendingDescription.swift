import Backend
import Core

extension SimulatedDisk {
    /// A description of each pending operation for reports, in program order: "name store/blobs/ab", "block 0
    /// of store/record.a".
    package var pendingDescriptions: [String] {
        var paths = [String?](repeating: nil, count: data.inodeNumbers.count)
        for view in DiskImage.allCases { addPaths(view, to: &paths) }
        func path(_ inode: InodeNumber) -> String {
            let text = paths[Int(inode)] ?? "a file without a name"
            return text.isEmpty ? "the root" : text
        }
        func path(_ directory: InodeNumber, _ name: NameID) -> String {
            let text = paths[Int(directory)] ?? "a directory without a name"
            return text.isEmpty ? names.name(name) : text + "/" + names.name(name)
        }
        return pending.map { operation in
            let object = operation.object
            switch operation.change {
            case .data(let block, _, _): return "block \(block) of \(path(object))"
            case .size(let size): return "length \(size) of \(path(object))"
            case .add(let name, _): return "name \(path(object, name))"
            case .removal(let name, _, _): return "removal of name \(path(object, name))"
            case .move(let name, _, let location, _):
                return "rename of \(path(object, name)) to \(path(location.directory, location.name))"
            }
        }
    }

    /// Adds a path for each inode that has none yet.
    private func addPaths(_ view: DiskImage, to paths: inout [String?]) {
        var waiting = [(inode: VolumeTree.root, path: "")]
        var isSeen = [Bool](repeating: false, count: paths.count)
        while let (inode, path) = waiting.popLast() {
            if isSeen[Int(inode)] { continue }
            isSeen[Int(inode)] = true
            if paths[Int(inode)] == nil { paths[Int(inode)] = path }
            for entry in data[inode].entries(view) {
                let name = names.name(entry.name)
                waiting.append((entry.inode, path.isEmpty ? name : path + "/" + name))
            }
        }
    }
}
