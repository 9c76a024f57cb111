import Core

/// Faults that the world switches on and off.
extension SimulatedDisk {
    /// The `count`-th call from now on is the last one that is carried out (1: the next). It and every later
    /// one throw `inputOutput` until the process ends or the power fails. If the last call is a write, it
    /// accepts at most `bytes`.
    package mutating func stop(atCall count: Int, writing bytes: Int? = nil) {
        faults.lastOperation = operations + max(count, 1)
        faults.lastWrite = bytes
    }

    package var isStopped: Bool { faults.isStopped }

    package mutating func add(_ fault: DiskFault) { faults.calls.append(fault) }

    package mutating func removeFaults() { faults.calls.removeAll() }

    mutating func removeFaults(named name: String) { faults.calls.removeAll { $0.name == name } }

    /// Makes calls of this kind take longer by `span`; zero ends it.
    package mutating func slow(_ call: DiskCall, by span: TimeSpan) {
        faults.slowed.removeAll { $0.call == call }
        if span != .zero { faults.slowed.append(SlowCall(call: call, span: span)) }
        faults.slowed.sort { $0.call.rawValue < $1.call.rawValue }
    }

    /// Limits the free space of the volume, in whole blocks.
    package mutating func limitFreeSpace(to bytes: Int) { capacity = usedSpace + max(bytes, 0) }

    /// Limits the bytes that one write accepts; nil ends it.
    package mutating func limitWrites(to bytes: Int?) { faults.mostPerWrite = bytes }

    /// Denies access to files, as on a locked device.
    package mutating func deny(_ isDenied: Bool) { faults.isDenied = isDenied }

    /// Makes the data volume read-only.
    package mutating func makeReadOnly(_ isReadOnly: Bool) { faults.isReadOnly = isReadOnly }

    /// Makes syncs succeed and do nothing, as on a device that confirms before its cache is written.
    package mutating func ignoreSyncs(_ ignores: Bool) { faults.ignoresSyncs = ignores }

    /// As ``ignoreSyncs(_:)``, for one kind of sync at and beneath a path, as if the caller had omitted it.
    package mutating func leaveOut(_ call: DiskCall, under path: DiskPath) {
        faults.leftOut.append(DiskFault(call, .other, times: nil, path: path))
    }

    /// Makes blocks whose write a power cut loses hold garbage, where the profile allows it.
    package mutating func leaveGarbage(_ leaves: Bool) { faults.leavesGarbage = leaves }
}
