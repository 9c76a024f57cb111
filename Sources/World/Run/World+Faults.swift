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
        let active = faults.begin(fault, as: id)
        fact(.faultBegan(id), -1)
        for device in devices.indices { put(active, on: device) }
        guard let duration = fault.duration?.value else { return }
        kernel.schedule(WorldEvent(device: -1, process: 0, what: .faultEnds(id)), at: now + duration)
    }

    /// Nil: all that are there, and every device is online.
    mutating func heal(_ id: String?) {
        let healed = faults.heal(id)
        for active in healed {
            fact(.faultHealed(active.id), -1)
            keepStrike(of: active)
            for device in devices.indices { put(active, on: device, isThere: false) }
            // What another fault does in the same place goes on.
            for other in faults.active where other.fault.kind.sharesPlace(with: active.fault.kind) {
                for device in devices.indices { put(other, on: device) }
            }
        }
        if id == nil {
            for device in devices.indices { setNetwork(.online, device) }
        }
    }

    /// What a fault does to a device for as long as it is there; nothing where it is one of requests.
    private mutating func put(_ active: FaultBoard.Active, on device: Int, isThere: Bool = true) {
        switch active.fault.kind {
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
        case .diskError(let error):
            devices[device].disk.removeFaults(named: active.id)
            if isThere { devices[device].disk.add(DiskFault(error, active)) }
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

extension DiskFault {
    /// It counts the calls of its kind from now on, as a fault of requests counts requests: `nth` is one
    /// call, `times` the first so many.
    fileprivate init(_ error: DiskErrorSpec, _ active: FaultBoard.Active) {
        let nth = active.fault.nth?.value
        self.init(error.call, nth: nth ?? 1, error.code, isSticky: nth == nil)
        times = active.fault.times?.value
        paths = error.area?.paths ?? []
        name = active.id
    }
}

extension DiskArea {
    fileprivate var paths: [DiskPath] {
        switch self {
        case .record: [StorePaths.recordA, StorePaths.recordB]
        case .starts: [StorePaths.starts]
        case .contents: [StorePaths.blobs]
        case .tables: [StorePaths.tables]
        case .download: [StorePaths.partial]
        case .package: [DiskPath(.package, "")]
        }
    }
}

extension SlowedOperation {
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
