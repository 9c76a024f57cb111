import Backend
import Core

/// What a device knows of a version's recall.
enum Recall: Sendable {
    /// No manifest of the origin names the version as recalled.
    case none
    /// One does; whether the app has read it and its record says so is not reported.
    case perhapsKnown
    case known
}

/// U13: the recalled versions of which the app has said that it knows.
struct Recalls: Sendable {
    private struct Known: Sendable {
        var id: String
        /// Whether the version was pending then, and must be gone once the recall is written.
        var isOfPending = false
        /// Time awake since the app said so.
        var age = TimeSpan.zero
    }

    /// Time after which what the app knows is in its record, and what follows from it is done.
    private static let written = TimeSpan.seconds(5)

    private var known: [Known] = []

    var isEmpty: Bool { known.isEmpty }

    /// The app has said that a version is recalled.
    mutating func logged(_ id: String, isPending: Bool) {
        if !known.contains(where: { $0.id == id }) { known.append(Known(id: id, isOfPending: isPending)) }
    }

    /// - Returns: whether a version is to be gone from now on that was pending when its recall was known.
    mutating func age(by span: TimeSpan) -> Bool {
        var isDue = false
        for index in known.indices {
            known[index].age = known[index].age + span
            guard known[index].isOfPending, known[index].age >= Recalls.written else { continue }
            known[index].isOfPending = false
            isDue = true
        }
        return isDue
    }

    /// A process begins: it knows what the one before had time to write.
    mutating func launched() { known.removeAll { $0.age < Recalls.written } }

    /// An order of the origin, another origin line or another native build lets versions be offered again.
    mutating func end() { known = [] }

    /// Whether this process knows that the version is recalled.
    func isKnown(_ id: String) -> Bool { known.contains { $0.id == id } }

    /// Whether the app's record must say that the version is recalled.
    func includes(_ id: String) -> Bool { known.contains { $0.id == id && $0.age >= Recalls.written } }

    /// Adds what the next process knows.
    func hash(written hasher: inout Hasher) {
        hasher.combine(known.filter { $0.age >= Recalls.written }.map(\.id))
    }
}

extension ReferenceModel {
    func recall(of version: Version) -> Recall {
        if !isRecalled(version) { return .none }
        return recalls.isKnown(version.id) ? .known : .perhapsKnown
    }

    /// The app is awake: a recalled version that it last reported as pending is to be gone.
    mutating func recallsAge(by span: TimeSpan) {
        if recalls.isEmpty { return }
        let isDue = recalls.age(by: span)
        // The embedded version is never recalled; another one may have its id.
        let pending = report.pending.flatMap { $0 != report.embedded && recalls.includes($0.id) ? $0 : nil }
        if hasReported, isDue || pending != nil { decide(.recalledPending) }
        guard hasReported, let pending else { return }
        recalls.end()
        disagree(
            .recalledPending, pending, allowed: "a recalled version is not pending", actual: "it is pending")
    }

    /// A process shows its first page.
    mutating func compareRecalledStart(_ version: Version) {
        if recalls.isEmpty { return }
        let left = [report.current, previousReport.current, previousReport.pending].compactMap(\.self)
        if left.contains(where: { $0 != version && recalls.includes($0.id) }) { decide(.recalledNotStarted) }
        guard version != report.embedded, recalls.includes(version.id),
            let other = chain(without: [version]).first
        else { return }
        decide(.recalledNotStarted)
        disagree(
            .recalledNotStarted, version, allowed: "a recalled version is not started; \(other.id) is",
            actual: "it is started")
    }
}
