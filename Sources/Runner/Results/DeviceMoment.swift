import Core

/// Changes on a device at one moment: on the screen, in the updater's record, and in the files of its store.
/// All moments up to one, joined, are the state at that moment.
///
/// The state is read from the disk and the screen, never from the updater's memory.
package struct DeviceMoment: Hashable, Sendable {
    /// Ordinal of the last event by then, as in ``TimelineEntry/ordinal``; the timeline may leave that event
    /// out.
    package var lastEvent: Int
    package var at: Instant
    /// Sorted by part and name, each once.
    package var changes: [Change]

    package init(lastEvent: Int, at: Instant, changes: [Change]) {
        self.lastEvent = lastEvent
        self.at = at
        self.changes = changes
    }

    /// Part of the device. The order is that of a report.
    package enum Part: String, Hashable, Sendable, CaseIterable {
        case screen, record, disk
    }

    package struct Change: Hashable, Sendable {
        package var part: Part
        /// `page`, `pending`, `blobs/05ca33e6` …; preceded by the device's name if a scenario has several
        /// devices.
        package var name: String
        /// New value; nil: removed.
        package var value: String?

        package init(_ part: Part, _ name: String, _ value: String?) {
            self.part = part
            self.name = name
            self.value = value
        }
    }
}

extension [DeviceMoment] {
    /// Joins moments if there are too many for a report: those without an entry in the timeline join the next
    /// one, the earliest first. The final state stays the same.
    package func folded(to limit: Int, keeping numbers: [Int]) -> [DeviceMoment] {
        var excess = count - limit
        guard excess > 0 else { return self }
        var kept: [DeviceMoment] = []
        var waiting: DeviceMoment?
        var remaining = numbers[...]
        for (index, moment) in enumerated() {
            var moment = moment
            if let earlier = waiting { moment = earlier.joined(with: moment) }
            waiting = nil
            let next = index + 1 < count ? self[index + 1].lastEvent : Int.max
            while let number = remaining.first, number < moment.lastEvent { remaining.removeFirst() }
            let isShown = remaining.first.map { $0 < next } ?? false
            if excess > 0, !isShown, index + 1 < count {
                waiting = moment
                excess -= 1
            } else {
                kept.append(moment)
            }
        }
        return kept
    }
}

extension DeviceMoment {
    /// This moment followed by a later one, as one.
    package func joined(with later: DeviceMoment) -> DeviceMoment {
        let kept = changes.filter { old in
            !later.changes.contains { $0.part == old.part && $0.name == old.name }
        }
        let all = Part.allCases.flatMap { part in
            (kept + later.changes).filter { $0.part == part }.sorted { $0.name < $1.name }
        }
        return DeviceMoment(lastEvent: later.lastEvent, at: later.at, changes: all)
    }
}
