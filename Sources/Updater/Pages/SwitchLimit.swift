import Core

/// A switch that a page asked for, by the bridge's call or by reloading itself (U5).
struct RequestedSwitch: Hashable, Sendable {
    var key: VersionKey
    /// Nil until this process or a later one knows the time, so that a day is never counted too short.
    var at: OriginTime?
}

/// U5: pages get three switches to the same version in 24 hours, counted over process deaths in origin time;
/// a page that reloads itself into a version that sends it back can't do so without end.
extension Updater {
    static let mostAskedSwitches = 3

    /// Whether a page may be given this version once more.
    func mayBeAskedFor(_ key: VersionKey) -> Bool {
        let counted = record.switches.count { entry in
            guard entry.key == key else { return false }
            guard let at = entry.at, let time = originNow ?? record.originTime else { return true }
            return time - at < .hours(24)
        }
        return counted < Updater.mostAskedSwitches
    }

    mutating func noteAskedSwitch(to key: VersionKey) {
        record.switches.append(RequestedSwitch(key: key, at: originNow))
        if record.switches.count > Record.switchLimit { record.switches.removeFirst() }
    }

    /// Tells that a page does not get what is pending.
    mutating func refuseSwitch(to key: VersionKey) {
        log(.switchedTooOften, key, "\(Updater.mostAskedSwitches) in 24 h")
        effects.append(.notice(.error(.switchedTooOften, key.id)))
    }

    /// After a good answer: what is a day old counts no longer.
    mutating func dropOldSwitches() {
        guard let time = originNow else { return }
        record.switches.removeAll { entry in entry.at.map { time - $0 >= .hours(24) } ?? false }
    }
}
