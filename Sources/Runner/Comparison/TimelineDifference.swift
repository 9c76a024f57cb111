import Core

/// The first entry at which two timelines part, and what was known then.
package struct TimelineDifference: Hashable, Sendable {
    /// The last entries before it, the same on both sides.
    package var before: [TimelineEntry]
    /// The entry at which they part and those after it; empty: that timeline was over.
    package var one: [TimelineEntry]
    package var other: [TimelineEntry]
    /// Number of equal entries.
    package var equalCount: Int
    /// The device's state before it (screen and record), the same on both sides unless files differed before;
    /// empty if the states were not recorded.
    package var state: [DeviceMoment.Change]
    /// Parts of the state that differ right after it.
    package var stateAfter: [ContentDifference.Pair]
    /// Numbers of entries that each side's report left out; the first difference may be among them.
    package var leftOut: LeftOut?

    package struct LeftOut: Hashable, Sendable {
        package var one: Int
        package var other: Int
    }

    private static let context = 6
    private static let following = 4

    /// - Returns: nil if the timelines are equal as far as they are known.
    /// - Parameter ignoresSecrets: whether the tokens of page loads, which each seed draws, are not compared.
    init?(_ one: ScenarioResult, _ other: ScenarioResult, ignoresSecrets: Bool) {
        let (left, right) = (one.timeline, other.timeline)
        let isCut = one.timelineLeftOut > 0 || other.timelineLeftOut > 0
        // A report leaves out the middle. Behind that place the entries of two timelines may not correspond.
        let limits = [one, other].map { $0.timelineLeftOut > 0 ? $0.timeline.count / 2 : $0.timeline.count }
        let common = min(limits[0], limits[1])
        var index = 0
        while index < common,
            TimelineDifference.areEqual(left[index], right[index], ignoresSecrets: ignoresSecrets)
        { index += 1 }
        let isAtCut = isCut && index == common
        let isOver = index == left.count && index == right.count
        if isOver || (isAtCut && left == right) { return nil }
        equalCount = index
        before = Array(left[max(0, index - TimelineDifference.context)..<index])
        func after(_ entries: [TimelineEntry], _ limit: Int) -> [TimelineEntry] {
            isAtCut ? [] : Array(entries[index..<min(index + TimelineDifference.following, limit)])
        }
        self.one = after(left, limits[0])
        self.other = after(right, limits[1])
        leftOut = isAtCut ? LeftOut(one: one.timelineLeftOut, other: other.timelineLeftOut) : nil
        let last = before.last?.ordinal ?? 0
        state = one.moments.state(upTo: last).filter { $0.part != .disk }
        stateAfter = TimelineDifference.changes(
            one.moments.state(upTo: self.one.first?.ordinal ?? last),
            other.moments.state(upTo: self.other.first?.ordinal ?? last))
    }

    /// Whether two entries say the same. Their ordinals count events that no timeline shows.
    private static func areEqual(
        _ one: TimelineEntry, _ other: TimelineEntry, ignoresSecrets: Bool
    ) -> Bool {
        guard one.at == other.at, one.lane == other.lane, one.fault == other.fault, one.step == other.step
        else { return false }
        if one.text == other.text { return true }
        return ignoresSecrets && withoutToken(one.text) == withoutToken(other.text)
    }

    /// The text of `page load a6b53e of v1 begins` without the token of the page load.
    private static func withoutToken(_ text: String) -> [Substring] {
        var words = text.split(separator: " ")
        for index in words.indices.dropFirst() where words[index - 1] == "load" { words[index] = "*" }
        return words
    }

    /// Parts that differ in two states.
    static func changes(
        _ one: [DeviceMoment.Change], _ other: [DeviceMoment.Change]
    ) -> [ContentDifference.Pair] {
        var pairs: [ContentDifference.Pair] = []
        var rest = other.filter(\.isContentOrState)
        for item in one where item.isContentOrState {
            let place = rest.firstIndex { $0.part == item.part && $0.name == item.name }
            let value = place.map { rest.remove(at: $0).value ?? nil } ?? nil
            if value == item.value { continue }
            pairs.append(ContentDifference.Pair(item.name, item.value ?? "none", value ?? "none"))
        }
        for item in rest {
            pairs.append(ContentDifference.Pair(item.name, "none", item.value ?? "none"))
        }
        return pairs
    }
}

extension DeviceMoment.Change {
    /// Whether it says what the device shows, has recorded or keeps. Other files of the store are lists and
    /// notes, whose lengths depend on numbers that a seed draws.
    fileprivate var isContentOrState: Bool {
        part != .disk || name.contains("blobs/") || name.contains("tables/") || name.contains("partials/")
    }
}

extension [DeviceMoment] {
    /// The state after all moments up to an event of the timeline, without what was removed.
    func state(upTo event: Int) -> [DeviceMoment.Change] {
        prefix { $0.lastEvent <= event }.state
    }
}

extension Sequence<DeviceMoment> {
    /// The state after all of them, without what was removed.
    var state: [DeviceMoment.Change] {
        reduce(DeviceMoment(lastEvent: 0, at: .zero, changes: [])) { $0.joined(with: $1) }.changes
            .filter { $0.value != nil }
    }
}
