import Core
import LocalServer
import Updater

/// Messages between page and native code: `{method, params, id?}`, answered `{method, result, id?}` (N5, H2,
/// H3).
extension AppHost {
    /// Bytes.
    static let longestMessage = 1 << 20

    /// Receives a message; its answer goes the way it came.
    mutating func receive(_ bytes: [UInt8], _ reply: ReplyAddress) {
        guard bytes.count <= AppHost.longestMessage else { return refuse("too long", nil, reply) }
        let node: JSONNode
        do {
            node = try JSONReader.read(bytes, dialect: .strict)
        } catch {
            return refuse("not JSON: \(error.message)", nil, reply)
        }
        let id = node["id"]
        if launch?.confirmsDelivery != true { notices.delivered(to: reply.load) }
        if let method = node["method"]?.string {
            call(method, node["params"], id, reply)
        } else if let result = node["result"] {
            pageReturned(result, id, reply)
        } else {
            refuse("no method", id, reply)
        }
    }

    private mutating func call(_ method: String, _ params: JSONNode?, _ id: JSONNode?, _ reply: ReplyAddress)
    {
        let load = reply.load
        switch method {
        case "startupDidComplete": partEvents.append(.updater(.page(load, .confirmed)))
        case "startupDidFail":
            partEvents.append(.updater(.page(load, .failed(params?["message"]?.string ?? ""))))
        case "pageError":
            let facts = ["kind", "message", "source"].compactMap { params?[$0]?.string }
            partEvents.append(
                .updater(.page(load, .reportedError("page: " + facts.joined(separator: " ")))))
        case "checkForUpdates": partEvents.append(.updater(.check(.page)))
        case "switchToPendingVersion":
            calls.add(BridgeCalls.SwitchCall(reply: reply, id: id))
            partEvents.append(.updater(.switchRequested(load)))
            return
        case "onNewVersionReady", "onError", "listen":
            notices.addListener(load)
            sendNotices()
        case "holdOff":
            switchHold.begin(at: now)
            partEvents.append(.updater(.heldOff(true)))
        case "release":
            switchHold.end()
            partEvents.append(.updater(.heldOff(false)))
        default:
            if answerAtOnce(method, params, id, reply) || callNativeCode(method, params, id, reply) { return }
            return refuse("unknown method \(method.prefix(60))", id, reply)
        }
        send(BridgeJSON.result(method, id) { $0.bool(true) }, reply)
    }

    /// Messages whose answer, or refusal, needs nothing of the updater.
    /// - Returns: whether the method is one of them.
    private mutating func answerAtOnce(
        _ method: String, _ params: JSONNode?, _ id: JSONNode?, _ reply: ReplyAddress
    ) -> Bool {
        switch method {
        case "infoRequest":
            send(
                BridgeJSON.result("infoResponse", id) { json in
                    json.beginObject()
                    json.member("message", params?["text"]?.string ?? "")
                    json.endObject()
                }, reply)
        case "nativeLinks":
            let links = launch?.nativeLinks ?? []
            send(BridgeJSON.result(method, id) { BridgeJSON.list(links, &$0) }, reply)
        case "linkRules":
            let (native, allowed) = (launch?.nativeLinks ?? [], launch?.allowedRoutes ?? [])
            send(BridgeJSON.result(method, id) { BridgeJSON.linkRules(native, allowed, &$0) }, reply)
        case "openLink":
            let url = params?["url"]?.string ?? ""
            guard isNative(url) else {
                refuse("not a link of native code", id, reply)
                return true
            }
            effects.append(.openLink(reply.view, url: url))
            send(BridgeJSON.result(method, id) { $0.bool(true) }, reply)
        case "setRemoteRoot": pageSetsRemoteRoot(params, id, reply)
        case "switchEnvironment": switchEnvironment(params, id, reply)
        default: return false
        }
        return true
    }

    /// Sends the answer to a message: in the call if it came by one, else as a message (H3).
    mutating func send(_ answer: [UInt8], _ reply: ReplyAddress) {
        if let call = reply.call {
            partEvents.append(.server(.bridgeAnswer(call, answer)))
        } else {
            effects.append(.message(reply.view, reply.load, answer))
        }
    }

