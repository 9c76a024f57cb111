import Backend
import Core

/// A device's disks as a value: what processes see, what the medium holds, and every change that is not
/// durable yet, so that a power cut can have any outcome that it can have on a real file system.
///
/// **The crash model.** Every change is one or more pending operations (``PendingOperation``) until a sync
/// makes them durable: the sync of a file its content and length, the sync of a folder its names. A sync can
/// be in flight (``submit(_:_:)``, ``complete(_:)``) while other calls are made: it covers what was pending
/// at its submission and makes that durable at its completion, with what the profile's order requires; later
/// operations stay pending. If the process ends or closes the file before, the sync makes nothing durable. A
/// power cut keeps some of the pending operations, ``PowerCutOutcome`` says which, and loses the others; an
/// operation survives only with those that it depends on in the order of the ``CrashProfile``
/// (``PersistenceOrder``). The survivors change the medium in program order, and the device starts from the
/// medium. The facts behind it: POSIX's `fsync` and `rename`, what ext4, XFS and APFS guarantee beyond it,
/// and ALICE (OSDI 2014).
///
/// Guarantees
/// - POSIX meaning of every call of ``Disk``, with the error codes of Linux (the differential suite runs the
///   same calls on a real file system).
/// - The end of a process keeps all accepted changes; a power cut keeps what was synced and, of the rest, a
///   subset that is closed under the order of the ``CrashProfile``. `strict`, the default, orders least: a
///   file's sync does not make its name durable.
/// - Copies share their common content. Copying costs some reference counts; changing a copy costs the arrays
///   that it touches, and never a file's content.
/// - The same calls give the same disk in every process. Names are listed in an order derived from a key.
/// - Inspection (``files(under:in:)``, ``content(of:in:isPristine:)``) takes no virtual time and is not
///   counted.
///
/// Calls fail only as configured: ``DiskFault``, ``DiskDamage``, a capacity, a locked device, a stop at a
/// call.
///
/// Deliberately not modelled: links, times, modes, symlinks, memory mapping (the protocol has none); a second
/// process beside the first (aim a `locked` at ``DiskCall/lock`` instead); sparse files (a hole takes space);
/// the size of directories; automatic writeback (the world calls ``flush()``); short calls other than writes;
/// what a ``NameRule`` leaves out.
package struct SimulatedDisk: SyncingDisk, Sendable {
    package let profile: CrashProfile
    package let cost: DiskCost
    /// Whether a sync in profile `apple` is `F_FULLFSYNC`, not a plain `fsync`.
    package var syncsReachMedium = true
    /// Capacity of the data volume in bytes. No file can be larger than it, or than 1 GiB.
    package var capacity: Int

    /// Number of calls since the disk was created, failed ones included.
    package private(set) var operations = 0
    /// Number of calls since the disk was stopped. The world records an event if there are more than 1,000.
    package internal(set) var callsAfterStop = 0
    /// Work since ``beginStep()``.
    package internal(set) var stepCounts = StepCounts()
    /// Whether ``stepCalls`` is kept.
    package var keepsStepCalls = false
    /// Calls of the step, with their paths.
    private(set) var stepCalls: [(call: DiskCall, path: DiskPath?)] = []
    var spent = TimeSpan.zero

    var key: UInt64
    let blockSize: Int
    var names: NameTable
    var data: VolumeTree
    var package: VolumeTree
    var openFiles: [OpenFile?] = []
    var pendingOperations = PendingOperations()
    /// Syncs that were submitted and have not completed, in the order of their submission.
    var syncsInFlight: [SyncInFlight] = []
    /// Number of syncs submitted since the disk was created.
    var submittedSyncs: UInt32 = 0
    var faults = DiskFaults()
    var journal = ChangeJournal()
    /// Bytes that the live files of the data volume occupy, open files without a name included.
    var usedSpace = 0
    private var releases = 0
    /// The switches among ``faults`` that had an effect.
    var faultEffects = DiskFaultEffects()
    /// Names of the faults that made calls fail.
    var appliedFaults: [String] = []
    private var hiddenFiles: [DiskPath] = []

    static let mostOpen = 256
    static let largestFile = 1 << 30

    /// An empty data volume and an empty package. `key` decides the order in which names are listed, and the
    /// bytes of garbage; with `hasSmallSectors` a power cut keeps or loses 512 bytes at a time instead of 4
    /// KiB; `names` says which spellings both volumes treat as equal.
    package init(
        profile: CrashProfile = .strict, cost: DiskCost = .phone, key: UInt64 = 0,
        capacity: Int = 16 << 30, hasSmallSectors: Bool = false, names: NameRule = .exactBytes
    ) {
        self.profile = profile
        self.cost = cost
        self.key = key
        self.capacity = capacity
        self.names = NameTable(names)
        blockSize = hasSmallSectors ? 512 : 4096
        data = VolumeTree(blockSize: blockSize)
        package = VolumeTree(blockSize: blockSize)
    }

    /// Changes that are not durable yet, in program order.
    var pending: [PendingOperation] { pendingOperations.operations }

    /// Which spellings of a name are equal.
    package var nameRule: NameRule { names.rule }

    /// Resets the counts for the next `handle`.
    package mutating func beginStep() {
        stepCounts = StepCounts()
        if !stepCalls.isEmpty { stepCalls = [] }
    }

    /// Virtual time spent since it was last taken.
    package mutating func takeCost() -> TimeSpan {
        defer { spent = .zero }
        return spent
    }

    // MARK: - Execution of calls

    /// Counts a call, charges its time, applies faults, and stops the disk at an armed stop.
    mutating func perform<Answer>(
        _ call: DiskCall, _ target: CallTarget,
        _ body: (inout SimulatedDisk) throws(DiskError) -> Answer
    ) throws(DiskError) -> Answer {
        operations += 1
        stepCounts.count(call)
        note(call, target)
        if keepsStepCalls { stepCalls.append((call, aim(target))) }
        spent += cost.span(of: call)
        if !faults.slowed.isEmpty {
            let delay = faults.delay(of: call)
            if delay > .zero { faultEffects.formUnion(.slow(call)) }
            spent += delay
        }
        if faults.isStopped {
            callsAfterStop += 1
            throw DiskError(.inputOutput, call, target.path)
        }
        guard operations == faults.lastOperation else { return try attempt(call, target, body) }
        let result = Result { () throws(DiskError) in try attempt(call, target, body) }
        faults.isStopped = true
        _ = result
        throw DiskError(.inputOutput, call, target.path)
    }

    private mutating func attempt<Answer>(
        _ call: DiskCall, _ target: CallTarget,
        _ body: (inout SimulatedDisk) throws(DiskError) -> Answer
    ) throws(DiskError) -> Answer {
        if !faults.calls.isEmpty, let fault = faults.apply(to: call, aim(target)) {
            if let name = fault.name, !appliedFaults.contains(name) { appliedFaults.append(name) }
            fail(call, target, fault)
            if fault.code == .notFound { hide(target) }
            throw DiskError(fault.code, call, target.path)
        }
        if faults.isDenied, volume(target) == .data, call.needsUnlockedDevice {
            faultEffects.formUnion(.denied)
            throw DiskError(.denied, call, target.path)
        }
        do throws(DiskError) {
            return try body(&self)
        } catch {
            if error.code == .noSpace { faultEffects.formUnion(.space) }
            if error.code == .readOnly, faults.isReadOnly { faultEffects.formUnion(.readOnly) }
            throw error
        }
    }

    /// A file that a call does not find is gone for the process, as if it had been removed.
    private mutating func hide(_ target: CallTarget) {
        guard case .path(let path) = target, content(of: path) != nil else { return }
        hiddenFiles.append(path)
    }

    /// Files of which a fault has said that they are not there, since they were last taken.
    mutating func takeHiddenFiles() -> [DiskPath] {
        if hiddenFiles.isEmpty { return [] }
        return hiddenFiles.takeAll()
    }

    /// The path to compare with that of a fault.
    private func aim(_ target: CallTarget) -> DiskPath? {
        switch target {
        case .path(let path): path
        case .submitted(let sync): aim(sync.target.callTarget)
        case .handle(let file):
            openFile(file).map { DiskPath($0.volume, names.path($0.path)) }
        case .volume: nil
        }
    }

    /// Path of the file or directory; nil if the file is not open.
    func path(of target: SyncTarget) -> DiskPath? { aim(target.callTarget) }

    func isLeftOut(_ call: DiskCall, _ target: CallTarget) -> Bool {
        if faults.leftOut.isEmpty { return false }
        let path = aim(target)
        return faults.leftOut.contains { $0.isAimed(at: call, path) }
    }

    private func volume(_ target: CallTarget) -> Volume? {
        switch target {
        case .path(let path): path.volume
        case .submitted(let sync): volume(sync.target.callTarget)
        case .handle(let file): openFile(file)?.volume
        case .volume(let volume): volume
        }
    }

    // MARK: - Inodes and handles

    func tree(_ volume: Volume) -> VolumeTree {
        switch volume {
        case .data: data
        case .package: package
        }
    }

    mutating func changeTree(_ volume: Volume, _ change: (inout VolumeTree) -> Void) {
        switch volume {
        case .data: change(&data)
        case .package: change(&package)
        }
    }

    func openFile(_ file: FileHandle) -> OpenFile? {
        let index = Int(file.id)
        return openFiles.indices.contains(index) ? openFiles[index] : nil
    }

    /// A handle with the lowest free id, as POSIX requires.
    mutating func addHandle(_ file: OpenFile) -> FileHandle {
        if file.volume == .data { data[file.inode].opens += 1 }
        if let index = openFiles.firstIndex(where: { $0 == nil }) {
            openFiles[index] = file
            return FileHandle(id: Int32(index))
        }
        openFiles.append(file)
        return FileHandle(id: Int32(openFiles.count - 1))
    }

    mutating func dropHandle(_ file: FileHandle) {
        guard let open = openFile(file) else { return }
        if !syncsInFlight.isEmpty { syncsInFlight.removeAll { $0.target == .file(file) } }
        openFiles[Int(file.id)] = nil
        while let last = openFiles.last, last == nil { openFiles.removeLast() }
        guard open.volume == .data else { return }
        data[open.inode].opens -= 1
        release(open.inode)
    }

    /// Frees the space of a file whose last name or handle was removed, and from time to time the inodes that
    /// nothing refers to.
    mutating func release(_ inode: InodeNumber) {
        guard data[inode].links <= 0, data[inode].opens == 0 else { return }
        if data[inode].kind == .file {
            usedSpace -= data[inode].live.allocated
            data[inode].live = FileContent(blockSize: blockSize)
        }
        releases += 1
        // A sweep reads all inodes, so it is made when as many as a part of them can have become free.
        if releases < max(32, data.inodeNumbers.count / 2) { return }
        releases = 0
        sweep()
    }

    private mutating func sweep() {
        var roots: [InodeNumber] = []
        for file in openFiles { if let file, file.volume == .data { roots.append(file.inode) } }
        for operation in pending { roots += operation.inodes }
        for sync in syncsInFlight { if let coverage = sync.coverage { roots.append(coverage.object) } }
        for stored in faults.damages where stored.volume == .data { roots.append(stored.inode) }
        data.sweep(keeping: roots)
    }
}

/// The object of a call, for faults and errors.
enum CallTarget {
    case path(DiskPath)
    case handle(FileHandle)
    case volume(Volume)
    /// The target of a sync that was submitted before.
    case submitted(SyncInFlight)

    /// The path for an error; nil for a call on a handle.
    var path: DiskPath? {
        switch self {
        case .path(let path): path
        case .submitted(let sync): sync.target.callTarget.path
        case .handle, .volume: nil
        }
    }
}

extension DiskCall {
    /// Whether the call fails on a locked device. Files of iOS's class *Complete* are inaccessible then, but
    /// they can be closed, and their length can be read.
    fileprivate var needsUnlockedDevice: Bool {
        switch self {
        case .open, .read, .write, .truncate, .sync, .syncDirectory, .status, .list, .makeDirectory, .rename,
            .remove, .removeDirectory, .lock:
            true
        case .close, .size, .freeSpace: false
        }
    }
}
