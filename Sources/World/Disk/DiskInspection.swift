import Backend
import Core

/// Access for checkers and for the world. These functions are not counted, take no virtual time, and don't
/// fail by faults.
extension SimulatedDisk {
    /// All files at and beneath a path, sorted by the bytes of their paths.
    package func files(under path: DiskPath, in view: DiskImage = .live) -> [DiskPath] {
        paths(under: path, view, .file)
    }

    /// All directories beneath a path, sorted the same way.
    package func directories(under path: DiskPath, in view: DiskImage = .live) -> [DiskPath] {
        paths(under: path, view, .directory).filter { $0 != path }
    }

    /// The content that a read would return; nil if no file is there. `isPristine` leaves damage out.
    package func content(of path: DiskPath, in view: DiskImage = .live, isPristine: Bool = false)
        -> FileContent?
    {
        guard let inode = inode(at: path, view), tree(path.volume)[inode].kind == .file else { return nil }
        return content(path.volume, inode, view, isPristine: isPristine)
    }

    package func content(at index: Int, in view: DiskImage, isPristine: Bool) -> FileContent? {
        guard let inode = inode(PathID(truncatingIfNeeded: index), .data, view),
            data[inode].kind == .file
        else { return nil }
        return content(.data, inode, view, isPristine: isPristine)
    }

    /// Files that this process has open.
    package var openCount: Int { openFiles.reduce(0) { $1 == nil ? $0 : $0 + 1 } }

    func inode(at path: DiskPath, _ view: DiskImage) -> InodeNumber? {
        if let id = names.known(path: path.text) { return inode(id, path.volume, view) }
        // No call has named the path, but a directory above it may have been renamed to its present name.
        var inode = VolumeTree.root
        for component in path.text.split(separator: "/", omittingEmptySubsequences: false) {
            guard let name = names.known(name: String(component)),
                let next = tree(path.volume)[inode].inode(named: name, view)
            else { return nil }
            inode = next
        }
        return inode
    }

    private func inode(_ path: PathID, _ volume: Volume, _ view: DiskImage) -> InodeNumber? {
        switch volume {
        case .data: data.inode(path, names, view)
        case .package: package.inode(path, names, view)
        }
    }

    private func paths(under path: DiskPath, _ view: DiskImage, _ kind: Inode.Kind) -> [DiskPath] {
        guard let start = inode(at: path, view) else { return [] }
        let tree = tree(path.volume)
        var found: [DiskPath] = []
        var waiting = [(inode: start, path: path)]
        while let (inode, path) = waiting.popLast() {
            if tree[inode].kind == kind { found.append(path) }
            for entry in tree[inode].entries(view) {
                waiting.append((entry.inode, path / names.name(entry.name)))
            }
        }
        return found.sorted { TextBytes.precedes($0.text, $1.text) }
    }

    // MARK: - Content from the world

    /// Replaces the app package by these files and the directories above them. The app's process must have
    /// ended, so that none of the old files is open.
    package mutating func mountPackage(files: [(path: String, content: PublishedContent)]) throws(DiskError) {
        package = VolumeTree(blockSize: blockSize)
        faults.damages.removeAll { $0.volume == .package }
        for file in files {
            try place(DiskPath(.package, file.path), FileContent(file.content, blockSize: blockSize))
        }
    }

    /// The same with literal bytes.
    package mutating func mountPackage(files: [(path: String, bytes: [UInt8])]) throws(DiskError) {
        try mountPackage(files: files.map { (path: $0.path, content: PublishedContent($0.bytes)) })
    }

    /// Creates or replaces a file, durable at once, with the directories above it.
    package mutating func place(_ path: DiskPath, _ bytes: [UInt8]) throws(DiskError) {
        try place(path, FileContent(bytes, blockSize: blockSize))
    }

    private mutating func place(_ path: DiskPath, _ content: FileContent) throws(DiskError) {
        if path.text.isEmpty { throw DiskError(.isADirectory, .open, path) }
        let id = names.id(of: path.text)
        if let flaw = names.parsed(id).flaw { throw DiskError(flaw, .open, path) }
        let directory = try placeDirectory(names.parsed(id).parent, path)
        let name = names.parsed(id).name
        journal.noteEverything()
        if case .success(let old) = tree(path.volume).find(id, names) {
            if tree(path.volume)[old].kind == .directory { throw DiskError(.isADirectory, .open, path) }
            try loseName(path)
        }
        changeTree(path.volume) { tree in
            let inode = tree.make(.file)
            tree[inode].live = content
            tree[inode].durable = content
            tree[inode].links = 1
            tree[directory].names.put(name, inode)
            tree[directory].durableNames.put(name, inode)
        }
        if path.volume == .data { usedSpace += content.allocated }
    }

    private mutating func placeDirectory(_ id: PathID, _ path: DiskPath) throws(DiskError)
        -> InodeNumber
    {
        if id == NameTable.root { return VolumeTree.root }
        let parsed = names.parsed(id)
        if let flaw = parsed.flaw { throw DiskError(flaw, .open, path) }
        let parent = try placeDirectory(parsed.parent, path)
        var result = VolumeTree.root
        if let known = tree(path.volume)[parent].names.inode(named: parsed.name) {
            if tree(path.volume)[known].kind != .directory { throw DiskError(.notADirectory, .open, path) }
            result = known
        } else {
            changeTree(path.volume) { tree in
                result = tree.make(.directory)
                tree[result].links = 1
                tree[parent].names.put(parsed.name, result)
            }
        }
        let inode = result
        changeTree(path.volume) { tree in tree[parent].durableNames.put(parsed.name, inode) }
        return result
    }
}
