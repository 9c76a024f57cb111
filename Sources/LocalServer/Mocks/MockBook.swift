import Core
import HTTP1

/// Mock handlers: they stand in for an API that is not there yet, or show the page a behaviour that a real
/// one shows too rarely (FINCH's mock mode). Each can be switched off by its name, then the remote root
/// answers.
///
/// They come before the route table, the first that is on and fits. A handler answers from its list, one
/// answer to a request; behind the last it begins again or stays there.
public struct MockBook: Hashable, Sendable {
    public private(set) var handlers: [MockHandler]

    public init(_ handlers: [MockHandler] = []) { self.handlers = handlers }

    /// An unknown name changes nothing.
    public mutating func set(_ name: String, _ isOn: Bool) {
        for place in handlers.indices where TextBytes.areEqual(handlers[place].name, name) {
            handlers[place].isOn = isOn
            handlers[place].next = 0
        }
    }

    func handler(for head: RequestHead) -> Int? {
        guard handlers.contains(where: \.isOn), let target = head.path,
            let segments = RoutePattern.segments(of: target)
        else { return nil }
        return handlers.firstIndex { handler in
            handler.isOn && (handler.methods.isEmpty || handler.methods.contains(head.method))
                && handler.pattern.matches(segments)
        }
    }

    mutating func take(_ place: Int) -> MockAnswer? { handlers[place].take() }
}

public struct MockHandler: Hashable, Sendable {
    /// Unique in its book.
    public var name: String
    public var pattern: RoutePattern
    /// Empty: all.
    public var methods: [RequestMethod]
    public var isOn: Bool
    public var answers: [MockAnswer]
    /// Behind the last answer the first comes again; else the last one stays.
    public var repeats: Bool
    var next = 0

    public init(
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

public struct MockAnswer: Hashable, Sendable {
    public var status: StatusCode
    public var fields: HeaderFields
    public var body: [UInt8]
    /// From the complete request to the answer.
    public var delay: TimeSpan

    public init(
        _ status: StatusCode = .ok, fields: HeaderFields = HeaderFields(), body: [UInt8] = [],
        delay: TimeSpan = .zero
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.delay = delay
    }
}
