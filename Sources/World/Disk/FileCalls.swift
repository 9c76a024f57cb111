import Backend
import Core

/// Disk calls on files and handles.
extension SimulatedDisk {
    package mutating func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> FileHandle {
        try perform(.open, .path(path)) { (disk: inout SimulatedDisk) throws(DiskError) in
            switch mode {
            case .read:
                let inode = try disk.file(path, .open)
                return try disk.handle(path, inode, .open, isWritable: false)
            case .update:
                try disk.checkWritable(path, .open)
                let inode = try disk.file(path, .open)
                return try disk.handle(path, inode, .open, isWritable: true)
            case .create:
                try disk.checkWritable(path, .open)
                try disk.checkOpenLimit(path, .open)
                let inode = try disk.create(path, .file, .open)
                return try disk.handle(path, inode, .open, isWritable: true)
            }
        }
    }

    package mutating func lock(_ path: DiskPath) throws(DiskError) -> FileHandle {
        try perform(.lock, .path(path)) { (disk: inout SimulatedDisk) throws(DiskError) in
            try disk.checkWritable(path, .lock)
            try disk.checkOpenLimit(path, .lock)
            let inode: InodeNumber
            if case .failure(let failure) = disk.find(path), failure.code == .notFound {
                inode = try disk.create(path, .file, .lock)
            } else {
                inode = try disk.file(path, .lock)
            }
            let isHeld = disk.openFiles.contains { file in
                file.map { $0.isLock && $0.inode == inode && $0.volume == path.volume } ?? false
            }
            if isHeld { throw DiskError(.locked, .lock, path) }
            return try disk.handle(path, inode, .lock, isWritable: true, isLock: true)
        }
    }

    package mutating func close(_ file: FileHandle) throws(DiskError) {
        try perform(.close, .handle(file)) { (disk: inout SimulatedDisk) throws(DiskError) in
            _ = try disk.opened(file, .close)
            disk.dropHandle(file)
        }
    }

    package mutating func read(_ file: FileHandle, at offset: Int, count: Int) throws(DiskError) -> [UInt8] {
        try perform(.read, .handle(file)) { (disk: inout SimulatedDisk) throws(DiskError) in
            let open = try disk.opened(file, .read)
            guard offset >= 0, count >= 0 else { throw DiskError(.invalid, .read) }
            let content = disk.content(open.volume, open.inode, .live)
            let end = count < content.size - offset ? offset + count : max(content.size, offset)
            if disk.isUnreadable(open.volume, open.inode, offset..<end) {
                throw DiskError(.inputOutput, .read)
            }
            disk.stepCounts.count(read: end - offset)
            disk.spent += DiskCost.span(bytes: end - offset, rate: disk.cost.readRate)
            return content.read(at: offset, count: count)
        }
    }

    package mutating func write(_ file: FileHandle, _ bytes: ArraySlice<UInt8>, at offset: Int)
        throws(DiskError) -> Int
    {
        try perform(.write, .handle(file)) { (disk: inout SimulatedDisk) throws(DiskError) in
            let open = try disk.writable(file, .write)
            guard offset >= 0 else { throw DiskError(.invalid, .write) }
            guard offset <= SimulatedDisk.largestFile - bytes.count else { throw DiskError(.tooBig, .write) }
            if bytes.isEmpty { return 0 }
            let accepted = bytes.prefix(try disk.room(for: bytes.count, at: offset, open.inode))
            if accepted.count < bytes.count {
                let isShort = disk.faults.mostPerWrite.map { accepted.count >= $0 } ?? false
                disk.faultEffects.formUnion(isShort ? .shortWrites : .space)
            }
            disk.writeOverDamage(open.inode, offset..<offset + accepted.count)
            let oldSize = disk.data[open.inode].live.size
            disk.usedSpace -= disk.data[open.inode].live.allocated
            let touched = disk.data[open.inode].live.write(accepted, at: offset)
            disk.usedSpace += disk.data[open.inode].live.allocated
            disk.appendWrite(open.inode, touched, oldSize)
            disk.stepCounts.count(written: accepted.count)
            disk.spent += DiskCost.span(bytes: accepted.count, rate: disk.cost.writeRate)
            return accepted.count
        }
    }

