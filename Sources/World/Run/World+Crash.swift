import AppHost
import Core
import Updater

/// What a search over crash points asks of a world.
extension World {
    /// A sum over what a device is while no process runs: its data volume, and what the platform keeps.
    /// Not in it: the origin and the settings (who compares two worlds knows that they had the same steps),
    /// and time.
    public func crashDigest(of device: Int = 0) -> UInt64 {
        let device = devices[device]
        var sum = Fingerprint(key: device.disk.dataDigest())
        sum.add(device.build)
        sum.add(device.edge)
        sum.add(device.processes)
        sum.add(device.boot)
        sum.add(device.lastDeath?.rawValue ?? "")
        for count in device.starts { sum.add(count) }
        for answer in device.webStorage.cache {
            sum.add(answer.target)
            sum.add(answer.tag)
            sum.add(answer.bytes.count)
        }
        for item in device.webStorage.items { sum.add(item.key) }
        for cookie in device.webStorage.cookies { sum.add(cookie.name) }
        sum.add(faults.active.count)
        return sum.value
    }

    /// Scheduled actions and orders of races do not come any more: the story ends here.
    public mutating func forgetScheduled() {
        for number in scheduled.indices { scheduled[number].isDone = true }
    }

    /// Stops a device's disk at the n-th call from now on, as ``SimulatedDisk/stop(atCall:writing:)``.
    public mutating func stopDisk(of device: Int = 0, atCall count: Int, writing bytes: Int? = nil) {
        devices[device].disk.stop(atCall: count, writing: bytes)
    }

    /// Calls on a device's disk since the world began.
    public func diskOperations(of device: Int = 0) -> Int { devices[device].disk.operations }

    public func isDiskStopped(of device: Int = 0) -> Bool { devices[device].disk.isStopped }

    /// What can be left when the power goes now.
    public func powerCutPlan(of device: Int = 0) -> PowerCutPlan { devices[device].disk.powerCutPlan() }
}

extension World {
    /// Which of the pending operations would survive a power cut with this outcome.
    public func survivors(of outcome: PowerCutOutcome, on device: Int = 0) -> [Bool] {
        var disk = devices[device].disk
        return disk.powerCut(keeping: outcome)
    }
}
