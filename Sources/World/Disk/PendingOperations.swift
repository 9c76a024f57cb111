import Backend

/// The changes of a disk that are not durable yet, in program order.
///
/// How many of them change each file's content and each directory's names is counted, so that a sync finds
/// what it covers from the newest one back, without reading those of all other files: thousands of them can
/// be pending, and most syncs follow the writes that they make durable.
struct PendingOperations: Sendable {
    private(set) var operations: [PendingOperation] = []
    /// Number of operations that change the content of each inode; inodes after the end have none.
    private var contentCounts: [Int32] = []
    /// Number of operations that change the names in each inode.
    private var nameCounts: [Int32] = []

    // MARK: - Reading

    /// Indices of the operations that change a file's content, in ascending order.
    func indices(ofContentOf file: InodeNumber) -> [Int] {
        last(PendingOperations.count(contentCounts, file)) { $0.object == file && $0.isContent }
    }

    /// Indices of the operations that change a directory's names, in ascending order.
    func indices(ofNamesIn directory: InodeNumber) -> [Int] {
        last(PendingOperations.count(nameCounts, directory)) { $0.changesNames(of: directory) }
    }

    private static func count(_ counts: [Int32], _ inode: InodeNumber) -> Int {
        Int(inode) < counts.count ? Int(counts[Int(inode)]) : 0
    }

    private func last(_ count: Int, _ isWanted: (PendingOperation) -> Bool) -> [Int] {
        if count == 0 { return [] }
        var found: [Int] = []
        var index = operations.count
        while found.count < count {
            index -= 1
            if isWanted(operations[index]) { found.append(index) }
        }
        return found.reversed()
    }

    // MARK: - Changing

    mutating func append(_ operation: PendingOperation) {
        count(operation, 1)
        operations.append(operation)
    }

    /// Removes the operations at these indices, which ascend.
    mutating func remove(at indices: [Int]) {
        guard var kept = indices.first else { return }
        var next = 0
        for index in kept..<operations.count {
            if next < indices.count, indices[next] == index {
                count(operations[index], -1)
                next += 1
            } else {
                operations.swapAt(kept, index)
                kept += 1
            }
        }
        operations.removeSubrange(kept...)
    }

    mutating func removeAll(where isRemoved: (PendingOperation) -> Bool) {
        remove(at: operations.indices.filter { isRemoved(operations[$0]) })
    }

    mutating func removeAll() { self = PendingOperations() }

    /// The device has the operation in its cache.
    mutating func reachedDeviceCache(_ index: Int) { operations[index].isInDeviceCache = true }

    private mutating func count(_ operation: PendingOperation, _ change: Int32) {
        if operation.isContent {
            PendingOperations.add(change, &contentCounts, operation.object)
            return
        }
        let directories = operation.changedDirectories
        PendingOperations.add(change, &nameCounts, directories.0)
        if directories.1 >= 0, directories.1 != directories.0 {
            PendingOperations.add(change, &nameCounts, directories.1)
        }
    }

    private static func add(_ change: Int32, _ counts: inout [Int32], _ inode: InodeNumber) {
        while counts.count <= Int(inode) { counts.append(0) }
        counts[Int(inode)] += change
    }
}
