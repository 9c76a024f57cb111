import AppHost
import Core

/// Messages for a document that asks for them over HTTP, where no native code could hand them over.
///
/// The document's script calls `receive` with the number of the last message it has; the call stays open
/// until there is one after it. So nothing is asked in vain, a page that has nothing to hear wakes nobody,
/// and a message whose answer was lost on the way is sent once more.
struct Mailbox: Sendable {
    let load: PageLoadToken
    private(set) var items: [Item] = []
    private var next = 1
    /// The call that waits for a message.
    private(set) var waiting: AppHost.CallID?
    static let limit = 200

    struct Item: Sendable {
        var number: Int
        var message: [UInt8]
    }

    init(load: PageLoadToken) { self.load = load }

    /// The oldest goes where more wait than a page could have missed.
    mutating func add(_ message: [UInt8]) {
        items.append(Item(number: next, message: message))
        next += 1
        if items.count > Mailbox.limit { items.removeFirst() }
    }

    mutating func heard(upTo number: Int) { items.removeAll { $0.number <= number } }

    /// - Returns: the call that waited before.
    mutating func wait(_ waiting: AppHost.CallID?) -> AppHost.CallID? {
        defer { self.waiting = waiting }
        return self.waiting
    }
}

/// The JSON of what a mailbox hands out.
enum Mail {
    /// `[{"number": 1, "message": {…}}, …]`.
    static func list(_ items: [Mailbox.Item]) -> [UInt8] {
        var json = JSONWriter()
        json.beginArray()
        for item in items {
            json.beginObject()
            json.member("number", item.number)
            json.key("message")
            json.serialized(item.message)
            json.endObject()
        }
        json.endArray()
        return json.bytes
    }

    /// The page is to load this.
    static func load(_ target: String) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("method", "load")
        json.key("params")
        json.beginObject()
        json.member("url", target)
        json.endObject()
        json.endObject()
        return json.bytes
    }
}

/// Messages for pages.
extension DevelopmentHost {
    func mailbox(_ token: PageLoadToken) -> Int? { mailboxes.firstIndex { $0.load == token } }

    mutating func post(_ token: PageLoadToken, _ message: [UInt8]) {
        let place = mailbox(token) ?? added(token)
        mailboxes[place].add(message)
        handOut(place)
    }

    private mutating func added(_ token: PageLoadToken) -> Int {
        mailboxes.append(Mailbox(load: token))
        return mailboxes.count - 1
    }

    /// `receive`: answers with what there is, or waits.
    mutating func receive(_ question: AppHost.PageQuestionForNative, _ params: JSONNode) {
        guard question.isOverHTTP else {
            return queue.append(.answerPage(question.call, .refused("receive is for calls over HTTP")))
        }
        let place = mailbox(question.load) ?? added(question.load)
        mailboxes[place].heard(upTo: Int(clamping: params["after"]?.integer ?? 0))
        if mailboxes[place].items.isEmpty { queue.append(.delivered(question.load)) }
        // A document asks once at a time: who asked before has gone away without a word.
        if let former = mailboxes[place].wait(question.call) {
            queue.append(.answerPage(former, .result(Mail.list([]))))
        }
        handOut(place)
    }

    private mutating func handOut(_ place: Int) {
        guard !mailboxes[place].items.isEmpty, let call = mailboxes[place].wait(nil) else { return }
        queue.append(.answerPage(call, .result(Mail.list(mailboxes[place].items))))
    }

    mutating func closeMailbox(_ token: PageLoadToken) {
        for box in mailboxes where box.load == token {
            if let call = box.waiting { queue.append(.answerPage(call, .result(Mail.list([])))) }
        }
        mailboxes.removeAll { $0.load == token }
    }
}
