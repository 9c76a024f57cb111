import Core
import Oracle
import Runner
import World

/// The classes of what can be left at one disk operation: how the device is cut off, and of a power cut which
/// part of what was not durable is left (storage.md, "What 'every legal outcome' means").
package enum CrashClass: String, CaseIterable, Hashable, Sendable {
    /// The process died; the page cache lives on.
    case kill
    /// It died in the middle of a write.
    case partOfWrite
    case nothing
    case everything
    case metadataOnly
    case dataOnly
    case only
    case allBut
    case pair
    case torn
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
            case .other: .other
            }
    }

    /// As reports call it.
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
        case .other: "other parts"
        }
    }
}

/// At how many operations each class exists, and at how many of those an outcome of it was tried.
package struct CrashClassCounts: Hashable, Sendable {
    package struct Row: Hashable, Sendable {
        package var kind: CrashClass
        package var existing = 0
        package var met = 0

        package init(_ kind: CrashClass) { self.kind = kind }
    }

    /// One for each class, in their order.
    package var rows = CrashClass.allCases.map { Row($0) }

    package init() {}

    package subscript(_ kind: CrashClass) -> Row { rows.first { $0.kind == kind } ?? Row(kind) }

    package mutating func note(_ kind: CrashClass, isMet: Bool = true) {
        for place in rows.indices where rows[place].kind == kind {
            rows[place].existing += 1
            if isMet { rows[place].met += 1 }
        }
    }

    package mutating func note(_ choice: PowerCutChoice) {
        for kind in PowerCutClass.allCases where choice.existing.contains(kind) {
            note(CrashClass(kind), isMet: choice.met.contains(kind))
        }
    }

    package static func + (left: CrashClassCounts, right: CrashClassCounts) -> CrashClassCounts {
        var sum = left
        for place in sum.rows.indices {
            sum.rows[place].existing += right.rows[place].existing
            sum.rows[place].met += right.rows[place].met
        }
        return sum
    }
}
