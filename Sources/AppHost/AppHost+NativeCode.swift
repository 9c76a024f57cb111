import Core
import LocalServer
import Updater

/// A bridge message that the app's own native code answers.
struct NativeCall: Sendable {
    var call: AppHost.CallID
    var method: String
    var reply: Reply
    var id: JSONNode?
}

/// What the app's native code answers: bridge messages that the host does not know (N5), and requests that a
/// row of the route table gives it.
extension AppHost {
    /// - Returns: whether native code is asked.
    mutating func askNativeCode(
        _ method: String, _ params: JSONNode?, _ id: JSONNode?, _ reply: Reply
    ) -> Bool {
        guard launch?.nativeMethods.contains(where: { TextBytes.areEqual($0, method) }) == true else {
            return false
        }
        let call = CallID(nextNativeCall)
        nextNativeCall += 1
        nativeCalls.append(NativeCall(call: call, method: method, reply: reply, id: id))
        var json = JSONWriter()
        if let params { json.node(params) }
        let question = PageQuestionForNative(
            call: call, view: reply.view, load: reply.token, method: method,
            params: params == nil ? Array("null".utf8) : json.bytes, isOverHTTP: reply.call != nil)
        effects.append(.pageAsks(question))
        return true
    }

    mutating func nativeCodeAnswers(_ call: CallID, _ answer: NativeAnswer) {
        guard let place = nativeCalls.firstIndex(where: { $0.call == call }) else { return }
        let asked = nativeCalls.remove(at: place)
        switch answer {
        case .refused(let why): refuse(why, asked.id, asked.reply)
        case .result(let bytes):
            do {
                let node = try JSONReader.read(bytes, dialect: .strict)
                send(Answer.result(asked.method, asked.id) { $0.node(node) }, asked.reply)
            } catch {
                refuse("native code's answer is not JSON: \(error.message)", asked.id, asked.reply)
            }
        }
    }

    /// The document that asked has gone: its connection waits for nothing any more.
    mutating func endNativeCalls(of token: PageLoadToken) {
        for asked in nativeCalls where asked.reply.token == token {
            if let call = asked.reply.call { inbox.append(.server(.bridgeAnswer(call, Array("{}".utf8)))) }
        }
        nativeCalls.removeAll { $0.reply.token == token }
    }

    mutating func report(_ traffic: PageTraffic, of token: PageLoadToken) {
        guard launch?.reportsPageTraffic == true else { return }
        effects.append(.pageTraffic(view(of: token), token, traffic))
    }
}
