import Core
import LocalServer

/// Where the answer to a message goes: into the HTTP call by which it came, else to the document as a
/// separate message (H3).
struct ReplyAddress: Sendable {
    var view: WebViewID
    /// Load of the document that sent the message.
    var load: PageLoadToken
    var call: LocalServer.BridgeCallID?
}

/// Calls over the bridge that have not been answered yet, in both directions.
///
/// **Invariants.** Each call is taken out once: by its answer, at the end of its time, or with the document
/// of its load. Ids of native calls count up from 1 and are not used again; those of page calls are the
/// app's. At most ``maxPageCalls`` page calls are open.
struct BridgeCalls: Sendable {
    /// A page's `switchToPendingVersion`, which the updater answers.
    struct SwitchCall: Sendable {
        var reply: ReplyAddress
        var id: JSONNode?
    }

    /// A page's message that the app's native code answers.
    struct NativeCall: Sendable {
        var id: AppHost.CallID
        var method: String
        var reply: ReplyAddress
        var messageID: JSONNode?
    }

    /// A call of native code that a page answers.
    struct PageCall: Sendable {
        var id: AppHost.CallID
        var load: PageLoadToken

        /// The message's id in JSON.
        var messageID: String { "native-\(id.rawValue)" }
    }

    private var switches: [SwitchCall] = []
    private(set) var native: [NativeCall] = []
    private var nextNative: UInt32 = 1
    private(set) var pages: [PageCall] = []

    mutating func add(_ call: SwitchCall) { switches.append(call) }

    mutating func takeSwitch(of load: PageLoadToken) -> SwitchCall? {
        guard let index = switches.firstIndex(where: { $0.reply.load == load }) else { return nil }
        return switches.remove(at: index)
    }

    mutating func addNative(
        _ method: String, _ reply: ReplyAddress, messageID: JSONNode?
    ) -> AppHost.CallID {
        let id = AppHost.CallID(nextNative)
        nextNative += 1
        native.append(NativeCall(id: id, method: method, reply: reply, messageID: messageID))
        return id
    }

    mutating func takeNative(_ id: AppHost.CallID) -> NativeCall? {
        guard let index = native.firstIndex(where: { $0.id == id }) else { return nil }
        return native.remove(at: index)
    }

    mutating func takeNative(of load: PageLoadToken) -> [NativeCall] {
        defer { native.removeAll { $0.reply.load == load } }
        return native.filter { $0.reply.load == load }
    }

    /// Calls that pages may leave unanswered at the same time.
    static let maxPageCalls = 100

    /// Whether a call with this id can be added: none with this id is open, and not too many are.
    func hasRoomForPageCall(_ id: AppHost.CallID) -> Bool {
        pages.count < BridgeCalls.maxPageCalls && !pages.contains { $0.id == id }
    }

    mutating func add(_ call: PageCall) { pages.append(call) }

    mutating func takePageCall(_ id: AppHost.CallID) -> PageCall? {
        guard let index = pages.firstIndex(where: { $0.id == id }) else { return nil }
        return pages.remove(at: index)
    }

    /// The call that the document of this load answers with this message id.
    mutating func takePageCall(_ messageID: String?, of load: PageLoadToken) -> PageCall? {
        guard let index = pages.firstIndex(where: { $0.load == load && $0.messageID == messageID }) else {
            return nil
        }
        return pages.remove(at: index)
    }

    mutating func takePageCalls(of load: PageLoadToken) -> [PageCall] {
        defer { pages.removeAll { $0.load == load } }
        return pages.filter { $0.load == load }
    }
}