    package mutating func truncate(_ file: FileHandle, to size: Int) throws(DiskError) {
        try perform(.truncate, .handle(file)) { (disk: inout SimulatedDisk) throws(DiskError) in
            let open = try disk.writable(file, .truncate)
            guard size >= 0 else { throw DiskError(.invalid, .truncate) }
            guard size <= SimulatedDisk.largestFile else { throw DiskError(.tooBig, .truncate) }
            disk.writeOverDamage(open.inode, size..<SimulatedDisk.largestFile)
            let old = disk.data[open.inode].live
            if size == old.size { return }
            let growth = (size + disk.blockSize - 1) / disk.blockSize * disk.blockSize - old.allocated
            if growth > 0, disk.usedSpace + growth > disk.capacity { throw DiskError(.noSpace, .truncate) }
            disk.data[open.inode].live.resize(to: size)
            disk.usedSpace += disk.data[open.inode].live.allocated - old.allocated
            disk.addPending(open.inode, .size(size))
        }
    }

    package mutating func size(_ file: FileHandle) throws(DiskError) -> Int {
        try perform(.size, .handle(file)) { (disk: inout SimulatedDisk) throws(DiskError) in
            let open = try disk.opened(file, .size)
            return disk.content(open.volume, open.inode, .live).size
        }
    }

    package mutating func sync(_ file: FileHandle) throws(DiskError) {
        try perform(.sync, .handle(file)) { (disk: inout SimulatedDisk) throws(DiskError) in
            let open = try disk.opened(file, .sync)
            if open.volume == .data, !disk.isLeftOut(.sync, .handle(file)) {
                disk.retire(SyncCoverage(contentOf: open.inode))
            }
        }
    }

    // MARK: - Handles

    private mutating func handle(
        _ path: DiskPath, _ inode: InodeNumber, _ call: DiskCall, isWritable: Bool, isLock: Bool = false
    ) throws(DiskError) -> FileHandle {
        try checkOpenLimit(path, call)
        return addHandle(
            OpenFile(
                volume: path.volume, inode: inode, path: names.id(of: path.text),
                isWritable: isWritable, isLock: isLock))
    }

    private func checkOpenLimit(_ path: DiskPath, _ call: DiskCall) throws(DiskError) {
        let open = openFiles.reduce(0) { $1 == nil ? $0 : $0 + 1 }
        if open >= SimulatedDisk.mostOpen { throw DiskError(.tooManyOpen, call, path) }
    }

    private func opened(_ file: FileHandle, _ call: DiskCall) throws(DiskError) -> OpenFile {
        guard let open = openFile(file) else { throw DiskError(.badHandle, call) }
        return open
    }

    private func writable(_ file: FileHandle, _ call: DiskCall) throws(DiskError) -> OpenFile {
        let open = try opened(file, call)
        guard open.isWritable else { throw DiskError(.badHandle, call) }
        if faults.isReadOnly { throw DiskError(.readOnly, call) }
        return open
    }

    // MARK: - Writing

    mutating func addPending(_ object: InodeNumber, _ change: PendingOperation.Change) {
        pendingOperations.append(PendingOperation(object, change, syncsBefore: submittedSyncs))
    }

    /// Number of bytes that a write accepts; less than `count` on a volume that is nearly full.
    private func room(for count: Int, at offset: Int, _ inode: InodeNumber) throws(DiskError) -> Int {
        var most = count
        if let limit = faults.mostPerWrite { most = min(most, max(limit, 1)) }
        if let limit = faults.lastWrite, operations == faults.lastOperation {
            most = min(most, max(limit, 1))
        }
        let free = max(capacity - usedSpace, 0) / blockSize * blockSize
        let end = data[inode].live.allocated + free
        if end <= offset { throw DiskError(.noSpace, .write) }
        return min(most, end - offset)
    }

    private mutating func appendWrite(_ inode: InodeNumber, _ touched: Range<Int>, _ oldSize: Int) {
        let live = data[inode].live
        for block in touched {
            let image = live.blocks[block]
            let grows = block * blockSize + image.count > oldSize
            addPending(inode, .data(block: block, image: image, grows: grows))
        }
        if live.size != oldSize { addPending(inode, .size(live.size)) }
    }
}
