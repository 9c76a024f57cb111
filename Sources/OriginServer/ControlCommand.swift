import HTTP1

/// A command that a served origin accepts over HTTP, as `/__otalab/PATH` or `/__otalab/PATH/ARGUMENT`.
struct ControlCommand {
    var method: RequestMethod
    /// Path segment after ``OriginControl/root``.
    var path: String
    /// Name of the argument, which is the last path segment; nil: the command takes none.
    var argument: String?
    var isArgumentRequired = false
    /// Description in the guide.
    var help: String
    /// Example of the body for curl; nil: the command takes no body.
    var body: String?

    /// All commands, in the order of the guide.
    static let all = [
        ControlCommand(method: .get, path: "versions", help: "versions, and which is offered where"),
        ControlCommand(method: .get, path: "requests", help: "what was asked and answered, the newest last"),
        ControlCommand(method: .get, path: "steps", help: "the scenario's steps and their times"),
        ControlCommand(method: .get, path: "faults", help: "the faults that are there"),
        ControlCommand(
            method: .post, path: "deploy", argument: "VERSION", isArgumentRequired: true,
            help: "offers a version; ?order=force or ?order=roll%20back"),
        ControlCommand(
            method: .post, path: "recall", argument: "VERSION", isArgumentRequired: true,
            help: "recalls a version"),
        ControlCommand(
            method: .post, path: "unblock", argument: "VERSION", isArgumentRequired: true,
            help: "takes it off the devices' blacklists"),
        ControlCommand(
            method: .post, path: "fault", help: "a fault, as a scenario's step says it",
            body: #"{ fault: { status: 503 }, path: "manifest", times: 2 }"#),
        ControlCommand(
            method: .post, path: "heal", argument: "FAULT", help: "ends a fault, or without a name all"),
        ControlCommand(
            method: .post, path: "step", help: "any step of a scenario that is the origin's to do",
            body: #"{ deploy: "v2", parts: "manifest" }"#),
        ControlCommand(method: .post, path: "next", help: "the scenario's next step for the origin, now"),
    ]
}
