import Foundation

/// What a served app tells, a line each: time of day, who, what. From any thread; lines stay whole.
final class ServeLog: Sendable {
    private let showsDetails: Bool
    private let human: Human
    private let lock = NSLock()

    init(_ human: Human, showsDetails: Bool) {
        self.human = human
        self.showsDetails = showsDetails
    }

    func tell(_ who: String, _ what: String) {
        let who = who.padding(toLength: max(who.count, 8), withPad: " ", startingAt: 0)
        text("\(ServeLog.time())  \(who) \(what)")
    }

    /// Only where details are wanted.
    func detail(_ who: String, _ what: @autoclosure () -> String) {
        if showsDetails { tell(who, what()) }
    }

    func text(_ text: String) { lock.withLock { human.tell(text + "\n") } }

    private static func time() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        var seconds = now.tv_sec
        localtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let milliseconds = String(1_000 + now.tv_nsec / 1_000_000).dropFirst()
        return "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(milliseconds)"
    }
}
