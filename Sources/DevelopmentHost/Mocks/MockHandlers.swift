import Core
import HTTP1
import LocalServer

/// Mock handlers: they replace an API that does not exist yet, or show the page a behaviour that a real one
/// shows too rarely (FINCH's mock mode). Each can be switched off by its name; then the remote root answers.
///
/// Each one that is on is an entry before the app's own route table, for native code; the first entry that
/// matches is used. A handler answers from its list, one answer per request; after the last it begins again
/// or repeats the last.
///
/// **Invariant.** Names are unique, if the file of mock handlers was read by ``MockFile``.
package struct MockHandlers: Hashable, Sendable {
    package private(set) var handlers: [MockHandler]

    package init(_ handlers: [MockHandler] = []) { self.handlers = handlers }

    /// Switches a handler on or off and restarts its list; an unknown name changes nothing.
    package mutating func set(_ name: String, isOn: Bool) {
        for index in handlers.indices where TextBytes.areEqual(handlers[index].name, name) {
            handlers[index].isOn = isOn
            handlers[index].next = 0
        }
    }

    /// The table with an entry for each handler that is on, before the others.
    func entries(before table: RouteTable) -> RouteTable {
        let entries = handlers.filter(\.isOn).map { handler in
            RouteEntry(handler.pattern, methods: handler.methods, .handler(handler.name))
        }
        return RouteTable(entries + table.entries)
    }

    /// The next answer of this handler; nil: none of this name is on.
    mutating func nextAnswer(of name: String) -> MockAnswer? {
        for index in handlers.indices where TextBytes.areEqual(handlers[index].name, name) {
            return handlers[index].isOn ? handlers[index].nextAnswer() : nil
        }
        return nil
    }
}

/// One mock handler.
package struct MockHandler: Hashable, Sendable {
    /// Name, unique among the mock handlers.
    package var name: String
    package var pattern: RoutePattern
    /// Methods that it answers; empty: all.
    package var methods: [RequestMethod]
    package var isOn: Bool
    package var answers: [MockAnswer]
    /// Whether the first answer follows the last; else the last one is repeated.
    package var repeats: Bool
    var next = 0

    package init(
        name: String, pattern: RoutePattern, methods: [RequestMethod] = [], isOn: Bool = true,
        answers: [MockAnswer], repeats: Bool = false
    ) {
        self.name = name
        self.pattern = pattern
        self.methods = methods
        self.isOn = isOn
        self.answers = answers
        self.repeats = repeats
    }

    mutating func nextAnswer() -> MockAnswer? {
        guard answers.indices.contains(next) else { return nil }
        defer { if next + 1 < answers.count || repeats { next = (next + 1) % answers.count } }
        return answers[next]
    }
}

/// One answer of a mock handler.
package struct MockAnswer: Hashable, Sendable {
    package var status: StatusCode
    package var fields: HeaderFields
    package var body: [UInt8]
    /// Time from the complete request to the answer.
    package var delay: TimeSpan
    package var end = End.complete

    /// How an answer ends, and what a page can see of a backend or a network that fails.
    package enum End: Hashable, Sendable {
        case complete
        /// The connection is reset before an answer.
        case isReset
        /// Head and this many bytes of the body, at most all but one, then the connection is reset.
        case breaksOff(after: Int)
        /// Head and this many bytes of the body, then nothing until the server's write time-out; nil: nothing
        /// at all, until the page gives up.
        case stalls(after: Int?)
    }

    package init(
        _ status: StatusCode = .ok, fields: HeaderFields = HeaderFields(), body: [UInt8] = [],
        delay: TimeSpan = .zero
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.delay = delay
    }
}
