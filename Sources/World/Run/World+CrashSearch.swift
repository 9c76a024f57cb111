import Backend
import AppHost
import Core
import Updater

/// The functions that a crash-point search needs of a world.
extension World {
    /// A digest of a device without a process: its data volume, what the platform and the web view keep, the
    /// time of its boot, and the random choices so far. It does not cover the origin and the settings,
    /// because compared worlds have had the same steps, nor the current time.
    /// - Parameter sums: values to use instead of the content of some files.
    package func crashDigest(of device: Int = 0, with sums: [FileSum] = []) -> UInt64 {
        let device = devices[device]
        var sum = Fingerprint(key: device.disk.dataDigest(with: sums))
        sum.add(device.build)
        sum.add(device.network.edge)
        sum.add(device.processes)
        sum.add(device.clock.boot)
        sum.add(Int(device.clock.bootedAt.microseconds / 1_000_000))
        sum.add(device.lastDeath?.rawValue ?? "")
        for count in device.pages.starts { sum.add(count) }
        device.pages.storage.add(to: &sum)
        choices.add(to: &sum)
        sum.add(faults.active.count)
        return sum.value
    }

    /// Stops a device's disk at the n-th call from now on, as ``SimulatedDisk/stop(atCall:writing:)``.
    package mutating func stopDisk(of device: Int = 0, atCall count: Int, writing bytes: Int? = nil) {
        touched.insert(device)
        devices[device].disk.stop(atCall: count, writing: bytes)
    }

    /// Calls on a device's disk since the world began.
    package func diskOperations(of device: Int = 0) -> Int { devices[device].disk.operations }

    package func isDiskStopped(of device: Int = 0) -> Bool { devices[device].disk.isStopped }

    /// For each pending operation of a device's disk whether a sync in flight covers it; empty if none covers
    /// any. It belongs to the key of a device whose process is about to end, because it decides what the
    /// outcome ``PowerCutOutcome/syncsInFlight`` leaves.
    package func coveredBySyncsInFlight(of device: Int = 0) -> [Bool] {
        let disk = devices[device].disk
        return disk.hasCoveredOperations ? disk.coveredBySyncsInFlight : []
    }

    /// The outcomes to try for a power cut now, as ``SimulatedDisk/powerCutChoice(turn:atMost:)``.
    package func powerCutChoice(of device: Int = 0, turn: Int, atMost most: Int?) -> PowerCutChoice {
        devices[device].disk.powerCutChoice(turn: turn, atMost: most)
    }
}

extension WebStorage {
    fileprivate func add(to sum: inout Fingerprint) {
        for answer in cache {
            sum.add(answer.target)
            sum.add(answer.tag)
            sum.add(answer.isImmutable ? 1 : 0)
            sum.add(answer.bytes.count)
            // An entity tag identifies content; without one the content itself is added.
            if answer.tag.isEmpty { for byte in answer.bytes { sum.add(UInt64(byte)) } }
        }
        for item in items {
            sum.add(item.origin)
            sum.add(item.key)
        }
        for cookie in cookies {
            sum.add(cookie.name)
            sum.add(cookie.value)
            sum.add(cookie.isLasting ? 1 : 0)
        }
    }
}
