import Core
import LocalServer
import Updater

/// Bridge messages that the app's native code answers, because the host does not know their method (N5).
extension AppHost {
    /// - Returns: whether native code is called.
    mutating func callNativeCode(
        _ method: String, _ params: JSONNode?, _ messageID: JSONNode?, _ reply: ReplyAddress
    ) -> Bool {
        guard launch?.nativeMethods.contains(where: { TextBytes.areEqual($0, method) }) == true else {
            return false
        }
        let id = calls.addNative(method, reply, messageID: messageID)
        var json = JSONWriter()
        if let params { json.node(params) }
        let call = NativeMethodCall(
            call: id, view: reply.view, load: reply.load, method: method,
            params: params == nil ? Array("null".utf8) : json.bytes, isOverHTTP: reply.call != nil)
        effects.append(.nativeMethodCalled(call))
        return true
    }

    mutating func nativeMethodAnswered(_ id: CallID, _ answer: NativeMethodResult) {
        guard let call = calls.takeNative(id) else { return }
        switch answer {
        case .refused(let reason): refuse(reason, call.messageID, call.reply)
        case .result(let bytes):
            do {
                let node = try JSONReader.read(bytes, dialect: .strict)
                send(BridgeJSON.result(call.method, call.messageID) { $0.node(node) }, call.reply)
            } catch {
                refuse("native code's answer is not JSON: \(error.message)", call.messageID, call.reply)
            }
        }
    }
}
