import AppHost
import Core

/// Messages for a document that polls for them over HTTP, because no native code can deliver them.
///
/// The document's script calls `receive` with the index of the last message it has; the call stays open until
/// there is one after it. So no call is in vain, nothing wakes up for a page without messages, and a message
/// whose response was lost is sent once more.
///
/// **Invariants.** Indices count up from 1 and are not used again. At most 200 messages wait, the newest. At
/// most one call waits.
struct Mailbox: Sendable {
    let load: PageLoadToken
    private(set) var items: [Item] = []
    private var next = 1
    /// The open call that waits for a message.
    private(set) var waiting: AppHost.CallID?
    static let limit = 200

    struct Item: Sendable {
        /// `number` in JSON.
        var index: Int
        var message: [UInt8]
    }

    init(load: PageLoadToken) { self.load = load }

    /// Drops the oldest where more wait than a page could have missed.
    mutating func add(_ message: [UInt8]) {
        items.append(Item(index: next, message: message))
        next += 1
        if items.count > Mailbox.limit { items.removeFirst() }
    }

    /// The document has all messages up to this index.
    mutating func delivered(upTo index: Int) { items.removeAll { $0.index <= index } }

    /// - Parameter waiting: the call that waits from now on; nil: none.
    /// - Returns: the call that waited before.
    mutating func replaceWaiting(_ waiting: AppHost.CallID?) -> AppHost.CallID? {
        defer { self.waiting = waiting }
        return self.waiting
    }
}

/// The JSON of what a mailbox delivers.
enum MailboxJSON {
    /// `[{"number": 1, "message": {…}}, …]`.
    static func list(_ items: [Mailbox.Item]) -> [UInt8] {
        var json = JSONWriter()
        json.beginArray()
        for item in items {
            json.beginObject()
            json.member("number", item.index)
            json.key("message")
            json.serialized(item.message)
            json.endObject()
        }
        json.endArray()
        return json.bytes
    }

    /// The message that makes the page load this path and query.
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
    func mailboxIndex(_ token: PageLoadToken) -> Int? { mailboxes.firstIndex { $0.load == token } }

    mutating func post(_ token: PageLoadToken, _ message: [UInt8]) {
        let index = mailboxIndex(token) ?? addMailbox(token)
        mailboxes[index].add(message)
        deliver(index)
    }

    private mutating func addMailbox(_ token: PageLoadToken) -> Int {
        mailboxes.append(Mailbox(load: token))
        return mailboxes.count - 1
    }

    /// The method `receive`: answers with the messages there are, or waits.
    mutating func receive(_ call: AppHost.NativeMethodCall, _ params: JSONNode) {
        guard call.isOverHTTP else {
            return queue.append(.nativeMethodReturned(call.call, .refused("receive is for calls over HTTP")))
        }
        let isFirst = mailboxIndex(call.load) == nil
        let index = mailboxIndex(call.load) ?? addMailbox(call.load)
        if isFirst, let target = requestedTarget(instead: call.load) {
            mailboxes[index].add(MailboxJSON.load(target))
        }
        mailboxes[index].delivered(upTo: Int(clamping: params["after"]?.integer ?? 0))
        if mailboxes[index].items.isEmpty { queue.append(.delivered(call.load)) }
        // A document has one call at a time: the client of the previous one has gone away without closing it.
        if let previous = mailboxes[index].replaceWaiting(call.call) {
            queue.append(.nativeMethodReturned(previous, .result(MailboxJSON.list([]))))
        }
        deliver(index)
    }

    private mutating func deliver(_ index: Int) {
        guard !mailboxes[index].items.isEmpty, let call = mailboxes[index].replaceWaiting(nil) else { return }
        queue.append(.nativeMethodReturned(call, .result(MailboxJSON.list(mailboxes[index].items))))
    }

    mutating func closeMailbox(_ token: PageLoadToken) {
        for box in mailboxes where box.load == token {
            if let call = box.waiting {
                queue.append(.nativeMethodReturned(call, .result(MailboxJSON.list([]))))
            }
        }
        mailboxes.removeAll { $0.load == token }
    }
}
