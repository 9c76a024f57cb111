import Core

/// What changed on a device at one moment: on the screen, in the updater's record, among the files of its
/// store. All moments up to one, put together, are what was there then.
///
/// Read from the simulated disk and from what a person can see; never from the updater's memory.
package struct DeviceMoment: Hashable, Sendable {
    /// Of the last thing that had happened by then: a number of the timeline's kind, not always one that the
    /// timeline shows.
    package var number: Int
    package var at: Instant
    /// Sorted by part and name, each once.
    package var changes: [Change]

    package init(number: Int, at: Instant, changes: [Change]) {
        self.number = number
        self.at = at
        self.changes = changes
    }

    /// Where a thing stands. The order is that of a report.
    package enum Part: String, Hashable, Sendable, CaseIterable {
        case screen, record, disk
    }

    package struct Change: Hashable, Sendable {
        package var part: Part
        /// `page`, `pending`, `blobs/05ca33e6` …; the device's name before it where a story has several.
        package var name: String
        /// nil: it is not there any more.
        package var value: String?

        package init(_ part: Part, _ name: String, _ value: String?) {
            self.part = part
            self.name = name
            self.value = value
        }
    }
}

extension [DeviceMoment] {
    /// Puts moments together where there are too many for a report: those that no entry of the timeline
    /// stands at join the one after them, the first ones first. What was there in the end stays the same.
    package func folded(to most: Int, keeping numbers: [Int]) -> [DeviceMoment] {
        var excess = count - most
        guard excess > 0 else { return self }
        var kept: [DeviceMoment] = []
        var waiting: DeviceMoment?
        var places = numbers[...]
        for (place, moment) in enumerated() {
            var moment = moment
            if let earlier = waiting { moment = earlier.joined(with: moment) }
            waiting = nil
            let next = place + 1 < count ? self[place + 1].number : Int.max
            while let number = places.first, number < moment.number { places.removeFirst() }
            let isShown = places.first.map { $0 < next } ?? false
            if excess > 0, !isShown, place + 1 < count {
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
    /// This one and then the other, as one.
    package func joined(with later: DeviceMoment) -> DeviceMoment {
        let kept = changes.filter { old in
            !later.changes.contains { $0.part == old.part && $0.name == old.name }
        }
        let all = Part.allCases.flatMap { part in
            (kept + later.changes).filter { $0.part == part }.sorted { $0.name < $1.name }
        }
        return DeviceMoment(number: later.number, at: later.at, changes: all)
    }
}
