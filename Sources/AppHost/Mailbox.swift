import Core
import LocalServer

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
    private(set) var waiting: Waiting?
    static let limit = 200

    struct Item: Sendable {
        var number: Int
        var message: [UInt8]
    }

    struct Waiting: Sendable {
        var call: LocalServer.BridgeCall
        var id: JSONNode?
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
    mutating func wait(_ waiting: Waiting?) -> Waiting? {
        defer { self.waiting = waiting }
        return self.waiting
    }
}

extension AppHost {
    /// A message for a document: into its mailbox where it has one, else by way of the shell.
    mutating func post(_ view: WebViewID, _ token: PageLoadToken, _ message: [UInt8]) {
        if isInBrowser, !mailboxes.contains(where: { $0.load == token }) {
            mailboxes.append(Mailbox(load: token))
        }
        guard let place = mailboxes.firstIndex(where: { $0.load == token }) else {
            effects.append(.message(view, token, message))
            return
        }
        mailboxes[place].add(message)
        handOut(place)
    }

    /// `receive`: answers with what there is, or waits.
    mutating func receive(_ params: JSONNode?, _ id: JSONNode?, _ reply: Reply) {
        guard let call = reply.call else { return refuse("receive is for calls over HTTP", id, reply) }
        let place: Int
        if let known = mailboxes.firstIndex(where: { $0.load == reply.token }) {
            place = known
        } else {
            place = mailboxes.count
            mailboxes.append(Mailbox(load: reply.token))
        }
        mailboxes[place].heard(upTo: Int(clamping: params?["after"]?.integer ?? 0))
        // A document asks once at a time: who asked before has gone away without a word.
        if let former = mailboxes[place].wait(Mailbox.Waiting(call: call, id: id)) {
            inbox.append(.server(.bridgeAnswer(former.call, Answer.mail([], former.id))))
        }
        handOut(place)
    }

    private mutating func handOut(_ place: Int) {
        guard !mailboxes[place].items.isEmpty, let waiting = mailboxes[place].wait(nil) else { return }
        inbox.append(.server(.bridgeAnswer(waiting.call, Answer.mail(mailboxes[place].items, waiting.id))))
    }

    /// Whether everything sent to the document is known to have arrived.
    func hasHeardAll(_ token: PageLoadToken) -> Bool {
        mailboxes.first { $0.load == token }?.items.isEmpty ?? true
    }

    mutating func closeMailbox(_ token: PageLoadToken) {
        for box in mailboxes where box.load == token {
            if let waiting = box.waiting {
                inbox.append(.server(.bridgeAnswer(waiting.call, Answer.mail([], waiting.id))))
            }
        }
        mailboxes.removeAll { $0.load == token }
    }
}
