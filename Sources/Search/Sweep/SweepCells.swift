import Core
import Runner
import ScenarioLanguage

/// Which instants of a run a sweep tries with each disturbance.
package enum SweepLevel: Hashable, Sendable {
    /// The first, the middle and the last instant of each cell: disturbance, what was under way, and for a
    /// request its kind.
    case cells
    /// Every n-th instant at which a disturbance can matter.
    case every(Int)
}

/// A disturbance, what was under way, and what it disturbs.
struct SweepCell: Hashable, Sendable {
    var disturbance: String
    var circumstance: Circumstance
    var request: String?

    /// The same for equal cells in every process.
    var id: UInt64 {
        var hash = KeyedHash(key: KeyedHash.Key(low: 0, high: 0))
        for part in [disturbance, circumstance.rawValue, request ?? ""] {
            hash.update(part.utf8)
            hash.update(CollectionOfOne(0))
        }
        return hash.finish()
    }
}

/// The choice for one run.
struct SweepChoice: Sendable {
    /// For each chosen instant the index of its point and the indices of the disturbances, in order.
    private(set) var instants: [(point: Int, disturbances: [Int])] = []
    private(set) var cells = 0
    /// Pairs of a disturbance and an instant at which it can matter.
    private(set) var candidates = 0

    /// - Parameters:
    ///   - only: ids of the cells that are tried; nil: all.
    ///   - known: cells that another run of the same file has; its own are added.
    init(
        _ points: [SweepProbe.Point], _ disturbances: [SweepDisturbance], _ level: SweepLevel, phase: Int,
        only: Set<UInt64>? = nil, known: inout Set<SweepCell>
    ) {
        var chosen = [[Int]](repeating: [], count: points.count)
        for (index, disturbance) in disturbances.enumerated() {
            let fitting = points.indices.filter { points[$0].isOccasion(disturbance.occasion) }
            candidates += fitting.count
            var own: [(cell: SweepCell, points: [Int])] = []
            for point in fitting {
                let cell = SweepCell(
                    disturbance: disturbance.name, circumstance: points[point].circumstance,
                    request: disturbance.occasion == .request ? points[point].request : nil)
                if let at = own.firstIndex(where: { $0.cell == cell }) {
                    own[at].points.append(point)
                } else {
                    own.append((cell, [point]))
                }
            }
            cells += own.count
            switch level {
            case .cells:
                for (cell, all) in own where known.insert(cell).inserted {
                    guard only?.contains(cell.id) ?? true else { continue }
                    for point in Set([0, all.count / 2, all.count - 1]).sorted().map({ all[$0] }) {
                        chosen[point].append(index)
                    }
                }
            case .every(let step):
                for (number, point) in fitting.enumerated() where (number + phase + index) % step == 0 {
                    chosen[point].append(index)
                }
            }
        }
        instants = chosen.enumerated().filter { !$0.element.isEmpty }.map { ($0.offset, $0.element) }
    }

    /// Pairs of a disturbance and an instant that are tried.
    var tried: Int { instants.reduce(0) { $0 + $1.disturbances.count } }
}

extension SweepProbe.Point {
    func isOccasion(_ occasion: SweepDisturbance.Occasion) -> Bool {
        switch occasion {
        case .change: isChanged
        case .request, .forwarded, .diskCalls: next.contains(occasion)
        }
    }
}
