import Core

/// The inodes of one volume; number 0 is the root directory.
struct VolumeTree: Sendable {
    static let root: InodeNumber = 0

    var inodes: [Inode]
    private var unused: [InodeNumber] = []
    let blockSize: Int

    init(blockSize: Int) {
        self.blockSize = blockSize
        inodes = [Inode(.directory, blockSize: blockSize)]
    }

    subscript(number: InodeNumber) -> Inode {
        get { inodes[Int(number)] }
        _modify { yield &inodes[Int(number)] }
    }

    mutating func make(_ kind: Inode.Kind) -> InodeNumber {
        let inode = Inode(kind, blockSize: blockSize)
        if let number = unused.popLast() {
            inodes[Int(number)] = inode
            return number
        }
        inodes.append(inode)
        return InodeNumber(inodes.count - 1)
    }

    /// What a path stands for, or why it stands for nothing.
    func find(_ path: PathNumber, _ table: NameTable, _ view: DiskView = .live)
        -> Result<InodeNumber, FindFailure>
    {
        if path == NameTable.root { return .success(VolumeTree.root) }
        let place = table.place(path)
        switch directory(place.parent, table, view) {
        case .failure(let failure): return .failure(failure)
        case .success(let directory):
            if place.flaw == .nameTooLong { return .failure(FindFailure(code: .nameTooLong)) }
            guard let inode = self[directory].entries(view).inode(named: place.name) else {
                return .failure(FindFailure(code: .notFound))
            }
            return .success(inode)
        }
    }

    /// The directory under a path.
    func directory(_ path: PathNumber, _ table: NameTable, _ view: DiskView = .live)
        -> Result<InodeNumber, FindFailure>
    {
        let found = find(path, table, view)
        guard case .success(let inode) = found else { return found }
        return self[inode].kind == .directory ? found : .failure(FindFailure(code: .notADirectory))
    }

    /// Frees every inode that is neither marked nor reached from a marked one, in either image.
    mutating func sweep(keeping roots: [InodeNumber]) {
        var isKept = [Bool](repeating: false, count: inodes.count)
        var waiting = roots
        waiting.append(VolumeTree.root)
        while let number = waiting.popLast() {
            if isKept[Int(number)] { continue }
            isKept[Int(number)] = true
            for entry in self[number].names { waiting.append(entry.inode) }
            for entry in self[number].durableNames { waiting.append(entry.inode) }
        }
        for index in inodes.indices where !isKept[index] && inodes[index].kind != .unused {
            inodes[index] = Inode(.unused, blockSize: blockSize)
            unused.append(InodeNumber(index))
        }
    }

    /// Which inodes the durable root reaches.
    func durableReach() -> [Bool] {
        var isReached = [Bool](repeating: false, count: inodes.count)
        var waiting = [VolumeTree.root]
        while let number = waiting.popLast() {
            if isReached[Int(number)] { continue }
            isReached[Int(number)] = true
            for entry in self[number].durableNames { waiting.append(entry.inode) }
        }
        return isReached
    }

    /// After a crash: the live image is the durable one; nothing is open.
    mutating func restart() {
        for index in inodes.indices {
            inodes[index].live = inodes[index].durable
            inodes[index].names = inodes[index].durableNames
            inodes[index].opens = 0
            inodes[index].links = 0
        }
        sweep(keeping: [])
        for index in inodes.indices {
            for entry in inodes[index].names { inodes[Int(entry.inode)].links += 1 }
        }
    }
}

/// Why a path leads nowhere.
struct FindFailure: Error {
    let code: DiskError.Code
}
