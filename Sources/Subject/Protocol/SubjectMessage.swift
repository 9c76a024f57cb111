import Core
import HTTP1

/// A message of an adapter: one line of its standard output.
package enum SubjectMessage: Hashable, Sendable {
    case subject(SubjectDescription)
    /// Its server accepts connections; path and query of the first page, or nil: it says itself when to load
    /// one.
    case listening(start: String?)
    /// It navigates a web view by itself, to this path and query.
    case load(view: Int, url: String)
    case status(SubjectStatus)
    case told(Telling)
    /// A message (JSON, UTF-8) for the document of a view.
    case message(view: Int, json: [UInt8])
    case screen(SubjectScreen)
    case answer(SubjectAnswer)
    /// A kind that this version of the protocol does not have; it is ignored.
    case unknown(String)

    /// Something for the report.
    package struct Telling: Hashable, Sendable {
        package enum What: String, Hashable, Sendable, CaseIterable {
            case ready, progress, error, refused, rescued, blamed
        }

        package var what: What
        package var version: String?
        package var cause: String?
        package var text: String?
    }
}

/// The answer to a command.
package struct SubjectAnswer: Hashable, Sendable {
    /// Id of the command.
    package var to: Int
    package var isOK: Bool
    package var why: String?
    /// Of `rest` with a clock of its own: time to its next timer; nil: it has none.
    package var next: TimeSpan?
    /// Of `rest` with a clock of its own: number of its requests that wait for bytes; nil: it does not say.
    package var open: Int?
    /// Of `get`.
    package var response: Response?

    package struct Response: Hashable, Sendable {
        package enum Body: Hashable, Sendable {
            case bytes([UInt8])
            /// A path.
            case file(String)
        }

        /// 200 to 599.
        package var status: Int
        package var type: String?
        package var headers = HeaderFields()
        package var body: Body
    }
}

/// The state of an updater as it tells it; nil: not told, or not changed.
package struct SubjectStatus: Hashable, Sendable {
    /// An id that can be none.
    package enum Told: Hashable, Sendable {
        case none
        case id(String)
    }

    package var current: Told?
    package var pending: Told?
    package var good: [String]?
    package var blacklist: [String]?
    package var parked: [String]?

    package init() {}

    /// Takes over what another one tells.
    package mutating func update(_ other: SubjectStatus) {
        current = other.current ?? current
        pending = other.pending ?? pending
        good = other.good ?? good
        blacklist = other.blacklist ?? blacklist
        parked = other.parked ?? parked
    }
}

package enum SubjectScreen: String, Hashable, Sendable, CaseIterable {
    case cover, loading, offline, recovery, page
}