    mutating func refuse(_ reason: String, _ id: JSONNode?, _ reply: ReplyAddress) {
        append(LogEntry(.bridgeMessageRefused, detail: reason))
        send(BridgeJSON.result("error", id) { $0.string(reason) }, reply)
    }

    mutating func switchAnswered(_ token: PageLoadToken, _ answer: Updater.SwitchAnswer) {
        if environmentAnswered(token, answer) { return }
        guard let call = calls.takeSwitch(of: token) else { return }
        let bytes: [UInt8]
        switch answer {
        case .switched(let key):
            bytes = BridgeJSON.result("switchToPendingVersion", call.id) { $0.string(key.id) }
        case .nothingPending:
            bytes = BridgeJSON.result("error", call.id) { $0.string("No pending version to switch to") }
        case .tooOften: bytes = BridgeJSON.result("error", call.id) { $0.string("switched too often") }
        }
        send(bytes, call.reply)
    }

    /// The document of this load is gone or its process died: it gets no notices and answers no calls, and
    /// the connections of its calls wait for nothing any more.
    mutating func endBridge(of load: PageLoadToken) {
        notices.lost(load)
        for call in calls.takeNative(of: load) { endWithoutResult(call.reply) }
        for call in calls.takePageCalls(of: load) {
            cancelTimer(.pageAnswer(call.id))
            effects.append(.pageReturned(call.id, result: nil))
        }
    }

    /// Ends the HTTP call by which a message came, if it came by one.
    private mutating func endWithoutResult(_ reply: ReplyAddress) {
        guard let call = reply.call else { return }
        partEvents.append(.server(.bridgeAnswer(call, Array("{}".utf8))))
    }

    // MARK: - Native code calls the page

    /// Time that a page has for its answer, because native code waits for it and a page may never give one.
    static let pageAnswerTimeout = TimeSpan.seconds(30)

    mutating func callPage(_ id: CallID, _ view: WebViewID, _ method: String, _ params: [UInt8]) {
        let node: JSONNode
        do {
            node = try JSONReader.read(params, dialect: .strict)
        } catch {
            append(LogEntry(.bridgeMessageRefused, detail: "native params are not JSON: \(error.message)"))
            effects.append(.pageReturned(id, result: nil))
            return
        }
        guard let load = webViews[view]?.load, calls.hasRoomForPageCall(id) else {
            effects.append(.pageReturned(id, result: nil))
            return
        }
        let call = BridgeCalls.PageCall(id: id, load: load)
        calls.add(call)
        setTimer(.pageAnswer(id), AppHost.pageAnswerTimeout)
        effects.append(.message(view, load, BridgeJSON.call(method, node, call.messageID)))
    }

    /// The page's time for an answer is over; one that comes later is refused.
    mutating func endPageCall(_ id: CallID) {
        guard calls.takePageCall(id) != nil else { return }
        effects.append(.pageReturned(id, result: nil))
    }

    /// A page's answer. Only the document that was called can answer, and only once.
    private mutating func pageReturned(_ result: JSONNode, _ id: JSONNode?, _ reply: ReplyAddress) {
        guard let call = calls.takePageCall(id?.string, of: reply.load) else {
            return refuse("an answer to no question", id, reply)
        }
        cancelTimer(.pageAnswer(call.id))
        var json = JSONWriter()
        json.node(result)
        effects.append(.pageReturned(call.id, result: json.bytes))
        endWithoutResult(reply)
    }

    // MARK: - Notices (T2)

    mutating func send(_ notice: Updater.Notice) {
        notices.add(notice)
        sendNotices()
        takeUpEnvironment(notice)
    }

    mutating func sendNotices() {
        guard let load = webViews.first.load, notices.isListening(load) else { return }
        let shown = webViews.first.version
        notices.remove(notices.items.filter { !updater.holds($0.notice, forPageOf: shown) })
        for item in notices.send(to: load) {
            effects.append(.message(.first, load, BridgeJSON.notice(item)))
        }
    }
}
