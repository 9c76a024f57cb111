import AppHost
import Core
import Updater

/// Beginning and healing of faults, and what those of a disk or a link do to a device while they last.
extension World {
    mutating func begin(_ fault: Fault) {
        let strikes = fault.kind.strikes
        if !strikes.isEmpty {
            for active in faults.active { keepStrike(of: active.fault) }
            for device in devices.indices { devices[device].disk.struck.subtract(strikes) }
        }
        faults.begin(fault)
        fact(.faultBegan(fault.id), -1)
        for device in devices.indices { apply(fault.kind, device) }
        guard let duration = fault.duration else { return }
        kernel.schedule(
            WorldEvent(device: -1, process: 0, what: .faultEnds(fault.id)), at: now + duration)
    }

    /// Nil: all that are there, and every device is online.
    mutating func heal(_ id: String?) {
        let healed = faults.heal(id)
        for fault in healed {
            fact(.faultHealed(fault.id), -1)
            keepStrike(of: fault)
            for device in devices.indices { undo(fault.kind, device) }
            // What another fault does in the same place goes on.
            for active in faults.active where active.fault.kind.place != nil {
                guard active.fault.kind.place == fault.kind.place else { continue }
                for device in devices.indices { apply(active.fault.kind, device) }
            }
        }
        if id == nil {
            for device in devices.indices { setNetwork(.online, device) }
        }
    }

    private mutating func apply(_ kind: Fault.Kind, _ device: Int) {
        switch kind {
        case .offline: setNetwork(.offline, device)
        case .bandwidth(let bits): devices[device].link.slowedTo = max(bits, 1)
        case .slowDisk(let work, let span):
            for call in work.calls { devices[device].disk.slow(call, by: span) }
        case .noSpace(let bytes): devices[device].disk.limitFreeSpace(to: bytes)
        case .diskDenied: devices[device].disk.deny(true)
        case .diskReadOnly: devices[device].disk.makeReadOnly(true)
        case .disk(let fault): devices[device].disk.add(fault)
        case .lyingSync: devices[device].disk.ignoreSyncs(true)
        case .garbage: devices[device].disk.leaveGarbage(true)
        case .shortWrites(let bytes): devices[device].disk.limitWrites(to: bytes)
        case .portTaken, .refuse, .dnsFailure, .connectTimeout, .insecure, .staleEdge, .captivePortal,
            .indexForUnknown, .reset, .stall, .truncate, .corrupt, .status, .answer, .slowAnswers:
            break
        }
    }

    private mutating func undo(_ kind: Fault.Kind, _ device: Int) {
        switch kind {
        case .offline: setNetwork(.online, device)
        case .bandwidth: devices[device].link.slowedTo = nil
        case .slowDisk(let work, _): for call in work.calls { devices[device].disk.slow(call, by: .zero) }
        case .noSpace: devices[device].disk.capacity = devices[device].profile.diskCapacity
        case .diskDenied: devices[device].disk.deny(false)
        case .diskReadOnly: devices[device].disk.makeReadOnly(false)
        case .disk: devices[device].disk.removeFaults()
        case .lyingSync: devices[device].disk.ignoreSyncs(false)
        case .garbage: devices[device].disk.leaveGarbage(false)
        case .shortWrites: devices[device].disk.limitWrites(to: nil)
        case .portTaken, .refuse, .dnsFailure, .connectTimeout, .insecure, .staleEdge, .captivePortal,
            .indexForUnknown, .reset, .stall, .truncate, .corrupt, .status, .answer, .slowAnswers:
            break
        }
    }
}

extension Fault.Kind {
    /// What healing it sets back on a device, for all faults of that place at once.
    private enum Place {
        static let network = 1, line = 2, space = 3, lock = 4, readOnly = 5, calls = 6, syncs = 7, garbage = 8
        static let writes = 9, slow = 10
    }

    /// Nil for those that change nothing on a device.
    fileprivate var place: Int? {
        switch self {
        case .offline: Place.network
        case .bandwidth: Place.line
        case .noSpace: Place.space
        case .diskDenied: Place.lock
        case .diskReadOnly: Place.readOnly
        case .disk: Place.calls
        case .lyingSync: Place.syncs
        case .garbage: Place.garbage
        case .shortWrites: Place.writes
        case .slowDisk(let work, _): Place.slow + (Fault.DiskWork.allCases.firstIndex(of: work) ?? 0)
        case .portTaken, .refuse, .dnsFailure, .connectTimeout, .insecure, .staleEdge, .captivePortal,
            .indexForUnknown, .reset, .stall, .truncate, .corrupt, .status, .answer, .slowAnswers:
            nil
        }
    }
}

extension Fault.DiskWork {
    var calls: [DiskCall] {
        switch self {
        case .reads: [.read]
        case .writes: [.write]
        case .syncs: [.sync, .syncDirectory]
        case .removes: [.remove, .removeDirectory]
        }
    }
}
