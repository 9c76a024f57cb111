@testable import Updater

/// What the page `ErrorReport` says about each line of a report.
extension ReportKeyword {
    var meaning: String {
        switch self {
        case .report: "The first line: the format's version. `writer` names the program that wrote it."
        case .app: "The app and its settings, once."
        case .device: "The device in the last process, once."
        case .version: "One version that is known here, with its state and its roles."
        case .blacklist: "One entry of the blacklist, ended ones included."
        case .damaged: "Stored content that lacks its length or hash, by its SHA-256."
        case .log:
            "One entry of the log, oldest first, across processes; a process begins with `launched`."
        case .host: "One log entry of the app (server, bridge), of the last process only."
        case .end: "The last line: the number of lines before it. Without it the report was truncated."
        }
    }

    /// Fields that a line with this keyword may have, in the order in which they are written.
    var fields: [String] {
        switch self {
        case .report: ["format", "writer"]
        case .app:
            [
                "id", "native", "platform", "dialect", "root", "channel", "updates", "confirmation",
                "startup-timeout",
            ]
        case .device: ["id", "boot", "front", "network", "origin-time", "running-since", "data-schema"]
        case .version:
            [
                "id", "digest", "state", "roles", "confirmations", "failures", "unclear", "uncounted",
                "parkings", "verified", "serial",
            ]
        case .blacklist: ["id", "digest", "native", "cause", "count", "ended", "since", "evidence"]
        case .damaged: ["content"]
        case .log: ["n", "after", "cause", "version", "facts"]
        case .host: ["n", "cause", "facts"]
        case .end: ["lines"]
        }
    }
}
