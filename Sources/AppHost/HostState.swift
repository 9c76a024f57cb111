import Core
import LocalServer
import Updater

/// What the host knows of one web view.
struct ViewState: Sendable {
    let id: WebViewID
    /// The load whose document the view shows.
    var load: PageLoadToken?
    /// What the view said it is about to do; counts for the next document it asks for, and ends with its
    /// commit, so that a stale reload never turns a later link into a switch (U6).
    var wish: AppHost.NavigationKind?
    /// Path and query of what it shows, without items of ours.
    var place: String?
    /// The newest load that was answered for this view; its document may not be shown yet.
    var asked: PageLoadToken?
    var hasContent = false
    /// Documents that were in front and live on (``AppHost/WebViewEvent/committedBeside(url:)``), the newest
    /// last.
    var others: [PageLoadToken] = []
}

/// A document that the server has asked a version for.
struct Ask: Sendable {
    var token: PageLoadToken
    var navigation: LocalServer.NavigationID
    var view: WebViewID
}

/// A load that the host has asked a web view for.
struct Expected: Sendable {
    var token: PageLoadToken
    var view: WebViewID
    var moment: Updater.Moment
    /// Path and query.
    var target: String
}

/// The server names versions by text; the updater by key.
struct NamedSite: Sendable {
    var key: VersionKey
    var site: Site
}

/// A switch call that waits for the updater's answer.
struct SwitchCall: Sendable {
    var reply: Reply
    var id: JSONNode?
}

/// Where the answer to a message goes: into the call it came by, where it came by one (H3), else to the
/// document as a message of its own.
struct Reply: Sendable {
    var view: WebViewID
    var token: PageLoadToken
    var call: LocalServer.BridgeCall?
}

/// A question of native code that a page has not answered yet.
struct PageQuestion: Sendable {
    var call: AppHost.CallID
    var token: PageLoadToken
}

/// When a taken port is tried again (S4): 0.2, 0.5, 1, 2, 5 s, then every 10 s.
struct PortPlan: Sendable {
    private var tries = 0
    private static let waits: [TimeSpan] = [
        .milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2), .seconds(5),
    ]

    mutating func next() -> TimeSpan {
        defer { tries += 1 }
        return tries < PortPlan.waits.count ? PortPlan.waits[tries] : .seconds(10)
    }

    mutating func reset() { tries = 0 }

    /// S4: 12000 + FNV-1a-32(app id) mod 1000.
    static func port(ofApp id: String) -> UInt16 { UInt16(12_000 + FNV1a32.hash(of: id) % 1_000) }
}

/// Notices that no page has heard yet (T2): at most 100, of progress only the newest.
///
/// A message to a document that is just being replaced is lost without a word. So what was sent counts as
/// heard when that document is heard of again, and comes back when it goes before: at least once, with an id.
struct NoticeBox: Sendable {
    struct Item: Hashable, Sendable {
        var id: UInt64
        var notice: Updater.Notice
    }

    private(set) var items: [Item] = []
    private var sent: [Sent] = []
    private var next: UInt64 = 1
    static let limit = 100

    private struct Sent: Sendable {
        var load: PageLoadToken
        var item: Item
    }

    mutating func add(_ notice: Updater.Notice) {
        items.append(Item(id: next, notice: notice))
        next += 1
        bound()
    }

    mutating func send(to load: PageLoadToken) -> [Item] {
        defer { items = [] }
        sent += items.map { Sent(load: load, item: $0) }
        return items
    }

    /// The document of this load is alive: what was sent to it has arrived.
    mutating func heard(_ load: PageLoadToken) { sent.removeAll { $0.load == load } }

    /// The document is gone: what it was not heard of after goes to the next one.
    mutating func lost(_ load: PageLoadToken) {
        items = sent.filter { $0.load == load }.map(\.item) + items
        sent.removeAll { $0.load == load }
        bound()
    }

    private mutating func bound() {
        let newest = items.last { $0.isProgress }
        items = items.filter { !$0.isProgress || $0 == newest }
        if items.count > NoticeBox.limit { items.removeFirst(items.count - NoticeBox.limit) }
    }
}

extension NoticeBox.Item {
    var isProgress: Bool { if case .progress = notice { true } else { false } }
}
