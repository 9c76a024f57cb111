import Core

/// A switch that a page requested, by the bridge's call or by reloading itself (U5).
struct RequestedSwitch: Hashable, Sendable {
    var key: VersionKey
    /// Time of the switch; nil until a process knows the time, so that a day is never counted too short.
    var at: OriginTime?
}

/// U5: pages are limited to three switches to the same version in 24 hours of origin time, counted across
/// processes, so that a page that reloads itself into a version that sends it back can't do so endlessly.
extension Updater {
    static let maxRequestedSwitches = 3

    /// Whether a page may switch to this version once more.
    func isWithinSwitchLimit(_ key: VersionKey) -> Bool {
        let counted = record.switches.count { entry in
            guard entry.key == key else { return false }
            guard let at = entry.at, let time = originNow ?? record.originTime else { return true }
            return time - at < .hours(24)
        }
        return counted < Updater.maxRequestedSwitches
    }

    mutating func recordRequestedSwitch(to key: VersionKey) {
        record.switches.append(RequestedSwitch(key: key, at: originNow))
        if record.switches.count > StoreRecord.switchLimit { record.switches.removeFirst() }
    }

    /// Logs that a page does not get the pending version, and notifies the page.
    mutating func refuseSwitch(to key: VersionKey) {
        log(.switchedTooOften, key, "\(Updater.maxRequestedSwitches) in 24 h")
        effects.append(.notice(.error(.switchedTooOften, key.id)))
    }

    /// After a valid response: removes switches that are a day old.
    mutating func dropOldSwitches() {
        guard let time = originNow else { return }
        record.switches.removeAll { entry in entry.at.map { time - $0 >= .hours(24) } ?? false }
    }
}
