/// The words that begin a line of an error report, and the fields each may have. The page `ErrorReport` is
/// made from this table; another updater that can tell less leaves lines and fields out.
public enum ReportWord: String, Hashable, Sendable, CaseIterable {
    case report = "otalab-report"
    case app
    case device
    case version
    case blacklist
    case damaged
    case log
    case host
    case end

    public var meaning: String {
        switch self {
        case .report: "The first line: the number of this format. `writer` names the program that wrote it."
        case .app: "The app and its settings, once."
        case .device: "The device as the last process found it, once."
        case .version: "One version that is known here, with its state and the parts it plays."
        case .blacklist: "One entry of the blacklist, ended ones included."
        case .damaged: "Stored content that lacks its length or hash, by its SHA-256."
        case .log:
            "One entry of the log, oldest first, over process deaths; a process begins with `launched`."
        case .host: "One entry of the app around the updater (server, bridge), of the last process alone."
        case .end: "The last line: how many lines there are before it. Without it the report was cut."
        }
    }

    /// Every field that a line of this word may have, in the order of writing.
    public var fields: [String] {
        switch self {
        case .report: ["format", "writer"]
        case .app:
            [
                "id", "native", "platform", "dialect", "root", "channel", "updates", "confirmation",
                "startup-timeout",
            ]
        case .device: ["id", "boot", "front", "network", "origin-time", "data-schema"]
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
