import Backend
import Core

/// Disk calls on names and directories. Errors are checked in the order in which Linux checks them.
extension SimulatedDisk {
    package mutating func syncDirectory(_ path: DiskPath) throws(DiskError) {
        try perform(.syncDirectory, .path(path)) { (disk: inout SimulatedDisk) throws(DiskError) in
            let directory = try disk.directory(path, .syncDirectory)
            if path.volume == .data, !disk.isLeftOut(.syncDirectory, .path(path)) {
                disk.retire(SyncCoverage(namesIn: directory))
            }
        }
    }

    package mutating func status(_ path: DiskPath) throws(DiskError) -> FileStatus {
        try perform(.status, .path(path)) { (disk: inout SimulatedDisk) throws(DiskError) in
            let inode = try disk.found(path, .status)
            if disk.tree(path.volume)[inode].kind == .directory {
                return FileStatus(kind: .directory, size: 0)
            }
            return FileStatus(kind: .file, size: disk.content(path.volume, inode, .live).size)
        }
    }

    package mutating func list(_ path: DiskPath) throws(DiskError) -> [String] {
        try perform(.list, .path(path)) { (disk: inout SimulatedDisk) throws(DiskError) in
            let directory = try disk.directory(path, .list)
            let texts = disk.tree(path.volume)[directory].names.map { disk.names.name($0.name) }
            return SimulatedDisk.shuffled(texts, disk.key)
        }
    }

    package mutating func makeDirectory(_ path: DiskPath) throws(DiskError) {
        try perform(.makeDirectory, .path(path)) { (disk: inout SimulatedDisk) throws(DiskError) in
            try disk.checkWritable(path, .makeDirectory)
            _ = try disk.create(path, .directory, .makeDirectory)
        }
    }

    package mutating func remove(_ path: DiskPath) throws(DiskError) {
        try perform(.remove, .path(path)) { (disk: inout SimulatedDisk) throws(DiskError) in
            try disk.checkWritable(path, .remove)
            let inode = try disk.file(path, .remove)
            let location = try disk.location(of: path, .remove)
            disk.data[location.directory].names.drop(location.name)
            disk.addPending(location.directory, .removal(name: location.name, inode: inode, movedTo: nil))
            disk.data[inode].links -= 1
            disk.release(inode)
        }
    }

    package mutating func removeDirectory(_ path: DiskPath) throws(DiskError) {
        try perform(.removeDirectory, .path(path)) { (disk: inout SimulatedDisk) throws(DiskError) in
            try disk.checkWritable(path, .removeDirectory)
            let inode = try disk.directory(path, .removeDirectory)
            if path.text.isEmpty { throw DiskError(.invalid, .removeDirectory, path) }
            guard disk.data[inode].names.isEmpty else { throw DiskError(.notEmpty, .removeDirectory, path) }
            let location = try disk.location(of: path, .removeDirectory)
            disk.data[location.directory].names.drop(location.name)
            disk.addPending(location.directory, .removal(name: location.name, inode: inode, movedTo: nil))
            disk.data[inode].links -= 1
            disk.release(inode)
        }
    }

