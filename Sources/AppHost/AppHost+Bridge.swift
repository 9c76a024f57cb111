import Core
import LocalServer
import Updater

/// Messages between page and native code: `{method, params, id?}`, answered `{method, result, id?}` (N5, H2,
/// H3).
extension AppHost {
    static let longestMessage = 1 << 20

    /// - Returns: the answer, nil where it comes later or none is due.
    mutating func message(
        _ bytes: [UInt8], _ token: PageLoadToken, _ view: WebViewID, answersInCall: Bool
    ) -> [UInt8]? {
        notices.heard(token)
        guard bytes.count <= AppHost.longestMessage else { return refuse("too long", nil, token) }
        let node: JSONNode
        do {
            node = try JSONReader.read(bytes, dialect: .strict)
        } catch {
            return refuse("not JSON: \(error.message)", nil, token)
        }
        let id = node["id"]
        guard let method = node["method"]?.string else { return refuse("no method", id, token) }
        return call(method, node["params"], id, token, view)
    }

    private mutating func call(
        _ method: String, _ params: JSONNode?, _ id: JSONNode?, _ token: PageLoadToken, _ view: WebViewID
    ) -> [UInt8]? {
        switch method {
        case "startupDidComplete": inbox.append(.updater(.page(token, .confirmed)))
        case "startupDidFail":
            inbox.append(.updater(.page(token, .failed(params?["message"]?.string ?? ""))))
        case "checkForUpdates": inbox.append(.updater(.check(.page)))
        case "switchToPendingVersion":
            switchCalls.append(SwitchCall(token: token, view: view, id: id))
            inbox.append(.updater(.switchAsked(token)))
            return nil
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
                return refuse("setRemoteRoot: \(error.rawValue)", id, token)
            }
        case "setMock":
            guard let name = params?["name"]?.string, let isOn = params?["on"]?.bool else {
                return refuse("setMock wants name and on", id, token)
            }
            inbox.append(.server(.mock(name, isOn: isOn)))
        case "infoRequest":
            return Answer.result("infoResponse", id) { json in
                json.beginObject()
                json.member("message", params?["text"]?.string ?? "")
                json.endObject()
            }
        default: return refuse("unknown method \(method.prefix(60))", id, token)
        }
        return Answer.result(method, id) { $0.bool(true) }
    }

    private mutating func refuse(_ why: String, _ id: JSONNode?, _ token: PageLoadToken) -> [UInt8] {
        log(LogEntry(.bridgeMessageRefused, detail: why))
        return Answer.result("error", id) { $0.string(why) }
    }

    mutating func switchAnswered(_ token: PageLoadToken, _ answer: Updater.SwitchAnswer) {
        guard let place = switchCalls.firstIndex(where: { $0.token == token }) else { return }
        let call = switchCalls.remove(at: place)
        let bytes: [UInt8]
        switch answer {
        case .switched(let key):
            bytes = Answer.result("switchToPendingVersion", call.id) { $0.string(key.id) }
        case .nothingPending:
            bytes = Answer.result("error", call.id) { $0.string("No pending version to switch to") }
        case .tooOften: bytes = Answer.result("error", call.id) { $0.string("switched too often") }
        }
        effects.append(.message(call.view, token, bytes))
    }

    // MARK: Notices (T2)

    mutating func tell(_ notice: Updater.Notice) {
        notices.add(notice)
        flushNotices()
    }

    private mutating func flushNotices() {
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
