import Backend
import Oracle
import ScenarioLanguage
import Updater

/// One part of an expectation: what is compared with what is observed.
///
/// Reports show its ``name``. The choice of the events that explain a failure asks the part itself which
/// events it is about (``concerns(_:)``).
package enum ExpectationPart: Hashable, Sendable {
    case running, pending, lastKnownGood, blacklist, parked, confirmed
    case stored, storedFiles
    /// The blacklist entry of a version, or a member of it.
    case blame(version: String, BlameMember? = nil)
    case started
    /// Number of starts of a version that ended in this way.
    case starts(version: String, StartTrace.End)
    /// State of the page in front.
    case page
    /// Version of a page that the scenario names.
    case namedPage(String)
    /// Address of the page in front.
    case route
    case process, screen, port, progress, cookies, storage
    case whiteTime, time
    /// Longest time from such an event to content.
    case timeToContent(TimedEvent)
    /// Longest time to an answer of the local server.
    case timeToAnswer(UpdatePhase)
    case reloads, switches
    case log
    /// Causes in the log for a version.
    case logOf(version: String)
    case outcomes
    case messages, progressMessages, replies
    /// What native code got from pages.
    case nativeAnswers
    /// Links that native code took over.
    case links
    /// Texts in the newest error report.
    case report
    case answers(AnswersExpectation)
    /// Answers to clients that are no pages of the app.
    case clientAnswers(AnswersExpectation)
    /// Requests that the remote root received.
    case forwarded(ForwardedExpectation)
    case requests(RequestKind)
    /// Number of downloaded files.
    case fetchedFiles
    /// Routes of downloaded files.
    case fetched
    /// Body bytes received from the origin.
    case bytes

    package enum BlameMember: String, Hashable, Sendable {
        case cause, count, ended
    }

    package enum TimedEvent: String, Hashable, Sendable {
        case launch
        case switching = "switch"
        case rescue
    }

    package enum UpdatePhase: String, Hashable, Sendable {
        case idle
        case duringUpdate = "during an update"
    }

    /// Which requests to the origin are counted.
    package enum RequestKind: Hashable, Sendable {
        case all, manifest, index, outcomes, files
        /// Requests for one file, or for the files of a template with `{hash}`.
        case route(String)
        /// Requests that resume a file (`Range`).
        case resumed
        /// Requests with a condition (`If-None-Match`).
        case conditional
    }
}

// MARK: - In reports

extension ExpectationPart {
    /// Name in reports: `pending`, `requests for /app.js` …
    package var name: String {
        switch self {
        case .running: "running"
        case .pending: "pending"
        case .lastKnownGood: "last known good"
        case .blacklist: "blacklist"
        case .parked: "parked"
        case .confirmed: "confirmed"
        case .stored: "stored"
        case .storedFiles: "stored files"
        case .blame(let version, nil): "blame of \(version)"
        case .blame(let version, let member?): "blame of \(version): \(member.rawValue)"
        case .started: "started"
        case .starts(let version, let end): "starts of \(version): \(end.name)"
        case .page: "page"
        case .namedPage(let page): "page \(page)"
        case .route: "route"
        case .process: "process"
        case .screen: "screen"
        case .port: "port"
        case .progress: "progress"
        case .cookies: "cookies"
        case .storage: "storage"
        case .whiteTime: "white time"
        case .time: "time"
        case .timeToContent(let event): "time from \(event.rawValue) to content"
        case .timeToAnswer(let phase): "time to an answer, \(phase.rawValue)"
        case .reloads: "reloads"
        case .switches: "switches"
        case .log: "log"
        case .logOf(let version): "log of \(version)"
        case .outcomes: "outcomes"
        case .messages: "messages"
        case .progressMessages: "messages of progress"
        case .replies: "replies"
        case .nativeAnswers: "answers to native code"
        case .links: "links"
        case .report: "report"
        case .answers(let wanted): wanted.name
        case .clientAnswers(let wanted): "client \(wanted.name)"
        case .forwarded(let wanted): wanted.name
        case .requests(let kind): kind.name
        case .fetchedFiles: "fetched files"
        case .fetched: "fetched"
        case .bytes: "bytes"
        }
    }

    /// Whether the part counts from the last action where the step has no `since`.
    var countsFromLastAction: Bool {
        switch self {
        case .requests, .fetched, .fetchedFiles, .bytes, .answers, .clientAnswers, .forwarded, .reloads,
            .switches, .time:
            true
        default: false
        }
    }

    /// Whether the part is about events since a position, and not about the current state.
    var countsEvents: Bool {
        switch self {
        case .log, .logOf, .outcomes, .messages, .progressMessages, .replies, .nativeAnswers, .links,
            .report, .started, .starts, .whiteTime, .progress, .timeToContent, .timeToAnswer:
            true
        default: countsFromLastAction
        }
    }

    /// Version that the part itself names.
    var version: String? {
        switch self {
        case .blame(let version, _), .starts(let version, _), .logOf(let version): version
        default: nil
        }
    }

    /// Name of the version in a value of the part, as the scenario language writes the value; nil if values
    /// of this part name none.
    func version(in value: String) -> String? {
        switch self {
        case .running, .pending, .lastKnownGood, .namedPage, .blacklist, .parked, .stored, .started: value
        // `v2:/app.js`.
        case .storedFiles: value.components(around: ":")?.0
        // `taken v2`, `newVersionReady v2`, `switchToPendingVersion v2 #7`.
        case .outcomes, .messages, .replies:
            value.components(around: " ").map { $1.components(around: " ")?.0 ?? $1 }
        default: nil
        }
    }
}

extension StartTrace.End {
    fileprivate var name: String {
        switch self {
        case .confirmed: "confirmed"
        case .failed: "failed"
        case .unclear: "unclear"
        case .uncounted: "uncounted"
        }
    }
}

extension ExpectationPart.RequestKind {
    fileprivate var name: String {
        switch self {
        case .all: "requests"
        case .manifest: "requests for the manifest"
        case .index: "requests for the index"
        case .outcomes: "requests for outcomes"
        case .files: "requests for files"
        case .route(let route): "requests for \(route)"
        case .resumed: "requests for a part"
        case .conditional: "conditional requests"
        }
    }
}

extension ForwardedExpectation {
    fileprivate var name: String {
        var name = "requests at the remote root"
        if let method { name += " with \(method.value.rawValue)" }
        if let asked { name += " for \(asked.value)" }
        if !has.isEmpty { name += " with \(has.map(\.value).joined(separator: ", "))" }
        if !hasNot.isEmpty { name += " without \(hasNot.map(\.value).joined(separator: ", "))" }
        if body != nil { name += " with this body" }
        return name
    }
}

extension AnswersExpectation {
    fileprivate var name: String {
        var name = "answers"
        switch asked?.value {
        case .route(let route): name += " to \(route)"
        case .kind(let kind): name += " to a \(kind.rawValue)"
        case nil: break
        }
        if let type { name += " of type \(type.value)" }
        if let status { name += " with status \(status.value)" }
        if headers != nil { name += " with these headers" }
        if body != nil { name += " with this body" }
        return name
    }
}
