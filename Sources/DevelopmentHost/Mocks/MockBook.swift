import Core
import HTTP1
import LocalServer

/// Mock handlers: they stand in for an API that is not there yet, or show the page a behaviour that a real
/// one shows too rarely (FINCH's mock mode). Each can be switched off by its name, then the remote root
/// answers.
///
/// Each that is on is a row before the app's own route table, which native code answers; the first that fits
/// counts. A handler answers from its list, one answer to a request; behind the last it begins again or stays
/// there.
package struct MockBook: Hashable, Sendable {
    package private(set) var handlers: [MockHandler]

    package init(_ handlers: [MockHandler] = []) { self.handlers = handlers }

    /// An unknown name changes nothing.
    package mutating func set(_ name: String, _ isOn: Bool) {
        for place in handlers.indices where TextBytes.areEqual(handlers[place].name, name) {
            handlers[place].isOn = isOn
            handlers[place].next = 0
        }
    }

    /// The table with a row for each handler that is on, before the others.
    func rows(before table: RouteTable) -> RouteTable {
        let rows = handlers.filter(\.isOn).map { handler in
            RouteRow(handler.pattern, methods: handler.methods, .handler(handler.name))
        }
        return RouteTable(rows + table.rows)
    }

    /// The next answer of this handler's; nil: none of this name is on.
    mutating func take(_ name: String) -> MockAnswer? {
        for place in handlers.indices where TextBytes.areEqual(handlers[place].name, name) {
            return handlers[place].isOn ? handlers[place].take() : nil
        }
        return nil
    }
}

package struct MockHandler: Hashable, Sendable {
    /// Unique in its book.
    package var name: String
    package var pattern: RoutePattern
    /// Empty: all.
    package var methods: [RequestMethod]
    package var isOn: Bool
    package var answers: [MockAnswer]
    /// Behind the last answer the first comes again; else the last one stays.
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

    mutating func take() -> MockAnswer? {
        guard answers.indices.contains(next) else { return nil }
        defer { if next + 1 < answers.count || repeats { next = (next + 1) % answers.count } }
        return answers[next]
    }
}

package struct MockAnswer: Hashable, Sendable {
    package var status: StatusCode
    package var fields: HeaderFields
    package var body: [UInt8]
    /// From the complete request to the answer.
    package var delay: TimeSpan

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
