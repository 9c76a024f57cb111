import Backend
import Core

extension SimulatedDisk {
    /// A 64-bit fingerprint of what a search compares. Equal disks have equal fingerprints in every process,
    /// unequal ones with a probability of 2^-64. It reads all content.
    package func fingerprint() -> UInt64 {
        var sum = Fingerprint(key: key)
        sum.add(profile.rawValue)
        sum.add(capacity)
        var walk = DigestWalk(data, names)
        walk.add(VolumeTree.root, to: &sum)
        walk.finish(&sum)
        var packageWalk = DigestWalk(package, names)
        packageWalk.add(VolumeTree.root, to: &sum)
        packageWalk.finish(&sum)
        sum.add(openFiles.count)
        for file in openFiles {
            guard let file else {
                sum.add(-1)
                continue
            }
            sum.add(file.isWritable ? 1 : 0)
            if file.volume == .data { walk.add(file.inode, to: &sum) }
        }
        sum.add(pending.count)
        for operation in pending { walk.add(operation, to: &sum) }
        walk.finish(&sum)
        sum.add(syncsInFlight.count)
        for sync in syncsInFlight {
            sum.add(Int(sync.ticket.rawValue))
            for isCovered in covered(by: sync) { sum.add(isCovered ? 1 : 0) }
        }
        sum.add(faults.damages.count)
        sum.add(faults.calls.count)
        return sum.value
    }
}
