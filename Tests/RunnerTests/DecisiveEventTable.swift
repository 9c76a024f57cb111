import Testing

/// Failing scenarios, each with the event that a reader must see to understand it.
///
/// The worlds are small: v1 is embedded, v2 and v3 change its script. Texts of events are parts of timeline
/// entries.
enum DecisiveEventTable {
    struct Row: Sendable, CustomTestStringConvertible {
        var title: String
        var app: String
        /// More members of the version v2.
        var v2: String
        var start: Start
        var steps: String
        /// Text of the decisive event.
        var shown: String
        var since: Since

        init(
            _ title: String, app: String = #"app: { id: "com.example.shop", embeds: "v1" },"#,
            v2: String = "",
            from start: Start, _ steps: String, shows shown: String, since: Since
        ) {
            self.title = title
            self.app = app
            self.v2 = v2
            self.start = start
            self.steps = steps
            self.shown = shown
            self.since = since
        }

        var testDescription: String { title }
    }

    /// State in which the steps of a row begin.
    enum Start: String, Sendable {
        case nothing = ""
        case launched = "{ launch: true },"
        case checked = #"{ launch: true }, { deploy: "v2" }, { check: true },"#
        case pending = #"""
            { launch: true }, { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
            """#
        case confirmed = #"""
            { launch: true }, { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
            { relaunch: true }, { expect: { running: "v2", confirmed: true }, within: "10s" },
            """#
    }

    /// What the failure says about the time since when it was wrong.
    enum Since: Sendable {
        /// It was wrong from the beginning.
        case always
        /// Since the moment of the event with this text.
        case event(String)
        /// Several events of that moment explain it equally well.
        case unstated
    }

    static let all = updates + starts + events + values

    /// An app with two builds, of which only the one that is not installed has the native interface B.
    private static let twoBuilds = #"""
        app: {
          id: "com.example.shop", installed: "1.0",
          builds: { "1.0": { embeds: "v1", native: "A" }, "2.0": { embeds: "v1", native: "B" } },
        },
        """#

    /// Updates that do not come, come unexpectedly or are dropped.
    private static let updates = [
        Row(
            "an update that nobody expected",
            from: .checked,
            #"{ wait: "60s" }, { expect: { pending: null } }"#,
            shows: "log: became-pending v2",
            since: .event("log: became-pending v2")),
        Row(
            "a crash at start",
            v2: #", startup: { dies: "process", after: "2s" }"#,
            from: .pending,
            #"""
            { relaunch: true }, { wait: "30s" }, { launch: true }, { wait: "5s" },
            { expect: { running: "v2" } }
            """#,
            shows: "process ends: crash",
            since: .event("process ends: crash")),
        Row(
            "a crash, looked for in the process",
            v2: #", startup: { dies: "process", after: "2s" }"#,
            from: .pending,
            #"""
            { relaunch: true }, { expect: { page: "ready" }, within: "5s" }, { wait: "5s" },
            { expect: { page: "ready" } }
            """#,
            shows: "process ends: crash",
            since: .event("process ends: crash")),
        Row(
            "a file that is not there",
            from: .launched,
            #"""
            { fault: { status: 404 }, path: "/app.js" }, { deploy: "v2" }, { check: true },
            { expect: { pending: "v2" }, within: "30s" }
            """#,
            shows: "404",
            since: .always),
        Row(
            "a manifest that is not there",
            from: .launched,
            #"""
            { wait: "1s" }, { fault: { status: 404 }, path: "manifest" }, { deploy: "v2" },
            { check: true }, { expect: { pending: "v2" }, within: "30s" }
            """#,
            shows: "404",
            since: .always),
        Row(
            "a server error",
            from: .launched,
            #"""
            { wait: "1s" }, { fault: { status: 503 }, path: "/app.js" }, { deploy: "v2" },
            { check: true }, { expect: { pending: "v2" }, within: "20s" }
            """#,
            shows: "503",
            since: .always),
        Row(
            "a corrupt file",
            from: .launched,
            #"""
            { fault: { corrupt: "1 byte" }, path: "/app.js" }, { deploy: "v2" }, { check: true },
            { expect: { pending: "v2" }, within: "30s" }
            """#,
            shows: "log: content-mismatch",
            since: .always),
        Row(
            "no network",
            from: .launched,
            #"""
            { wait: "1s" }, { network: "offline" }, { deploy: "v2" }, { check: true },
            { expect: { pending: "v2" }, within: "30s" }
            """#,
            shows: "offline",
            since: .always),
        Row(
            "an answer that never comes",
            from: .launched,
            #"""
            { wait: "1s" }, { deploy: "v2" }, { fault: { slow: "answers", by: "1h" } },
            { check: true }, { expect: { pending: "v2" }, within: "10s" }
            """#,
            shows: "asks for the manifest",
            since: .always),
        Row(
            "no room on the disk",
            from: .launched,
            #"""
            { wait: "1s" }, { fault: { noSpace: "after 0 B" } }, { deploy: "v2" }, { check: true },
            { expect: { pending: "v2" }, within: "10s" }
            """#,
            shows: "log: no-space",
            since: .always),
        Row(
            "a version for another native build",
            app: twoBuilds,
            v2: #", native: "B""#,
            from: .checked,
            #"{ expect: { pending: "v2" }, within: "10s" }"#,
            shows: "log: native-outside-range",
            since: .always),
        Row(
            "a recalled version",
            from: .pending,
            #"{ recall: ["v2"] }, { check: true }, { wait: "10s" }, { expect: { pending: "v2" } }"#,
            shows: "recalls v2",
            since: .event("log: recalled v2")),
        Row(
            "a replaced version",
            from: .pending,
            #"{ deploy: "v3" }, { check: true }, { wait: "10s" }, { expect: { pending: "v2" } }"#,
            shows: "log: became-pending v3",
            since: .event("log: became-pending v3")),
        Row(
            "an order to go back",
            from: .confirmed,
            #"""
            { deploy: "v1", order: "roll back" }, { check: true }, { wait: "10s" },
            { expect: { pending: null } }
            """#,
            shows: "log: became-pending v1",
            since: .event("log: became-pending v1")),
        Row(
            "a suspended app",
            from: .launched,
            #"""
            { wait: "1s" }, { background: true }, { suspend: "1h" }, { deploy: "v2" },
            { check: true }, { wait: "1m" }, { expect: { pending: "v2" } }
            """#,
            shows: "suspended",
            since: .always),
        Row(
            "updates are off",
            app: #"app: { id: "com.example.shop", embeds: "v1", updates: "never" },"#,
            from: .checked,
            #"{ wait: "10s" }, { expect: { pending: "v2" } }"#,
            shows: "v2",
            since: .always),
        Row(
            "a data saver",
            app: #"app: { id: "com.example.shop", embeds: "v1", metered: false },"#,
            from: .launched,
            #"""
            { wait: "1s" }, { network: "metered" }, { deploy: "v2" }, { check: true },
            { wait: "10s" }, { expect: { pending: "v2" } }
            """#,
            shows: "metered",
            since: .always),
        Row(
            "a device that is locked",
            from: .launched,
            #"""
            { wait: "1s" }, { fault: "locked device" }, { deploy: "v2" }, { check: true },
            { wait: "10s" }, { expect: { pending: "v2" } }
            """#,
            shows: "log: ",
            since: .always),
    ]

    /// Starts, switches and ends of processes and pages.
    private static let starts = [
        Row(
            "a reload that switches",
            from: .pending,
            #"{ page: "reload" }, { wait: "3s" }, { expect: { running: "v1" } }"#,
            shows: "log: switched v2",
            since: .event("of v2")),
        Row(
            "a relaunch that switches",
            from: .pending,
            #"{ relaunch: true }, { wait: "3s" }, { expect: { running: "v1" } }"#,
            shows: "log: switched v2",
            since: .event("of v2")),
        Row(
            "a switch while it must not be",
            from: .pending,
            #"{ page: "reload" }, { expect: { running: "v1" }, throughout: "10s" }"#,
            shows: "log: switched v2",
            since: .unstated),
        Row(
            "a start that hangs",
            v2: #", startup: "hangs""#,
            from: .pending,
            #"{ relaunch: true }, { wait: "60s" }, { expect: { running: "v2" } }"#,
            shows: "log: start-failed-by-clock v2",
            since: .event("of v1")),
        Row(
            "a start that throws",
            v2: #", startup: { throws: "after 1s" }"#,
            from: .pending,
            #"{ relaunch: true }, { wait: "10s" }, { expect: { running: "v2" } }"#,
            shows: "log: start-failed-by-page v2",
            since: .unstated),
        Row(
            "a start that never confirms",
            v2: #", startup: { usable: "after 1s", confirms: "never" }"#,
            from: .pending,
            #"{ relaunch: true }, { wait: "60s" }, { expect: { confirmed: false } }"#,
            shows: "v2",
            since: .unstated),
        Row(
            "a kill by the user",
            from: .launched,
            #"{ wait: "3s" }, { kill: "user" }, { wait: "3s" }, { expect: { running: "v1" } }"#,
            shows: "process ends: user",
            since: .event("process ends: user")),
        Row(
            "a kill by the system in background",
            from: .launched,
            #"""
            { wait: "3s" }, { background: true }, { kill: "low memory" }, { wait: "3s" },
            { expect: { page: "ready" } }
            """#,
            shows: "process ends: low memory",
            since: .event("process ends: low memory")),
        Row(
            "a power cut",
            from: .launched,
            #"{ wait: "3s" }, { powerCut: true }, { wait: "3s" }, { expect: { page: "ready" } }"#,
            shows: "power cut",
            since: .event("process ends: battery")),
        Row(
            "a web process that dies",
            v2: #", startup: { dies: "page", after: "4s" }"#,
            from: .pending,
            #"""
            { page: "reload" }, { expect: { running: "v2" }, within: "3s" }, { wait: "10s" },
            { expect: { running: "v2", page: "ready" } }
            """#,
            shows: "web process dies",
            since: .unstated),
        Row(
            "always",
            from: .launched,
            #"""
            { wait: "3s" }, { always: { running: "v1" } }, { deploy: "v2" }, { check: true },
            { wait: "10s" }, { page: "reload" }, { wait: "5s" }
            """#,
            shows: "log: switched v2",
            since: .unstated),
        Row(
            "always after a crash",
            v2: #", startup: { dies: "process", after: "2s" }"#,
            from: .pending,
            #"""
            { relaunch: true }, { expect: { page: "ready" }, within: "5s" },
            { always: { page: "ready" } }, { wait: "10s" }
            """#,
            shows: "process ends: crash",
            since: .event("process ends: crash")),
        Row(
            "damage on the disk",
            from: .confirmed,
            #"""
            { kill: "user" }, { disk: { file: "v2:/app.js", do: { truncate: "10 B" } } },
            { network: "offline" }, { launch: true }, { wait: "5s" }, { expect: { running: "v2" } }
            """#,
            shows: "log: content-damaged",
            since: .unstated),
        Row(
            "a rescue",
            v2: #", startup: { fails: 1, how: { throws: "after 1s" } }"#,
            from: .pending,
            #"{ page: "reload" }, { wait: "10s" }, { expect: { running: "v2", page: "ready" } }"#,
            shows: "log: rescued",
            since: .unstated),
    ]
}
