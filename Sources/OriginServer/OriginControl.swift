import Core
import HTTP1
import Live
import Runner
import ScenarioLanguage
import World

/// What a served origin can be told over HTTP, under a path of its own.
///
/// Guarantees: what can't be done is refused with a sentence that says why and what can be (400,
/// 404, 405), and nothing is changed then. A request that a web page of another origin makes is refused
/// (403): a browser on the same network must not deploy. Answers are JSON, or text for a person.
struct OriginControl {
    static let root = "/__otalab"

    let served: ServedOrigin

    init(_ served: ServedOrigin) { self.served = served }

    struct Answer {
        var status: StatusCode
        var fields: HeaderFields
        var body: [UInt8]

        static func text(_ text: String, _ status: StatusCode = .ok) -> Answer {
            Answer(
                status: status, fields: ["Content-Type": "text/plain; charset=utf-8"],
                body: Array(text.utf8))
        }

        static func json(_ json: JSONWriter) -> Answer {
            Answer(
                status: .ok, fields: ["Content-Type": "application/json", "Cache-Control": "no-store"],
                body: json.bytes + [10])
        }

        static func done(_ text: String) -> Answer { .text(text + "\n") }
    }

    /// One thing that can be asked for.
    struct Row {
        var method: RequestMethod
        /// Behind ``root``.
        var path: String
        /// What the last segment stands for; nil: there is none.
        var name: String?
        var isNameNeeded = false
        var help: String
        /// What curl sends with it, where it takes a body.
        var body: String?
    }

