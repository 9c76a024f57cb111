import Core
import ScenarioLanguage

/// Which switches of a disk made a difference to a call. Who declares a fault of the disk can be told that
/// it never struck; nothing that happens depends on it.
struct DiskFaultEffects: OptionSet, Hashable, Sendable {
    let rawValue: UInt16

    /// A call was refused for want of space, took less than it was given, or asked how much there is.
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
    /// Empty for faults of other things than the disk.
    var strikes: DiskFaultEffects {
        switch self {
        case .noSpace: .space
        case .lockedDevice: .denied
        case .readOnlyDisk: .readOnly
        case .shortWrites: .shortWrites
        case .lyingSync: .lyingSync
        case .slow(let work, _): work.calls.reduce(into: []) { $0.formUnion(.slow($1)) }
        // Known by name: there can be two at once.
        case .diskError: []
        case .offline, .portTaken, .refuse, .dnsFailure, .connectTimeout, .insecure, .staleEdge,
            .captivePortal, .indexForUnknown, .reset, .stall, .truncate, .corrupt, .status, .answer:
            []
        }
    }
}

extension World {
    /// Faults of a device's disk, or of its port, that made a difference so far, by their names. Those of the
    /// network tell each strike (``TraceEvent/Kind/faultApplied(_:)``).
    package var deviceFaultsThatStruck: [String] {
        history.appliedDeviceFaults + faults.active.filter(hasStruck).map(\.id)
    }

    func hasStruck(_ fault: FaultBoard.Active) -> Bool {
        let strikes = fault.fault.kind.strikes
        return devices.contains {
            !$0.disk.struck.isDisjoint(with: strikes) || $0.disk.appliedFaults.contains(fault.id)
        }
    }

    /// Before a fault ends, or another one of its kind begins.
    mutating func keepStrike(of fault: FaultBoard.Active) {
        if hasStruck(fault) { history.deviceFaultApplied(fault.id) }
    }
}
