import Core
import Updater

/// What the command `launch` says: how the app was launched, and what the device tells of the time before.
package struct SubjectLaunch: Hashable, Sendable {
    /// Whether the app is visible.
    package var isInFront: Bool
    /// Id of the boot; nil: the device does not tell.
    package var boot: String?
    /// How the last process ended; nil: the platform does not tell.
    package var died: Ending?
    /// Path and query of the page that the app was opened for.
    package var link: String?
    /// The device's monotonic clock. A subject whose time passes by command begins there.
    package var time: Instant
    /// The device's wall clock, in seconds since 1970; nil: it has none.
    package var wall: Int64?

    /// The words that the protocol has for what a platform reports.
    package enum Ending: String, Hashable, Sendable, CaseIterable {
        case crash, notResponding, user, lowMemory, unknown

        init?(_ record: ExitRecord) {
            guard let ending = Ending.allCases.first(where: { $0.record == record }) else { return nil }
            self = ending
        }

        /// The platform's record; each ending has another one.
        package var record: ExitRecord {
            switch self {
            case .crash: .crash
            case .notResponding: .notResponding
            case .user: .userRequested
            case .lowMemory: .lowMemory
            case .unknown: .other
            }
        }
    }

    package init(
        isInFront: Bool, boot: String? = nil, died: ExitRecord? = nil, link: String? = nil,
        time: Instant = .zero, wall: Int64? = nil
    ) {
        self.isInFront = isInFront
        self.boot = boot
        self.died = died.flatMap { Ending($0) }
        self.link = link
        self.time = time
        self.wall = wall
    }

    func write(to json: inout JSONWriter) {
        json.member("front", isInFront)
        if let boot { json.member("boot", boot) }
        if let died { json.member("died", died.rawValue) }
        if let link { json.member("link", link) }
        json.member("time", (time - Instant.zero).microseconds / 1_000)
        if let wall { json.member("wall", wall) }
    }
}
