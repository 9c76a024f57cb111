import Backend
import Core
import Updater

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

    /// - Parameter place: what ended before it is not counted.
    static func read(_ facts: [TraceEvent], from place: Int = 0) -> TimesReader {
        var reader = TimesReader()
        for fact in facts[..<place] { reader.observe(fact) }
        reader.times = TimesSummary()
        (reader.switches, reader.rescues) = (0, 0)
        for fact in facts[place...] { reader.observe(fact) }
        return reader
    }

    /// Of each device by itself, then all together.
    static func read(_ facts: [TraceEvent], devices: Int) -> TimesReader {
        if devices == 1 { return read(facts) }
        var all = TimesReader()
        for device in 0..<devices {
            let one = read(facts.filter { $0.device == device || $0.device < 0 })
            all.times.launches += one.times.launches
            all.times.switches += one.times.switches
            all.times.rescues += one.times.rescues
            all.times.white += one.times.white
            all.switches += one.switches
            all.rescues += one.rescues
        }
        return all
    }

    private mutating func observe(_ fact: TraceEvent) {
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
