import LocalServer
import Updater

/// An event for one of the parts.
enum PartEvent: Sendable {
    case updater(Updater.Event)
    case server(LocalServer.Event)
    /// The next step of listing the app package.
    case listPackage
}

/// Events for the parts, in the order in which they are handled.
///
/// **Invariants.** While events are left after a step, one ``AppHost/AppHost/Effect/again`` is outstanding,
/// and never two. An event of the background lane is handled in the step in which it comes: the shell has
/// chosen the moment, and one that was left here would be handled while a page waits (S9).
struct PartEventQueue: Sendable {
    private var events: [PartEvent] = []
    private var isAgainOutstanding = false

    mutating func append(_ event: PartEvent) { events.append(event) }

    /// Adds an event that must be handled before those that wait: in the step in which it comes.
    mutating func putFirst(_ event: PartEvent) { events.insert(event, at: 0) }

    /// Makes the event that was appended last the next one.
    mutating func putLastFirst() {
        guard let last = events.popLast() else { return }
        putFirst(last)
    }

    /// Removes a timer that is cancelled or set again while it waits here.
    mutating func remove(_ timer: AppHost.TimerName) {
        events.removeAll { event in
            switch event {
            case .updater(.timer(let name)): timer == .updater(name)
            case .server(.timer(let name)): timer == .server(name)
            case .updater, .server, .listPackage: false
            }
        }
    }

    mutating func next() -> PartEvent? { events.isEmpty ? nil : events.removeFirst() }

    /// The outstanding ``AppHost/AppHost/Event/again`` has come.
    mutating func continued() { isAgainOutstanding = false }

    /// To be called after each step.
    /// - Returns: whether another step is to be requested.
    mutating func requestsAgain() -> Bool {
        guard !events.isEmpty, !isAgainOutstanding else { return false }
        isAgainOutstanding = true
        return true
    }
}
