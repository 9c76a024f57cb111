import Core
import Oracle
import Runner
import World

/// The classes of outcomes of a crash at one disk operation: how the device is stopped, and after a power cut
/// which of the operations survive that were not durable (`Sources/Runner/Runner.docc/CrashPoints.md`).
package enum CrashClass: String, CaseIterable, Hashable, Sendable {
    /// The process dies; the page cache survives.
    case kill
    /// The process dies in the middle of a write.
    case partOfWrite
    case nothing
    case everything
    case metadataOnly
    case dataOnly
    case only
    case allBut
    case pair
    case torn
    case syncsInFlight
    case other

    package init(_ cut: PowerCutClass) {
        self =
            switch cut {
            case .nothing: .nothing
            case .everything: .everything
            case .metadataOnly: .metadataOnly
            case .dataOnly: .dataOnly
            case .only: .only
            case .allBut: .allBut
            case .pair: .pair
            case .torn: .torn
            case .syncsInFlight: .syncsInFlight
            case .other: .other
            }
    }

    /// The name in reports.
    package var name: String {
        switch self {
        case .kill: "kill"
        case .partOfWrite: "kill in a write"
        case .nothing: "nothing"
        case .everything: "everything"
        case .metadataOnly: "names and lengths"
        case .dataOnly: "content"
        case .only: "one alone"
        case .allBut: "all but one"
        case .pair: "a pair"
        case .torn: "one torn"
        case .syncsInFlight: "syncs in flight"
        case .other: "other parts"
        }
    }
}

/// For each class, the number of operations at which it exists and at which an outcome of it was tried.
package struct CrashClassCounts: Hashable, Sendable {
    package struct Count: Hashable, Sendable {
        package var kind: CrashClass
        package var existing = 0
        package var tried = 0

        package init(_ kind: CrashClass) { self.kind = kind }
    }

    /// One count for each class, in the order of the cases.
    package var counts = CrashClass.allCases.map { Count($0) }

    package init() {}

    package subscript(_ kind: CrashClass) -> Count { counts.first { $0.kind == kind } ?? Count(kind) }

    package mutating func note(_ kind: CrashClass, isTried: Bool = true) {
        for index in counts.indices where counts[index].kind == kind {
            counts[index].existing += 1
            if isTried { counts[index].tried += 1 }
        }
    }

    package mutating func note(_ choice: PowerCutChoice) {
        for kind in PowerCutClass.allCases where choice.existing.contains(kind) {
            note(CrashClass(kind), isTried: choice.covered.contains(kind))
        }
    }

    package static func + (left: CrashClassCounts, right: CrashClassCounts) -> CrashClassCounts {
        var sum = left
        for index in sum.counts.indices {
            sum.counts[index].existing += right.counts[index].existing
            sum.counts[index].tried += right.counts[index].tried
        }
        return sum
    }
}
