import Core
import Updater

/// Notices for pages (T2), and which documents listen for them.
///
/// A message to a document that is just being replaced is lost without an error. So a sent notice counts as
/// delivered when that document sends something afterwards, and returns here when the document goes before:
/// it arrives at least once, with an id.
///
/// **Invariants.** Ids ascend and are not used again. At most 100 notices wait, of progress only the newest.
/// A notice waits, is sent to one load, or is delivered.
struct NoticeOutbox: Sendable {
    struct Item: Hashable, Sendable {
        var id: UInt64
        var notice: Updater.Notice

        var isProgress: Bool { if case .progress = notice { true } else { false } }
    }

    private struct SentItem: Sendable {
        var load: PageLoadToken
        var item: Item
    }

    /// Notices that wait, the oldest first.
    private(set) var items: [Item] = []
    private var sent: [SentItem] = []
    private var next: UInt64 = 1
    /// Loads whose documents have requested notices.
    private var listeners: [PageLoadToken] = []
    static let limit = 100

    mutating func add(_ notice: Updater.Notice) {
        items.append(Item(id: next, notice: notice))
        next += 1
        dropExcess()
    }

    mutating func addListener(_ load: PageLoadToken) {
        if !listeners.contains(load) { listeners.append(load) }
    }

    func isListening(_ load: PageLoadToken) -> Bool { listeners.contains(load) }

    /// Takes all that waits, to be sent to the document of this load.
    mutating func send(to load: PageLoadToken) -> [Item] {
        defer { items = [] }
        sent += items.map { SentItem(load: load, item: $0) }
        return items
    }

    /// What was sent to the document of this load has arrived.
    mutating func delivered(to load: PageLoadToken) { sent.removeAll { $0.load == load } }

    /// The document of this load is gone: what may not have arrived is sent to the next one.
    mutating func lost(_ load: PageLoadToken) {
        listeners.removeAll { $0 == load }
        items = sent.filter { $0.load == load }.map(\.item) + items
        sent.removeAll { $0.load == load }
        dropExcess()
    }

    private mutating func dropExcess() {
        let newest = items.last { $0.isProgress }
        items = items.filter { !$0.isProgress || $0 == newest }
        if items.count > NoticeOutbox.limit { items.removeFirst(items.count - NoticeOutbox.limit) }
    }
}
