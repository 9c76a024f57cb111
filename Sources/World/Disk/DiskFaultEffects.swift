import Core
import ScenarioLanguage

/// The fault switches of a disk that had an effect on a call. They let a report warn of a disk fault that
/// never had one; the disk's behaviour does not depend on them.
struct DiskFaultEffects: OptionSet, Hashable, Sendable {
    let rawValue: UInt16

    /// A call failed for lack of space, accepted less than requested, or read the free space.
    static let space = DiskFaultEffects(rawValue: 1)
    static let denied = DiskFaultEffects(rawValue: 2)
    static let readOnly = DiskFaultEffects(rawValue: 4)
    static let shortWrites = DiskFaultEffects(rawValue: 8)
    /// A sync was skipped.
    static let lyingSync = DiskFaultEffects(rawValue: 256)

    /// Calls of this kind took longer.
    static func slow(_ call: DiskCall) -> DiskFaultEffects {
        switch call {
        case .read: DiskFaultEffects(rawValue: 16)
        case .write: DiskFaultEffects(rawValue: 32)
        case .sync, .syncDirectory: DiskFaultEffects(rawValue: 64)
        case .remove, .removeDirectory: DiskFaultEffects(rawValue: 128)
        case .open, .close, .truncate, .size, .status, .list, .makeDirectory, .rename, .lock, .freeSpace: []
        }
    }
}

extension FaultKind {
    /// The effects that a fault of the disk can have; empty for other faults.
    var diskEffects: DiskFaultEffects {
        switch self {
        case .noSpace: .space
        case .lockedDevice: .denied
        case .readOnlyDisk: .readOnly
        case .shortWrites: .shortWrites
        case .lyingSync: .lyingSync
        case .slow(let work, _): work.calls.reduce(into: []) { $0.formUnion(.slow($1)) }
        // Tracked by name, because two can be active at once.
        case .diskError: []
        case .offline, .portTaken, .portRefused, .lateTimers, .refuse, .dnsFailure, .connectTimeout,
            .blackHoledAddress, .insecure, .staleEdge, .captivePortal, .indexForUnknown, .reset, .stall,
            .truncate, .corrupt, .status, .answer:
            []
        }
    }
}

extension World {
    /// Names of the faults of devices (disk, port) that had an effect so far. Each effect of a network fault
    /// is a trace event (``TraceEvent/Kind/faultApplied(_:)``).
    package var appliedDeviceFaults: [String] {
        history.appliedDeviceFaults + faults.active.filter(hadEffect).map(\.id)
    }

    func hadEffect(_ fault: ActiveFault) -> Bool {
        let effects = fault.fault.kind.diskEffects
        return devices.contains {
            !$0.disk.faultEffects.isDisjoint(with: effects) || $0.disk.appliedFaults.contains(fault.id)
        }
    }

    /// Keeps whether a fault had an effect before it ends, or another one of its kind begins.
    mutating func keepEffect(of fault: ActiveFault) {
        if hadEffect(fault) { history.deviceFaultApplied(fault.id) }
    }
}
