import Core
import LocalServer
import Updater

/// Messages between page and native code: `{method, params, id?}`, answered `{method, result, id?}` (N5, H2,
/// H3).
extension AppHost {
    static let longestMessage = 1 << 20

    /// A message from the document of `reply`'s page load. Its answer goes the way it came.
    mutating func message(_ bytes: [UInt8], _ reply: Reply) {
        guard bytes.count <= AppHost.longestMessage else { return refuse("too long", nil, reply) }
        let node: JSONNode
        do {
            node = try JSONReader.read(bytes, dialect: .strict)
        } catch {
            return refuse("not JSON: \(error.message)", nil, reply)
        }
        let id = node["id"]
        if launch?.confirmsDelivery != true { notices.heard(reply.token) }
        if let method = node["method"]?.string {
            call(method, node["params"], id, reply)
        } else if let result = node["result"] {
            answered(result, id, reply)
        } else {
            refuse("no method", id, reply)
        }
    }

    private mutating func call(_ method: String, _ params: JSONNode?, _ id: JSONNode?, _ reply: Reply) {
        let token = reply.token
        switch method {
        case "startupDidComplete": inbox.append(.updater(.page(token, .confirmed)))
        case "startupDidFail":
            inbox.append(.updater(.page(token, .failed(params?["message"]?.string ?? ""))))
        case "checkForUpdates": inbox.append(.updater(.check(.page)))
        case "switchToPendingVersion":
            switchCalls.append(SwitchCall(reply: reply, id: id))
            inbox.append(.updater(.switchRequested(token)))
            return
        case "onNewVersionReady", "onError", "listen":
            if !listeners.contains(token) { listeners.append(token) }
            flushNotices()
        case "holdOff":
            heldOffSince = heldOffSince ?? now
            inbox.append(.updater(.heldOff(true)))
        case "release":
            heldOffSince = nil
            inbox.append(.updater(.heldOff(false)))
        case "setRemoteRoot":
            do throws(RemoteRoot.Malformed) {
                inbox.append(.server(.remoteRoot(try RemoteRoot(params?["url"]?.string ?? ""))))
            } catch {
                return refuse("setRemoteRoot: \(error.rawValue)", id, reply)
            }
        case "infoRequest":
            return send(
                Answer.result("infoResponse", id) { json in
                    json.beginObject()
                    json.member("message", params?["text"]?.string ?? "")
                    json.endObject()
                }, reply)
        case "nativeLinks":
            let links = launch?.nativeLinks ?? []
            return send(
                Answer.result(method, id) { json in
                    json.beginArray()
                    for link in links { json.string(link) }
                    json.endArray()
                }, reply)
        case "openLink":
            let url = params?["url"]?.string ?? ""
            guard isNative(url) else { return refuse("not a link of native code", id, reply) }
            effects.append(.openLink(reply.view, url: url))
        default:
            if askNativeCode(method, params, id, reply) { return }
            return refuse("unknown method \(method.prefix(60))", id, reply)
        }
        send(Answer.result(method, id) { $0.bool(true) }, reply)
    }

    /// The answer to a message: in the call where it came by one, else as a message (H3).
    mutating func send(_ answer: [UInt8], _ reply: Reply) {
        if let call = reply.call {
            inbox.append(.server(.bridgeAnswer(call, answer)))
        } else {
            effects.append(.message(reply.view, reply.token, answer))
        }
    }

    mutating func refuse(_ why: String, _ id: JSONNode?, _ reply: Reply) {
        log(LogEntry(.bridgeMessageRefused, detail: why))
        send(Answer.result("error", id) { $0.string(why) }, reply)
    }

    mutating func switchAnswered(_ token: PageLoadToken, _ answer: Updater.SwitchAnswer) {
        guard let place = switchCalls.firstIndex(where: { $0.reply.token == token }) else { return }
        let call = switchCalls.remove(at: place)
        let bytes: [UInt8]
        switch answer {
        case .switched(let key):
            bytes = Answer.result("switchToPendingVersion", call.id) { $0.string(key.id) }
        case .nothingPending:
            bytes = Answer.result("error", call.id) { $0.string("No pending version to switch to") }
        case .tooOften: bytes = Answer.result("error", call.id) { $0.string("switched too often") }
        }
        send(bytes, call.reply)
    }

    // MARK: Native code asks the page

    private static let questionID = "native-"

    mutating func ask(_ call: CallID, _ view: WebViewID, _ method: String, _ params: [UInt8]) {
        let node: JSONNode
        do {
            node = try JSONReader.read(params, dialect: .strict)
        } catch {
            log(LogEntry(.bridgeMessageRefused, detail: "native params are not JSON: \(error.message)"))
            effects.append(.pageAnswered(call, result: nil))
            return
        }
        guard let token = views.first(where: { $0.id == view })?.load else {
            effects.append(.pageAnswered(call, result: nil))
            return
        }
        questions.append(PageQuestion(call: call, token: token))
        effects.append(
            .message(
                view, token, Answer.question(method, node, "\(AppHost.questionID)\(call.number)")))
    }

    /// Only the document that was asked answers, and only once.
    private mutating func answered(_ result: JSONNode, _ id: JSONNode?, _ reply: Reply) {
        let place = questions.firstIndex { question in
            question.token == reply.token
                && id?.string == "\(AppHost.questionID)\(question.call.number)"
        }
        guard let place else { return refuse("an answer to no question", id, reply) }
        let question = questions.remove(at: place)
        var json = JSONWriter()
        json.node(result)
        effects.append(.pageAnswered(question.call, result: json.bytes))
        if let call = reply.call { inbox.append(.server(.bridgeAnswer(call, Array("{}".utf8)))) }
    }

    // MARK: Notices (T2)

    mutating func tell(_ notice: Updater.Notice) {
        notices.add(notice)
        flushNotices()
    }

    mutating func flushNotices() {
        guard let view = views.first, let token = view.load, listeners.contains(token) else { return }
        for item in notices.send(to: token) { effects.append(.message(view.id, token, Answer.notice(item))) }
    }
}

/// The JSON of answers and notices.
enum Answer {
    static func result(_ method: String, _ id: JSONNode?, _ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("method", method)
        json.key("result")
        write(&json)
        if let id {
            json.key("id")
            json.node(id)
        }
        json.endObject()
        return json.bytes
    }

    static func question(_ method: String, _ params: JSONNode, _ id: String) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("method", method)
        json.key("params")
        json.node(params)
        json.member("id", id)
        json.endObject()
        return json.bytes
    }

    static func notice(_ item: NoticeBox.Item) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("event", item.id)
        switch item.notice {
        case .newVersionReady(let key): named("newVersionReady", key.id, &json)
        case .recalled(let key): named("recalled", key.id, &json)
        case .forced(let key): named("forced", key.id, &json)
        case .progress(let progress):
            json.member("method", "progress")
            json.key("params")
            json.beginObject()
            json.member("version", progress.version.id)
            json.member("files", progress.files)
            json.member("filesDone", progress.filesDone)
            json.member("bytesDone", progress.bytesDone)
            if let bytes = progress.bytes { json.member("bytes", bytes) }
            json.endObject()
        case .error(let cause, let detail):
            json.member("method", "error")
            json.key("params")
            json.beginObject()
            json.member("cause", cause.rawValue)
            json.member("detail", detail)
            json.endObject()
        }
        json.endObject()
        return json.bytes
    }

    private static func named(_ method: String, _ version: String, _ json: inout JSONWriter) {
        json.member("method", method)
        json.key("params")
        json.beginObject()
        json.member("version", version)
        json.endObject()
    }
}
