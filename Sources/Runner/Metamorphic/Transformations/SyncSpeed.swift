import Core

/// How long the disk takes to make something durable. A sync is an effect whose result comes back as an
/// event, and no rule names its length; what was decided while it ran is decided with the same facts.
struct SyncSpeed: Transformation {
    /// Length of each sync in those of the device.
    let factor: Int64

    var name: String { factor == 0 ? "syncs that take no time" : "syncs that take \(factor) times as long" }
    let reason = "no rule names the length of a sync"

    func variants(of base: UnchangedRun) throws(NotApplicable) -> [Variant] {
        try base.requireNoRace()
        if !base.scenario.origin.ages.isEmpty {
            throw NotApplicable("edges keep answers for a while, so that the moment of a request decides")
        }
        if let step = base.failingDisk {
            throw NotApplicable("\(base.scenario.text(of: step)) makes those calls fail that come meanwhile")
        }
        if let step = base.passingFault {
            throw NotApplicable("\(base.scenario.text(of: step)) ends after a fixed time")
        }
        let factor = factor
        // Rules name times from 5 s on (R6), and a decision waits for several syncs.
        let changes = base.scenario.deviceChanges
        if [changes.fileSync, changes.folderSync].contains(where: { $0.map { $0 >= .seconds(1) } ?? false }) {
            throw NotApplicable("a sync takes a second and more")
        }
        var variant = Variant(name: name, scenario: base.scenario) { setup in
            for index in setup.devices.indices {
                setup.devices[index].diskCost.sync.change(by: factor)
                setup.devices[index].diskCost.syncDirectory.change(by: factor)
            }
        }
        variant.isOfOtherPace = true
        return [variant]
    }
}

extension TimeSpan {
    /// A tenth of a second at most, where it was not longer before: the platform gives an app in background
    /// a time that is counted, and slower syncs leave it less.
    fileprivate mutating func change(by factor: Int64) {
        let longest = max(self, .milliseconds(100))
        self = min(TimeSpan(microseconds: microseconds * factor), longest)
    }
}
