import AppHost
import Core
import ScenarioLanguage
import Updater

/// Beginning and healing of faults, and the effect of disk and link faults on devices.
extension World {
    mutating func begin(_ fault: FaultSpec, as id: String) {
        let effects = fault.kind.diskEffects
        if !effects.isEmpty {
            for active in faults.active { keepEffect(of: active) }
            for device in devices.indices { devices[device].disk.faultEffects.subtract(effects) }
        }
        let active = faults.begin(fault, as: id)
        record(
            .faultBegan(
                id, diskDelay: fault.kind.diskDelay, failsDisk: fault.kind.failsDiskCalls,
                timerDelay: fault.kind.timerDelay, freeSpace: fault.kind.freeSpace), -1)
        for device in devices.indices { apply(active, to: device) }
        guard let duration = fault.duration?.value else { return }
        kernel.schedule(WorldEvent(device: -1, process: 0, what: .faultEnds(id)), at: now + duration)
    }

    /// Ends a fault; with nil all faults, and every device is online.
    mutating func heal(_ id: String?) {
        let healed = faults.heal(id)
        for active in healed {
            record(.faultHealed(active.id), -1)
            keepEffect(of: active)
            for device in devices.indices { apply(active, to: device, isActive: false) }
            // Other faults of the same switch stay in effect.
            for other in faults.active where other.fault.kind.overlaps(with: active.fault.kind) {
                for device in devices.indices { apply(other, to: device) }
            }
        }
        if id == nil {
            for device in devices.indices { setNetwork(.online, device) }
        }
    }

    /// Switches the effect of a fault on a device on or off; none for faults of requests.
    private mutating func apply(_ active: ActiveFault, to device: Int, isActive: Bool = true) {
        switch active.fault.kind {
        case .offline: setNetwork(isActive ? .offline : .online, device)
        case .slow(let work, let span):
            for call in work.calls { devices[device].disk.slow(call, by: isActive ? span : .zero) }
        case .noSpace(let bytes):
            if isActive {
                devices[device].disk.limitFreeSpace(to: bytes)
            } else {
                devices[device].disk.capacity = devices[device].profile.diskCapacity
            }
        case .lockedDevice: devices[device].disk.deny(isActive)
        case .readOnlyDisk: devices[device].disk.makeReadOnly(isActive)
        case .lyingSync: devices[device].disk.ignoreSyncs(isActive)
        case .shortWrites(let bytes): devices[device].disk.limitWrites(to: isActive ? bytes : nil)
        case .diskError(let error):
            devices[device].disk.removeFaults(named: active.id)
            if isActive { devices[device].disk.add(DiskFault(error, active)) }
        case .portTaken, .portRefused, .lateTimers, .refuse, .dnsFailure, .connectTimeout,
            .blackHoledAddress, .insecure, .staleEdge, .captivePortal, .indexForUnknown, .reset, .stall,
            .truncate, .corrupt, .status, .answer:
            break
        }
    }
}

extension FaultKind {
    /// Whether healing one resets a switch of the device that the other needs.
    fileprivate func overlaps(with other: FaultKind) -> Bool {
        switch domain {
        case .request, .port, .timers: false
        case .network: other.domain == .network
        case .disk: !diskEffects.isDisjoint(with: other.diskEffects)
        }
    }
}

extension DiskFault {
    /// A fault that counts the matching calls from now on, as a fault of requests counts requests: `nth`
    /// makes one call fail, `times` the first ones.
    fileprivate init(_ error: DiskErrorSpec, _ active: ActiveFault) {
        let nth = active.fault.nth?.value
        let times = nth == nil ? active.fault.times?.value : 1
        self.init(error.call, nth: nth ?? 1, error.code, times: times)
        paths = error.area?.paths ?? []
        name = active.id
    }
}

extension DiskArea {
    fileprivate var paths: [DiskPath] {
        switch self {
        case .record: [StorePaths.recordA, StorePaths.recordB, StorePaths.newRecord]
        case .starts: [StorePaths.starts, StorePaths.newStarts]
        case .contents: [StorePaths.blobs]
        case .tables: [StorePaths.tables]
        case .download: [StorePaths.partial]
        case .package: [DiskPath(.package, "")]
        }
    }
}

extension SlowedOperation {
    /// The disk calls that are slowed; none for answers.
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

extension FaultKind {
    /// By how much timers fire late at most.
    fileprivate var timerDelay: TimeSpan { if case .lateTimers(let span) = self { span } else { .zero } }

    /// Bytes that it leaves free on the disk.
    fileprivate var freeSpace: Int? { if case .noSpace(let bytes) = self { bytes } else { nil } }

    /// By how much each disk call of some kind takes longer.
    fileprivate var diskDelay: TimeSpan {
        switch self {
        case .slow(.diskReads, let span), .slow(.diskWrites, let span), .slow(.diskSyncs, let span),
            .slow(.diskRemoves, let span):
            span
        default: .zero
        }
    }
}
