import Core

/// How the world makes a disk fail.
extension SimulatedDisk {
    /// The `count`-th call from now on is the last one that happens (1: the next). It and every later one
    /// throw `inputOutput`, until the process ends or the power goes. A last call that is a write takes at
    /// most `bytes`.
    package mutating func stop(atCall count: Int, writing bytes: Int? = nil) {
        faults.lastOperation = operations + max(count, 1)
        faults.lastWrite = bytes
    }

    package var isStopped: Bool { faults.isStopped }

    package mutating func add(_ fault: DiskFault) { faults.calls.append(fault) }

    package mutating func removeFaults() { faults.calls.removeAll() }

    mutating func removeFaults(named name: String) { faults.calls.removeAll { $0.name == name } }

    /// Calls of this kind take longer by `span`; zero ends it.
    package mutating func slow(_ call: DiskCall, by span: TimeSpan) {
        faults.slowed.removeAll { $0.call == call }
        if span != .zero { faults.slowed.append(SlowCall(call: call, span: span)) }
        faults.slowed.sort { $0.call.rawValue < $1.call.rawValue }
    }

    /// The volume takes only so many more bytes, in whole blocks.
    package mutating func limitFreeSpace(to bytes: Int) { capacity = usedSpace + max(bytes, 0) }

    /// No write accepts more than this; nil ends it.
    package mutating func limitWrites(to bytes: Int?) { faults.mostPerWrite = bytes }

    /// The device is locked, and its files can't be reached.
    package mutating func deny(_ isDenied: Bool) { faults.isDenied = isDenied }

    /// The data volume takes no change.
    package mutating func makeReadOnly(_ isReadOnly: Bool) { faults.isReadOnly = isReadOnly }

    /// Syncs answer and do nothing: a device whose cache lies.
    package mutating func ignoreSyncs(_ ignores: Bool) { faults.ignoresSyncs = ignores }

    /// As ``ignoreSyncs(_:)``, of one kind at and beneath a path: as if the caller had left them out.
    package mutating func leaveOut(_ call: DiskCall, under path: DiskPath) {
        faults.leftOut.append(DiskFault(call, .other, isSticky: true, path: path))
    }

    /// Blocks whose write a power cut loses hold garbage, where the profile allows it.
    package mutating func leaveGarbage(_ leaves: Bool) { faults.leavesGarbage = leaves }
}
