import AppHost
import Core
import ScenarioLanguage
import Updater

/// Beginning and healing of faults, and what those of a disk or a link do to a device while they last.
extension World {
    mutating func begin(_ fault: FaultSpec, as id: String) {
        let strikes = fault.kind.strikes
        if !strikes.isEmpty {
            for active in faults.active { keepStrike(of: active) }
            for device in devices.indices { devices[device].disk.struck.subtract(strikes) }
        }
        faults.begin(fault, as: id)
        fact(.faultBegan(id), -1)
        for device in devices.indices { put(fault.kind, on: device) }
        guard let duration = fault.duration?.value else { return }
        kernel.schedule(WorldEvent(device: -1, process: 0, what: .faultEnds(id)), at: now + duration)
    }

    /// Nil: all that are there, and every device is online.
    mutating func heal(_ id: String?) {
        let healed = faults.heal(id)
        for active in healed {
            fact(.faultHealed(active.id), -1)
            keepStrike(of: active)
            for device in devices.indices { put(active.fault.kind, on: device, isThere: false) }
            // What another fault does in the same place goes on.
            for other in faults.active where other.fault.kind.sharesPlace(with: active.fault.kind) {
                for device in devices.indices { put(other.fault.kind, on: device) }
            }
        }
        if id == nil {
            for device in devices.indices { setNetwork(.online, device) }
        }
    }

    /// What a fault does to a device for as long as it is there; nothing where it is one of requests.
    private mutating func put(_ kind: FaultKind, on device: Int, isThere: Bool = true) {
        switch kind {
        case .offline: setNetwork(isThere ? .offline : .online, device)
        case .slow(let work, let span):
            for call in work.calls { devices[device].disk.slow(call, by: isThere ? span : .zero) }
        case .noSpace(let bytes):
            if isThere {
                devices[device].disk.limitFreeSpace(to: bytes)
            } else {
                devices[device].disk.capacity = devices[device].profile.diskCapacity
            }
        case .lockedDevice: devices[device].disk.deny(isThere)
        case .readOnlyDisk: devices[device].disk.makeReadOnly(isThere)
        case .lyingSync: devices[device].disk.ignoreSyncs(isThere)
        case .shortWrites(let bytes): devices[device].disk.limitWrites(to: isThere ? bytes : nil)
        case .portTaken, .refuse, .dnsFailure, .connectTimeout, .insecure, .staleEdge, .captivePortal,
            .indexForUnknown, .reset, .stall, .truncate, .corrupt, .status, .answer:
            break
        }
    }
}

extension FaultKind {
    /// Healing one sets back on a device what the other does there.
    fileprivate func sharesPlace(with other: FaultKind) -> Bool {
        switch domain {
        case .request, .port: false
        case .network: other.domain == .network
        case .disk: !strikes.isDisjoint(with: other.strikes)
        }
    }
}

extension SlowWork {
    /// None of the disk's for answers.
    var calls: [DiskCall] {
        switch self {
        case .diskReads: [.read]
        case .diskWrites: [.write]
        case .diskSyncs: [.sync, .syncDirectory]
        case .diskRemoves: [.remove, .removeDirectory]
        case .answers: []
        }
    }
}