    static let rows = [
        Row(method: .get, path: "versions", help: "versions, and which is offered where"),
        Row(method: .get, path: "requests", help: "what was asked and answered, the newest last"),
        Row(method: .get, path: "steps", help: "the story's steps and their times"),
        Row(method: .get, path: "faults", help: "the faults that are there"),
        Row(
            method: .post, path: "deploy", name: "VERSION", isNameNeeded: true,
            help: "offers a version; ?order=force or ?order=roll%20back"),
        Row(method: .post, path: "recall", name: "VERSION", isNameNeeded: true, help: "recalls a version"),
        Row(
            method: .post, path: "unblock", name: "VERSION", isNameNeeded: true,
            help: "takes it off the devices' blacklists"),
        Row(
            method: .post, path: "fault", help: "a fault, as a scenario's step says it",
            body: #"{ fault: { status: 503 }, path: "manifest", times: 2 }"#),
        Row(method: .post, path: "heal", name: "FAULT", help: "ends a fault, or without a name all"),
        Row(
            method: .post, path: "step", help: "any step of a scenario that is the origin's to do",
            body: #"{ deploy: "v2", parts: "manifest" }"#),
        Row(method: .post, path: "next", help: "the story's next step for the origin, now"),
    ]

    func answer(_ request: HTTPPort.Request) -> Answer {
        let head = request.head
        guard let target = head.path else { return .text("error: no path\n", .badRequest) }
        if head.method != .get, head.method != .head, head.fields.contains("Origin") {
            return .text("error: a web page can't tell this origin what to do\n", .forbidden)
        }
        let rest = (target.route?.text ?? target.path).dropFirst(OriginControl.root.utf8.count)
        let parts = rest.split(separator: "/").map(String.init)
        guard let word = parts.first else { return .text(OriginControl.guide(base(head))) }
        let asked = head.method == .head ? .get : head.method
        guard let row = OriginControl.rows.first(where: { $0.path == word }) else {
            return .text(
                "error: nothing is called '\(word)'\n\n" + OriginControl.guide(base(head)), .notFound)
        }
        guard row.method == asked else {
            var answer = Answer.text("error: '\(word)' is asked with \(row.method)\n", .methodNotAllowed)
            answer.fields.append("Allow", row.method == .get ? "GET, HEAD" : row.method.name)
            return answer
        }
        let name = parts.count > 1 ? parts[1] : nil
        if parts.count > 2 || name != nil && row.name == nil || name == nil && row.isNameNeeded {
            let wanted = row.name.map { row.isNameNeeded ? "/\($0)" : "[/\($0)]" } ?? ""
            return .text("error: write \(OriginControl.root)/\(row.path)\(wanted)\n", .badRequest)
        }
        return row.method == .get ? tell(word) : perform(word, name, target, request.body)
    }

    private func base(_ head: RequestHead) -> String {
        "http://" + (head.authority.map { "\($0)" } ?? "localhost:\(served.port.port)")
    }

    /// All that can be asked for, each with a line for a shell.
    static func guide(_ base: String) -> String {
        rows.map { row in
            var line = "curl "
            if row.method == .post { line += "-X POST " }
            if let body = row.body { line += "-d '\(body)' " }
            line += "\(base)\(root)/\(row.path)"
            if row.isNameNeeded, let name = row.name { line += "/\(name)" }
            return "# \(row.help)\n\(line)\n"
        }.joined()
    }

    // MARK: - Telling

    private func tell(_ word: String) -> Answer {
        var json = JSONWriter(indent: 2)
        json.beginArray()
        switch word {
        case "versions": versions(&json)
        case "requests":
            let edges = served.world.setup.origin.edges
            for entry in served.asked.entries { entry.write(to: &json, edges: edges) }
        case "faults": for fault in served.world.activeFaults { write(fault, &json) }
        default: for place in served.story.rows.indices { step(place, &json) }
        }
        json.endArray()
        return .json(json)
    }

    private func versions(_ json: inout JSONWriter) {
        let world = served.world
        for version in world.library.versions {
            json.beginObject()
            json.member("name", version.name)
            json.member("id", version.id)
            json.member("files", version.files.count)
            json.member("bytes", version.files.reduce(0) { $0 + $1.size })
            json.key("offeredAt")
            json.beginArray()
            for (place, edge) in world.setup.origin.edges.enumerated()
            where world.offered(edge: place) == version.name {
                json.string(edge)
            }
            json.endArray()
            json.endObject()
        }
    }

    private func write(_ fault: (name: String, seen: Int, applied: Int), _ json: inout JSONWriter) {
        json.beginObject()
        json.member("name", fault.name)
        json.member("requestsSeen", fault.seen)
        json.member("requestsStruck", fault.applied)
        json.endObject()
    }

    private func step(_ place: Int, _ json: inout JSONWriter) {
        let row = served.story.rows[place]
        json.beginObject()
        json.member("step", row.number)
        json.member("line", row.line)
        json.member("at", (Instant.zero + row.at).clock)
        json.member("isDone", place < served.nextRow)
        json.member("isOrigins", row.deed != .device)
        json.member("text", row.text)
        json.endObject()
    }

    // MARK: - Doing

    private func perform(_ word: String, _ name: String?, _ target: RequestTarget, _ body: [UInt8]) -> Answer
    {
        switch word {
        case "deploy", "recall", "unblock":
            guard let name, let version = served.world.library.versions.first(where: { $0.name == name })
            else {
                let names = served.world.library.versions.map(\.name).joined(separator: ", ")
                return .text("error: no version is named '\(name ?? "")'; there are \(names)\n", .notFound)
            }
            return perform(word, version.name, target)
        case "heal":
            let there = served.world.activeFaults.map(\.name)
            if let name, !there.contains(name) {
                let known = there.isEmpty ? "there is none" : "there are " + there.joined(separator: ", ")
                return .text("error: no fault is named '\(name)'; \(known)\n", .notFound)
            }
            served.perform(.heal(name.map { Spanned($0) }), "heal \(name ?? "all faults")")
            return .done("healed: \(name.map { [$0] } ?? there)")
        case "next": return next()
        default: return steps(body, onlyFaults: word == "fault")
        }
    }

    private func perform(_ word: String, _ name: String, _ target: RequestTarget) -> Answer {
        switch word {
        case "recall": served.perform(.recall([Spanned(name)]), "recall \(name)")
        case "unblock": served.perform(.unblock([Spanned(name)]), "unblock \(name)")
        default:
            let word = (target.queryValue("order") ?? "update").replacing("%20", with: " ")
                .replacing("+", with: " ")
            guard let order = DeployOrder(rawValue: word), order != .embedded else {
                return .text(
                    "error: no order is called '\(word)'; write update, force or roll%20back\n", .badRequest)
            }
            let deploy = DeploySpec(Spanned(name), order: order)
            served.perform(
                .deploy(deploy), "deploy \(name)" + (order == .update ? "" : ", order \(order.rawValue)"))
        }
        let offered = served.world.setup.origin.edges.indices.map {
            served.world.offered(edge: $0) ?? "nothing"
        }
        return .done("offered: " + offered.joined(separator: ", "))
    }

    private func next() -> Answer {
        while served.story.rows.indices.contains(served.nextRow) {
            let row = served.story.rows[served.nextRow]
            served.performNext()
            if row.deed != .device { return .done("step \(row.number): \(row.text)") }
        }
        return .text("error: the story has no further step for the origin\n", .notFound)
    }

    private func steps(_ body: [UInt8], onlyFaults: Bool) -> Answer {
        let rows: [OriginTimeline.Row]
        do throws(OriginTimeline.StepFault) {
            rows = try served.story.deeds(reading: body, afterCalls: served.calls)
        } catch {
            return .text(error.text, .badRequest)
        }
        for row in rows {
            if row.deed == .device {
                return .text("error: that is a device's to do: \(row.text)\n", .badRequest)
            }
            if onlyFaults, !row.isFault {
                return .text(
                    "error: that is no fault: \(row.text)\n  = help: POST it to \(OriginControl.root)/step\n",
                    .badRequest)
            }
        }
        served.calls += 1
        for row in rows { served.perform(row, "by hand") }
        return .done(rows.map(\.text).joined(separator: "\n"))
    }
}
