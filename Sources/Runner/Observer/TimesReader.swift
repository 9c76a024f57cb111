import Backend
import Core
import Updater

/// Computes from trace events how long the user waited at launches, switches and rescues (T4), and how long
/// pages waited for the local server (S9, ``AnswerTimesReader``).
struct TimesReader {
    private(set) var times = TimesSummary()
    private(set) var switches = 0
    private(set) var rescues = 0

    private var answers = AnswerTimesReader()
    private var launched: Instant?
    private var switched: Instant?
    private var rescued: Instant?
    private var shown: VersionKey?
    private var hasPage = false

    /// - Parameter index: of the first event from which waits that end are counted.
    static func read(_ events: [TraceEvent], from index: Int = 0) -> TimesReader {
        var reader = TimesReader()
        for event in events[..<index] { reader.observe(event) }
        reader.times = TimesSummary()
        reader.answers.reset()
        (reader.switches, reader.rescues) = (0, 0)
        for event in events[index...] { reader.observe(event) }
        reader.summarize(reader.answers.idle, reader.answers.duringUpdate)
        return reader
    }

    /// Computes each device separately and joins the results.
    static func read(_ events: [TraceEvent], devices: Int) -> TimesReader {
        if devices == 1 { return read(events) }
        var readers = [TimesReader](repeating: TimesReader(), count: devices)
        for event in events {
            if event.device >= 0 {
                readers[event.device].observe(event)
            } else {
                for device in readers.indices { readers[device].observe(event) }
            }
        }
        var all = TimesReader()
        var idle: [TimeSpan] = []
        var duringUpdate: [TimeSpan] = []
        for one in readers {
            all.times.launches += one.times.launches
            all.times.switches += one.times.switches
            all.times.rescues += one.times.rescues
            all.times.white += one.times.white
            all.switches += one.switches
            all.rescues += one.rescues
            idle += one.answers.idle
            duringUpdate += one.answers.duringUpdate
        }
        all.summarize(idle, duringUpdate)
        return all
    }

    private mutating func summarize(_ idle: [TimeSpan], _ duringUpdate: [TimeSpan]) {
        times.answersIdle = AnswerTimes(idle)
        times.answersDuringUpdate = AnswerTimes(duringUpdate)
    }

    private mutating func observe(_ event: TraceEvent) {
        answers.observe(event)
        switch event.kind {
        case .launched(let foreground, _):
            launched = foreground ? event.at : nil
            hasPage = false
        case .processEnded, .powerCut:
            launched = nil
            switched = nil
            rescued = nil
        case .log(let entry) where entry.cause == .rescued:
            rescues += 1
            rescued = event.at
        case .pageLoad(.first, _, let key):
            if let shown, shown != key {
                switches += 1
                if hasPage, rescued == nil { switched = event.at }
            }
            shown = key
            hasPage = true
        case .contentShown(.first):
            if let launched { times.launches.append(event.at - launched) }
            if let switched { times.switches.append(event.at - switched) }
            if let rescued { times.rescues.append(event.at - rescued) }
            launched = nil
            switched = nil
            rescued = nil
        case .whiteEnded(let span): times.white += span
        default: break
        }
    }
}