    package mutating func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        try perform(.rename, .path(source)) { (disk: inout SimulatedDisk) throws(DiskError) in
            if source.volume != target.volume { throw DiskError(.crossDevice, .rename, source) }
            try disk.checkWritable(source, .rename)
            disk.journal.note(disk.names.id(of: target.text), isSync: false)
            guard !disk.isFlawed(target), !source.text.isEmpty, !target.text.isEmpty else {
                throw DiskError(.invalid, .rename, source)
            }
            let from = try disk.location(of: source, .rename)
            let to = try disk.location(of: target, .rename, for: source)
            try disk.move(from, to, source)
        }
    }

    package mutating func freeSpace(_ volume: Volume) throws(DiskError) -> UntrustedInteger {
        try perform(.freeSpace, .volume(volume)) { (disk: inout SimulatedDisk) throws(DiskError) in
            switch volume {
            case .data:
                disk.faultEffects.formUnion(.space)
                return UntrustedInteger(max(disk.capacity - disk.usedSpace, 0))
            case .package: return .zero
            }
        }
    }

    // MARK: - Names

    mutating func find(_ path: DiskPath) -> Result<InodeNumber, FindFailure> {
        let id = names.id(of: path.text)
        if names.parsed(id).flaw == .invalid { return .failure(FindFailure(code: .invalid)) }
        return tree(path.volume).find(id, names)
    }

    mutating func found(_ path: DiskPath, _ call: DiskCall) throws(DiskError) -> InodeNumber {
        switch find(path) {
        case .success(let inode): return inode
        case .failure(let failure): throw DiskError(failure.code, call, path)
        }
    }

    mutating func file(_ path: DiskPath, _ call: DiskCall) throws(DiskError) -> InodeNumber {
        let inode = try found(path, call)
        if tree(path.volume)[inode].kind == .directory { throw DiskError(.isADirectory, call, path) }
        return inode
    }

    mutating func directory(_ path: DiskPath, _ call: DiskCall) throws(DiskError) -> InodeNumber {
        let inode = try found(path, call)
        if tree(path.volume)[inode].kind != .directory { throw DiskError(.notADirectory, call, path) }
        return inode
    }

    /// Location of the path's last component, which need not exist. Errors of a rename name its `source`.
    private mutating func location(of path: DiskPath, _ call: DiskCall, for source: DiskPath? = nil)
        throws(DiskError) -> EntryLocation
    {
        let id = names.id(of: path.text)
        let parsed = names.parsed(id)
        if parsed.flaw == .invalid { throw DiskError(.invalid, call, source ?? path) }
        switch tree(path.volume).directory(parsed.parent, names) {
        case .failure(let failure): throw DiskError(failure.code, call, source ?? path)
        case .success(let directory): return EntryLocation(directory: directory, name: parsed.name)
        }
    }

    /// Whether a ``DiskPath`` must not have this text.
    private mutating func isFlawed(_ path: DiskPath) -> Bool {
        let id = names.id(of: path.text)
        return names.parsed(id).flaw == .invalid
    }

    /// Checks first that the path is valid and its volume writable.
    mutating func checkWritable(_ path: DiskPath, _ call: DiskCall) throws(DiskError) {
        if isFlawed(path) { throw DiskError(.invalid, call, path) }
        if path.volume == .package || faults.isReadOnly { throw DiskError(.readOnly, call, path) }
    }

    mutating func create(_ path: DiskPath, _ kind: Inode.Kind, _ call: DiskCall) throws(DiskError)
        -> InodeNumber
    {
        switch find(path) {
        case .success: throw DiskError(.exists, call, path)
        case .failure(let failure) where failure.code != .notFound:
            throw DiskError(failure.code, call, path)
        case .failure: break
        }
        let location = try location(of: path, call)
        if usedSpace + blockSize > capacity { throw DiskError(.noSpace, call, path) }
        journal.note(names.id(of: path.text), isSync: false)
        let inode = data.make(kind)
        data[inode].links = 1
        data[location.directory].names.put(location.name, inode)
        addPending(location.directory, .add(name: location.name, inode: inode))
        return inode
    }

    private mutating func move(_ from: EntryLocation, _ to: EntryLocation, _ source: DiskPath)
        throws(DiskError)
    {
        func error(_ code: DiskError.Code) -> DiskError { DiskError(code, .rename, source) }
        try checkLength(from.name, source)
        guard let inode = data[from.directory].names.inode(named: from.name) else { throw error(.notFound) }
        try checkLength(to.name, source)
        let old = data[to.directory].names.inode(named: to.name)
        let isDirectory = data[inode].kind == .directory
        if isDirectory, isWithin(to.directory, inode) { throw error(.invalid) }
        if let old, data[old].kind == .directory, isWithin(from.directory, old) { throw error(.notEmpty) }
        if from == to, from.name.spelling != to.name.spelling { return respell(to, inode) }
        // Two names of one file, which a power cut inside a rename can leave: POSIX renames nothing.
        if old == inode { return }
        if let old {
            let isOldDirectory = data[old].kind == .directory
            if isDirectory && !isOldDirectory { throw error(.notADirectory) }
            if !isDirectory && isOldDirectory { throw error(.isADirectory) }
            if isOldDirectory && !data[old].names.isEmpty { throw error(.notEmpty) }
        }
        data[to.directory].names.put(to.name, inode)
        data[from.directory].names.drop(from.name)
        // The paths of everything beneath it have changed.
        if isDirectory { journal.noteEverything() }
        appendMove(from, to, inode, old)
        guard let old else { return }
        data[old].links -= 1
        release(old)
    }

    /// Changes the spelling of a name.
    private mutating func respell(_ location: EntryLocation, _ inode: InodeNumber) {
        data[location.directory].names.put(location.name, inode)
        addPending(location.directory, .add(name: location.name, inode: inode))
    }

    private func checkLength(_ name: NameID, _ path: DiskPath) throws(DiskError) {
        if names.name(name).utf8.count > 255 { throw DiskError(.nameTooLong, .rename, path) }
    }

    /// Appends the operations of a rename. A directory's rename is atomic in every profile, because no file
    /// system shows a directory twice.
    private mutating func appendMove(
        _ from: EntryLocation, _ to: EntryLocation, _ inode: InodeNumber, _ replaced: InodeNumber?
    ) {
        let isSplit = profile == .strict || profile == .alice || profile == .prefix
        guard isSplit && data[inode].kind == .file else {
            let change = PendingOperation.Change.move(
                name: from.name, inode: inode, to: to, replaced: replaced)
            addPending(from.directory, change)
            return
        }
        if profile == .alice, let replaced {
            let lost = PendingOperation.Change.removal(name: to.name, inode: replaced, movedTo: nil)
            addPending(to.directory, lost)
        }
        addPending(to.directory, .add(name: to.name, inode: inode))
        let gone = PendingOperation.Change.removal(name: from.name, inode: inode, movedTo: to)
        addPending(from.directory, gone)
    }

    /// Whether `directory` is `ancestor` or is somewhere beneath it.
    private func isWithin(_ directory: InodeNumber, _ ancestor: InodeNumber) -> Bool {
        if directory == ancestor { return true }
        for entry in data[ancestor].names where data[entry.inode].kind == .directory {
            if isWithin(directory, entry.inode) { return true }
        }
        return false
    }

    /// The names in an order that depends on the key alone and not on their own order.
    private static func shuffled(_ texts: [String], _ key: UInt64) -> [String] {
        let drawn = texts.map { text in
            var sum = Fingerprint(key: key)
            sum.add(text)
            return (draw: sum.value, text: text)
        }
        return drawn.sorted { ($0.draw, $0.text) < ($1.draw, $1.text) }.map { $0.text }
    }
}
