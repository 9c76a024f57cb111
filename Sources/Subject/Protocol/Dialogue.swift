import Core

/// The lines that laboratory and adapter exchanged, for the report. The first and the newest are kept.
package struct Dialogue: Hashable, Sendable {
    package enum Direction: String, Hashable, Sendable {
        case toSubject = "→"
        case fromSubject = "←"
        case note = "·"
    }

    package struct Line: Hashable, Sendable {
        package var at: Instant
        package var direction: Direction
        package var text: String
    }

    /// Lines that are kept from the beginning, and from the end.
    private static let kept = (first: 50, last: 450)

    private var first: [Line] = []
    private var last: ArraySlice<Line> = []
    /// Number of lines between the two that are not kept.
    package private(set) var leftOut = 0

    package init() {}

    package var lines: [Line] { first + last }

    package mutating func add(_ direction: Direction, _ text: String, at instant: Instant) {
        let line = Line(
            at: instant, direction: direction, text: String(text.prefix(ProtocolFault.shownBytes)))
        if first.count < Dialogue.kept.first { return first.append(line) }
        last.append(line)
        if last.count > Dialogue.kept.last {
            last.removeFirst()
            leftOut += 1
        }
    }
}
