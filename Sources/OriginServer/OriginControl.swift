import Core
import HTTP1
import Live
import Runner
import ScenarioLanguage
import World

/// The HTTP interface that controls a served origin, under the path ``root``.
///
/// Guarantees: a command that can't be carried out is refused with an error (400, 404 or 405) that gives the
/// reason and the valid alternatives, and changes nothing. A state-changing request from a web page is
/// refused (403), because a browser on the same network must not deploy; browsers send `Origin` with every
/// request other than GET and HEAD (Fetch Standard, `Origin` header). Answers are JSON, or text for people.
struct OriginControl {
    static let root = "/__otalab"

    let served: ServedOrigin

    init(_ served: ServedOrigin) { self.served = served }

    /// Answer to a command.
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

        /// The answer to a command that was carried out.
        static func done(_ text: String) -> Answer { .text(text + "\n") }
    }

    func answer(_ request: HTTPPort.Request) -> Answer {
        let head = request.head
        guard let target = head.path else { return .text("error: no path\n", .badRequest) }
        if head.method != .get, head.method != .head, head.fields.contains("Origin") {
            return .text("error: a web page can't tell this origin what to do\n", .forbidden)
        }
        let rest = (target.route?.text ?? target.path).dropFirst(OriginControl.root.utf8.count)
        let parts = rest.split(separator: "/").map(String.init)
        guard let path = parts.first else { return .text(OriginControl.guide(base(head))) }
        let method = head.method == .head ? .get : head.method
        guard let command = ControlCommand.all.first(where: { $0.path == path }) else {
            return .text(
                "error: nothing is called '\(path)'\n\n" + OriginControl.guide(base(head)), .notFound)
        }
        guard command.method == method else {
            var answer = Answer.text("error: '\(path)' is asked with \(command.method)\n", .methodNotAllowed)
            answer.fields.append("Allow", command.method == .get ? "GET, HEAD" : command.method.name)
            return answer
        }
        let name = parts.count > 1 ? parts[1] : nil
        if parts.count > 2 || name != nil && command.argument == nil
            || name == nil && command.isArgumentRequired
        {
            let wanted = command.argument.map { command.isArgumentRequired ? "/\($0)" : "[/\($0)]" } ?? ""
            return .text("error: write \(OriginControl.root)/\(command.path)\(wanted)\n", .badRequest)
        }
        return command.method == .get ? report(path) : perform(path, name, target, request.body)
    }

    private func base(_ head: RequestHead) -> String {
        "http://" + (head.authority.map { "\($0)" } ?? "localhost:\(served.port.port)")
    }

    /// All commands, each with a shell command that sends it.
    static func guide(_ base: String) -> String {
        ControlCommand.all.map { command in
            var line = "curl "
            if command.method == .post { line += "-X POST " }
            if let body = command.body { line += "-d '\(body)' " }
            line += "\(base)\(root)/\(command.path)"
            if command.isArgumentRequired, let name = command.argument { line += "/\(name)" }
            return "# \(command.help)\n\(line)\n"
        }.joined()
    }

    // MARK: - Reports

    /// The answer to a GET command.
    private func report(_ path: String) -> Answer {
        var json = JSONWriter(indent: 2)
        json.beginArray()
        switch path {
        case "versions": versions(&json)
        case "requests":
            let edges = served.world.setup.origin.edges
            for entry in served.requestLog.entries { entry.write(to: &json, edges: edges) }
        case "faults": for fault in served.world.activeFaults { write(fault, &json) }
        default: for index in served.timeline.steps.indices { step(index, &json) }
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
            for (index, edge) in world.setup.origin.edges.enumerated()
            where world.offered(edge: index) == version.name {
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

    private func step(_ index: Int, _ json: inout JSONWriter) {
        let step = served.timeline.steps[index]
        json.beginObject()
        json.member("step", step.ordinal)
        json.member("line", step.line)
        json.member("at", (Instant.zero + step.at).clock)
        json.member("isDone", index < served.nextStep)
        json.member("isOrigins", step.operation != .device)
        json.member("text", step.text)
        json.endObject()
    }

    // MARK: - Commands

    private func perform(_ path: String, _ name: String?, _ target: RequestTarget, _ body: [UInt8]) -> Answer
    {
        switch path {
        case "deploy", "recall", "unblock":
            guard let name, let version = served.world.library.versions.first(where: { $0.name == name })
            else {
                let names = served.world.library.versions.map(\.name).joined(separator: ", ")
                return .text("error: no version is named '\(name ?? "")'; there are \(names)\n", .notFound)
            }
            return perform(path, version.name, target)
        case "heal":
            let active = served.world.activeFaults.map(\.name)
            if let name, !active.contains(name) {
                let known = active.isEmpty ? "there is none" : "there are " + active.joined(separator: ", ")
                return .text("error: no fault is named '\(name)'; \(known)\n", .notFound)
            }
            served.perform(.heal(name.map { Spanned($0) }), "heal \(name ?? "all faults")")
            return .done("healed: \(name.map { [$0] } ?? active)")
        case "next": return next()
        default: return steps(body, onlyFaults: path == "fault")
        }
    }

    private func perform(_ path: String, _ name: String, _ target: RequestTarget) -> Answer {
        switch path {
        case "recall": served.perform(.recall([Spanned(name)]), "recall \(name)")
        case "unblock": served.perform(.unblock([Spanned(name)]), "unblock \(name)")
        default:
            let text = (target.queryValue("order") ?? "update").replacing("%20", with: " ")
                .replacing("+", with: " ")
            guard let order = DeployOrder(rawValue: text), order != .embedded else {
                return .text(
                    "error: no order is called '\(text)'; write update, force or roll%20back\n", .badRequest)
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

    /// Performs the next step of the origin, and the device's steps before it, which only appear in the log.
    private func next() -> Answer {
        while served.timeline.steps.indices.contains(served.nextStep) {
            let step = served.timeline.steps[served.nextStep]
            served.performNext()
            if step.operation != .device { return .done("step \(step.ordinal): \(step.text)") }
        }
        return .text("error: the scenario has no further step for the origin\n", .notFound)
    }

    /// Performs the steps in a request body.
    private func steps(_ body: [UInt8], onlyFaults: Bool) -> Answer {
        let steps: [TimelineStep]
        do throws(OriginTimeline.StepError) {
            steps = try served.timeline.steps(parsing: body, requestCount: served.stepRequestCount)
        } catch {
            return .text(error.text, .badRequest)
        }
        for step in steps {
            if step.operation == .device {
                return .text("error: that is a device's to do: \(step.text)\n", .badRequest)
            }
            if onlyFaults, !step.isFault {
                return .text(
                    "error: that is no fault: \(step.text)\n  = help: POST it to \(OriginControl.root)/step\n",
                    .badRequest)
            }
        }
        served.stepRequestCount += 1
        for step in steps { served.perform(step, "by hand") }
        return .done(steps.map(\.text).joined(separator: "\n"))
    }
}
