import Core
import Updater
import World

/// Reads from facts how long the user waited at launches, switches and rescues (T4).
struct TimesReader {
    private(set) var times = TimesSummary()
    private(set) var switches = 0
    private(set) var rescues = 0

    private var launched: Instant?
    private var switched: Instant?
    private var rescued: Instant?
    private var shown: VersionKey?
    private var hasPage = false

    static func read(_ facts: [Fact]) -> TimesReader {
        var reader = TimesReader()
        for fact in facts { reader.observe(fact) }
        return reader
    }

    private mutating func observe(_ fact: Fact) {
        switch fact.kind {
        case .launched(let foreground, _):
            launched = foreground ? fact.at : nil
            hasPage = false
        case .processEnded, .powerCut:
            launched = nil
            switched = nil
            rescued = nil
        case .log(let entry) where entry.cause == .rescued:
            rescues += 1
            rescued = fact.at
        case .pageLoad(.first, _, let key):
            if let shown, shown != key {
                switches += 1
                if hasPage, rescued == nil { switched = fact.at }
            }
            shown = key
            hasPage = true
        case .contentShown(.first):
            if let launched { times.launches.append(fact.at - launched) }
            if let switched { times.switches.append(fact.at - switched) }
            if let rescued { times.rescues.append(fact.at - rescued) }
            launched = nil
            switched = nil
            rescued = nil
        case .whiteEnded(let span): times.white += span
        default: break
        }
    }
}
