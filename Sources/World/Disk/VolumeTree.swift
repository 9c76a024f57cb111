import Backend
import Core

/// The inodes of one volume; inode 0 is the root directory.
struct VolumeTree: Sendable {
    static let root: InodeNumber = 0

    /// Each inode in a separate box, so that a fork that changes one file copies one box, not the arrays of
    /// all files.
    private var boxes: [InodeBox]
    private var unused: [InodeNumber] = []
    let blockSize: Int

    init(blockSize: Int) {
        self.blockSize = blockSize
        boxes = [InodeBox(Inode(.directory, blockSize: blockSize))]
    }

    subscript(number: InodeNumber) -> Inode {
        _read { yield boxes[Int(number)].inode }
        _modify {
            if !isKnownUniquelyReferenced(&boxes[Int(number)]) {
                boxes[Int(number)] = InodeBox(boxes[Int(number)].inode)
            }
            boxes[Int(number)].contentSum = 0
            yield &boxes[Int(number)].inode
        }
    }

    /// All inode numbers, unused ones included.
    var inodeNumbers: Range<InodeNumber> { 0..<InodeNumber(boxes.count) }

    /// Whether both trees share one inode under these numbers; inodes that are not shared can be equal too.
    func sharesInode(_ number: InodeNumber, with other: VolumeTree, _ otherNumber: InodeNumber) -> Bool {
        boxes[Int(number)] === other.boxes[Int(otherNumber)]
    }

    mutating func make(_ kind: Inode.Kind) -> InodeNumber {
        let inode = Inode(kind, blockSize: blockSize)
        if let number = unused.popLast() {
            self[number] = inode
            return number
        }
        boxes.append(InodeBox(inode))
        return InodeNumber(boxes.count - 1)
    }

    /// The inode of a path, or why there is none.
    func find(_ path: PathID, _ table: NameTable, _ view: DiskImage = .live)
        -> Result<InodeNumber, FindFailure>
    {
        if path == NameTable.root { return .success(VolumeTree.root) }
        let parsed = table.parsed(path)
        switch directory(parsed.parent, table, view) {
        case .failure(let failure): return .failure(failure)
        case .success(let directory):
            if parsed.flaw == .nameTooLong { return .failure(FindFailure(code: .nameTooLong)) }
            guard let inode = self[directory].entries(view).inode(named: parsed.name) else {
                return .failure(FindFailure(code: .notFound))
            }
            return .success(inode)
        }
    }

    /// As ``find(_:_:_:)`` for a checker, without the reason of a failure.
    func inode(_ path: PathID, _ table: NameTable, _ view: DiskImage) -> InodeNumber? {
        if path == NameTable.root { return VolumeTree.root }
        let parsed = table.parsed(path)
        guard let parent = inode(parsed.parent, table, view) else { return nil }
        return boxes[Int(parent)].inode.inode(named: parsed.name, view)
    }

    /// The directory under a path.
    func directory(_ path: PathID, _ table: NameTable, _ view: DiskImage = .live)
        -> Result<InodeNumber, FindFailure>
    {
        let found = find(path, table, view)
        guard case .success(let inode) = found else { return found }
        return self[inode].kind == .directory ? found : .failure(FindFailure(code: .notADirectory))
    }

    /// Frees every inode that is not reachable from the roots in either image.
    mutating func sweep(keeping roots: [InodeNumber]) {
        var isKept = [Bool](repeating: false, count: boxes.count)
        var waiting = roots
        waiting.append(VolumeTree.root)
        while let number = waiting.popLast() {
            if isKept[Int(number)] { continue }
            isKept[Int(number)] = true
            let box = boxes[Int(number)]
            guard box.inode.kind == .directory else { continue }
            for entry in box.inode.names { waiting.append(entry.inode) }
            for entry in box.inode.durableNames { waiting.append(entry.inode) }
        }
        for index in boxes.indices where !isKept[index] && boxes[index].inode.kind != .unused {
            boxes[index] = InodeBox(Inode(.unused, blockSize: blockSize))
            unused.append(InodeNumber(index))
        }
    }

    /// A hash of both contents of a file, cached until one changes; forks share it.
    func contentSum(of number: InodeNumber) -> UInt64 {
        let box = boxes[Int(number)]
        if box.contentSum != 0 { return box.contentSum }
        var sum = Fingerprint(key: box.inode.isUncertain ? 2 : 1)
        box.inode.live.mix(into: &sum)
        if box.inode.durable == box.inode.live {
            sum.add(1)
        } else {
            box.inode.durable.mix(into: &sum)
        }
        box.contentSum = sum.value | 1
        return box.contentSum
    }

    /// For each inode whether the durable root reaches it.
    func durableReach() -> [Bool] {
        var isReached = [Bool](repeating: false, count: boxes.count)
        var waiting = [VolumeTree.root]
        while let number = waiting.popLast() {
            if isReached[Int(number)] { continue }
            isReached[Int(number)] = true
            for entry in self[number].durableNames { waiting.append(entry.inode) }
        }
        return isReached
    }

    /// After a crash: the live image becomes the durable one, and all handles are closed.
    /// - Returns: bytes that the files occupy.
    mutating func restart() -> Int {
        for index in boxes.indices where !boxes[index].inode.isSettled {
            let number = InodeNumber(index)
            self[number].live = self[number].durable
            self[number].names = self[number].durableNames
            self[number].opens = 0
            self[number].isUncertain = false
        }
        sweep(keeping: [])
        var links = [Int32](repeating: 0, count: boxes.count)
        var space = 0
        for box in boxes where box.inode.kind != .unused {
            space += box.inode.live.allocated
            for entry in box.inode.names { links[Int(entry.inode)] += 1 }
        }
        for index in boxes.indices where boxes[index].inode.links != links[index] {
            self[InodeNumber(index)].links = links[index]
        }
        return space
    }
}

/// Changed only by ``VolumeTree``, and only while no other tree refers to it.
private final class InodeBox: @unchecked Sendable {
    @exclusivity(unchecked) var inode: Inode
    /// Cached hash of the content; 0: not computed. It must be computed before forks go to several threads.
    @exclusivity(unchecked) var contentSum: UInt64 = 0

    init(_ inode: Inode) { self.inode = inode }
}

/// Why a path has no inode.
struct FindFailure: Error {
    let code: DiskError.Code
}
