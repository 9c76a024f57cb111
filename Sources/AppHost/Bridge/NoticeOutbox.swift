import Core
import Updater

/// Notices for pages (T2), and which documents listen for them.
///
/// A message to a document that is just being replaced is lost without an error. So a sent notice counts as
/// delivered when that document sends something afterwards, and returns here when the document goes before:
/// it arrives at least once, with an id. It is sent to three documents at most, because a page that reloads
/// itself on a notice sends nothing afterwards, and would reload for ever.
///
/// **Invariants.** Ids ascend and are not used again. At most 100 notices wait, of progress only the newest.
/// A notice waits, is sent to one load, is delivered, or was sent to three loads.
struct NoticeOutbox: Sendable {
    struct Item: Hashable, Sendable {
        var id: UInt64
        var notice: Updater.Notice

        var isProgress: Bool { if case .progress = notice { true } else { false } }
    }

    private struct WaitingItem: Sendable {
        var item: Item
        /// Documents to which it was sent.
        var documents = 0
    }

    private struct SentItem: Sendable {
        var load: PageLoadToken
        var waiting: WaitingItem
    }

    /// Notices that wait, the oldest first.
    private var waiting: [WaitingItem] = []
    private var sent: [SentItem] = []
    private var next: UInt64 = 1
    /// Loads whose documents have requested notices.
    private var listeners: [PageLoadToken] = []
    static let limit = 100
    static let maxDocuments = 3

    /// Notices that wait, the oldest first.
    var items: [Item] { waiting.map(\.item) }

    mutating func add(_ notice: Updater.Notice) {
        waiting.append(WaitingItem(item: Item(id: next, notice: notice)))
        next += 1
        dropExcess()
    }

    mutating func addListener(_ load: PageLoadToken) {
        if !listeners.contains(load) { listeners.append(load) }
    }

    func isListening(_ load: PageLoadToken) -> Bool { listeners.contains(load) }

    /// Drops notices that wait and do not hold any more.
    mutating func remove(_ items: [Item]) { waiting.removeAll { items.contains($0.item) } }

    /// Takes all that waits, to be sent to the document of this load.
    mutating func send(to load: PageLoadToken) -> [Item] {
        defer { waiting = [] }
        sent += waiting.map { waiting in
            SentItem(
                load: load, waiting: WaitingItem(item: waiting.item, documents: waiting.documents + 1))
        }
        return items
    }

    /// What was sent to the document of this load has arrived.
    mutating func delivered(to load: PageLoadToken) { sent.removeAll { $0.load == load } }

    /// The document of this load is gone: what may not have arrived is sent to the next one.
    mutating func lost(_ load: PageLoadToken) {
        listeners.removeAll { $0 == load }
        let lost = sent.filter { $0.load == load && $0.waiting.documents < NoticeOutbox.maxDocuments }
        waiting = lost.map(\.waiting) + waiting
        sent.removeAll { $0.load == load }
        dropExcess()
    }

    private mutating func dropExcess() {
        let newest = waiting.last { $0.item.isProgress }?.item
        waiting = waiting.filter { !$0.item.isProgress || $0.item == newest }
        if waiting.count > NoticeOutbox.limit { waiting.removeFirst(waiting.count - NoticeOutbox.limit) }
    }
}
