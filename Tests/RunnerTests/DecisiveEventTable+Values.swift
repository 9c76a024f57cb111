extension DecisiveEventTable {
    /// Parts that count requests, answers, bytes and page loads.
    static let events = [
        Row(
            "bytes",
            from: .checked,
            #"{ wait: "10s" }, { expect: { bytes: { atMost: "2 KB" } }, since: "start" }"#,
            shows: "#2 ended",
            since: .event("#2 ended")),
        Row(
            "manifest requests",
            from: .launched,
            #"""
            { wait: "20s" }, { check: true }, { wait: "20s" }, { check: true }, { wait: "20s" },
            { expect: { requests: { manifest: { atMost: 1 } } }, since: "start" }
            """#,
            shows: "asks for the manifest (#2)",
            since: .event("asks for the manifest (#2)")),
        Row(
            "requests of a file",
            from: .checked,
            #"{ wait: "10s" }, { expect: { requests: { "/app.js": 0 } }, since: "start" }"#,
            shows: "asks for /app.js",
            since: .event("asks for /app.js")),
        Row(
            "requests since the check",
            from: .launched,
            #"""
            { wait: "3s" }, { deploy: "v2" }, { check: true }, { wait: "30s" },
            { expect: { requests: { manifest: 0 } }, since: "check" }
            """#,
            shows: "asks for the manifest (#2)",
            since: .event("asks for the manifest (#2)")),
        Row(
            "fetched files",
            from: .checked,
            #"{ wait: "10s" }, { expect: { fetched: { files: 0 } }, since: "start" }"#,
            shows: "ended",
            since: .event("ended")),
        Row(
            "an answer of 404",
            from: .launched,
            #"""
            { wait: "3s" }, { page: "in front", asks: "/nope.js" }, { wait: "3s" },
            { expect: { answers: { status: 404, count: 0 } }, since: "start" }
            """#,
            shows: "gets /nope.js: 404",
            since: .event("gets /nope.js: 404")),
        Row(
            "answers to a route",
            from: .launched,
            #"""
            { wait: "3s" }, { page: "in front", asks: "/app.js" }, { wait: "3s" },
            { expect: { answers: { asked: "/app.js", count: 1 } }, since: "start" }
            """#,
            shows: "gets /app.js",
            since: .event("gets /app.js")),
        Row(
            "a reload",
            from: .launched,
            #"""
            { wait: "3s" }, { page: "reload" }, { wait: "3s" },
            { expect: { reloads: 0 }, since: "start" }
            """#,
            shows: "navigation: reload",
            since: .event("page load")),
        Row(
            "a switch",
            from: .pending,
            #"{ page: "reload" }, { wait: "3s" }, { expect: { switches: 0 }, since: "start" }"#,
            shows: "log: switched v2",
            since: .event("of v2 begins")),
        Row(
            "a blacklist",
            v2: #", startup: { throws: "after 1s" }"#,
            from: .pending,
            #"""
            { relaunch: true }, { wait: "10s" }, { relaunch: true }, { wait: "30s" },
            { expect: { blacklist: [] } }
            """#,
            shows: "log: blacklist-entry v2",
            since: .event("log: blacklist-entry v2")),
        Row(
            "a start that counts as failed",
            v2: #", startup: { throws: "after 1s" }"#,
            from: .pending,
            #"{ relaunch: true }, { wait: "10s" }, { expect: { starts: { v2: { failed: 0 } } } }"#,
            shows: "log: start-failed-by-page v2",
            since: .event("log: start-failed-by-page v2")),
        Row(
            "last known good",
            from: .confirmed,
            #"{ wait: "3s" }, { expect: { lastKnownGood: "v1" } }"#,
            shows: "log: start-confirmed v2",
            since: .event("log: start-confirmed v2")),
    ]

    /// Values of the record, the disk, the log and the bridge.
    static let values = [
        Row(
            "started",
            from: .confirmed,
            #"{ wait: "3s" }, { expect: { started: { hasNot: ["v2"] } } }"#,
            shows: "page load",
            since: .event("of v2 begins")),
        Row(
            "a log entry",
            from: .checked,
            #"{ wait: "10s" }, { expect: { log: { hasNot: ["download-started"] } } }"#,
            shows: "log: download-started v2",
            since: .event("log: download-started v2")),
        Row(
            "a log entry from before the last action",
            from: .checked,
            #"""
            { wait: "10s" }, { background: true }, { wait: "1s" },
            { expect: { log: { hasNot: ["download-started"] } } }
            """#,
            shows: "log: download-started v2",
            since: .event("log: download-started v2")),
        Row(
            "log of a version",
            from: .checked,
            #"""
            { wait: "10s" }, { background: true }, { wait: "1s" },
            { expect: { logOf: { v2: { hasNot: ["became-pending"] } } } }
            """#,
            shows: "log: became-pending v2",
            since: .event("log: became-pending v2")),
        Row(
            "stored",
            from: .checked,
            #"{ wait: "10s" }, { expect: { stored: [] } }"#,
            shows: "v2",
            since: .unstated),
        Row(
            "stored files",
            from: .checked,
            #"{ wait: "10s" }, { expect: { storedFiles: { hasNot: ["v2:/app.js"] } } }"#,
            shows: "ended",
            since: .unstated),
        Row(
            "outcomes",
            from: .nothing,
            #"""
            { set: { outcomes: true } }, { launch: true }, { deploy: "v2" }, { check: true },
            { expect: { pending: "v2" }, within: "10s" }, { relaunch: true },
            { expect: { running: "v2", confirmed: true }, within: "10s" }, { wait: "60s" },
            { expect: { outcomes: [] } }
            """#,
            shows: "outcomes reported",
            since: .event("ended, ")),
        Row(
            "messages",
            from: .checked,
            #"{ wait: "10s" }, { expect: { messages: [] } }"#,
            shows: "receives: newVersionReady v2",
            since: .event("receives: newVersionReady v2")),
        Row(
            "replies",
            from: .launched,
            #"""
            { wait: "3s" }, { page: "in front", sends: "{\"method\":\"nope\"}" }, { wait: "3s" },
            { expect: { replies: [] } }
            """#,
            shows: "is answered",
            since: .unstated),
        Row(
            "answers to native code",
            from: .launched,
            #"""
            { wait: "3s" }, { native: { asks: "cart" } }, { wait: "3s" },
            { expect: { nativeAnswers: [] } }
            """#,
            shows: "native code gets",
            since: .event("native code gets")),
        Row(
            "links",
            app: #"app: { id: "com.example.shop", embeds: "v1", nativeLinks: ["/native/*"] },"#,
            from: .launched,
            #"""
            { wait: "3s" }, { page: "in front", opens: "/native/7" }, { wait: "3s" },
            { expect: { links: [] } }
            """#,
            shows: "native code takes over",
            since: .event("native code takes over")),
        Row(
            "a cookie",
            from: .launched,
            #"""
            { wait: "3s" }, { page: "in front", setsCookie: "a" }, { wait: "3s" },
            { expect: { cookies: [] } }
            """#,
            shows: "cookie",
            since: .unstated),
        Row(
            "a stored value",
            from: .launched,
            #"""
            { wait: "3s" }, { page: "in front", stores: "a" }, { wait: "3s" },
            { expect: { storage: [] } }
            """#,
            shows: "stores",
            since: .event("stores")),
        Row(
            "port",
            from: .launched,
            #"{ wait: "3s" }, { expect: { port: null } }"#,
            shows: "listens",
            since: .event("listens")),
        Row(
            "an offline screen",
            app: #"app: { id: "com.example.shop" },"#,
            from: .nothing,
            #"""
            { network: "offline" }, { launch: true }, { wait: "20s" },
            { expect: { screen: "none" } }
            """#,
            shows: "screen: offline",
            since: .unstated),
        Row(
            "progress",
            app: #"app: { id: "com.example.shop" },"#,
            from: .nothing,
            #"""
            { fault: { slow: "answers", by: "1s" } }, { deploy: "v2" }, { launch: true },
            { wait: "60s" }, { expect: { progress: { percent: "0%" } } }
            """#,
            shows: "loading",
            since: .unstated),
        Row(
            "time to content",
            from: .launched,
            #"{ wait: "3s" }, { expect: { times: { launch: { atMost: "1ms" } } } }"#,
            shows: "first content",
            since: .unstated),
        Row(
            "an armed step",
            from: .checked,
            #"{ kill: "user", when: { confirmed: "v2" } }, { wait: "10s" }"#,
            shows: "log: became-pending v2",
            since: .unstated),
        Row(
            "an armed step on a file",
            from: .launched,
            #"""
            { wait: "1s" }, { fault: { status: 404 }, path: "/app.js" }, { deploy: "v2" },
            { check: true }, { kill: "user", when: { fetched: "/app.js" } }, { wait: "10s" }
            """#,
            shows: "404",
            since: .unstated),
        Row(
            "never",
            from: .nothing,
            #"""
            { never: { pending: "v2" } }, { launch: true }, { deploy: "v2" }, { check: true },
            { wait: "10s" }
            """#,
            shows: "log: became-pending v2",
            since: .event("log: became-pending v2")),
        Row(
            "an answer with another status than the expected one",
            from: .launched,
            #"""
            { wait: "3s" }, { page: "in front", asks: "/nope.js" },
            { expect: { answers: { asked: "/nope.js", status: 200, count: 1 } }, within: "2s" }
            """#,
            shows: "gets /nope.js: 404",
            since: .event("gets /nope.js: 404")),
        Row(
            "an entry that the log lacks",
            from: .launched,
            #"""
            { wait: "3s" }, { deploy: "v2" }, { check: true },
            { expect: { log: { has: ["up-to-date"] } }, within: "5s", since: "check" }
            """#,
            shows: "log: download-started v2",
            since: .event("log: download-started v2")),
        Row(
            "an entry that should not be, beside a count that is too small",
            from: .launched,
            #"""
            { wait: "3s" }, { deploy: "v2" }, { check: true }, { wait: "10s" },
            { expect: { log: { hasNot: ["became-pending"] }, requests: { manifest: 2 } }, since: "check" }
            """#,
            shows: "log: became-pending v2",
            since: .event("log: became-pending v2")),
        Row(
            "a failed start, beside one that is still to come",
            from: .pending,
            #"""
            { relaunch: true }, { wait: "100ms" }, { kill: "crash" }, { wait: "1s" }, { launch: true },
            { expect: { starts: { v2: { failed: 0, confirmed: 3, unclear: 0 } }, process: "gone" }, within: "20s" }
            """#,
            shows: "process starts",
            since: .event("process starts")),
    ]
}
