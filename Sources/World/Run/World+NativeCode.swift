import AppHost
import Backend
import Core
import ScenarioLanguage

/// A message that the app's native code has sent to a page.
struct NativeCall: Hashable, Sendable {
    let id: AppHost.CallID
    let method: String
}

/// What the app's native code answers to a message of a page: what the message carries, at once. An object
/// that it carries can ask for something else: `{"refuse": "why"}`, `{"return": "text"}` for a result that is
/// this text whether it is JSON or not, and `"after": 5` for an answer after so many seconds.
struct NativeMethodAnswer {
    let result: AppHost.NativeMethodResult
    let delay: TimeSpan

    /// - Parameter params: what the message carries.
    init(to params: [UInt8]) {
        let node: JSONNode
        do throws(JSONFault) {
            node = try JSONReader.read(params, dialect: .strict)
        } catch {
            (result, delay) = (.result(params), World.loopbackDelay)
            return
        }
        if let why = node["refuse"]?.string {
            result = .refused(why)
        } else if let text = node["return"]?.string {
            result = .result(Array(text.utf8))
        } else {
            result = .result(params)
        }
        delay = node["after"]?.integer.map { .seconds($0) } ?? World.loopbackDelay
    }
}

/// The app's own native code: it asks the page in front and notes each answer that the host gives it.
extension World {
    mutating func sendFromNativeCode(_ spec: NativeSpec, _ device: Int) {
        guard devices[device].isRunning else {
            return record(.actionDidNothing("no app is running"), device)
        }
        let method = spec.method.value
        let id = AppHost.CallID(UInt32(devices[device].process.nativeCalls.count + 1))
        devices[device].process.nativeCalls.append(NativeCall(id: id, method: method))
        record(.nativeAsked(method: method), device)
        deliverToWebView(.first, .handles(spec), device)
        let params = Array((spec.params?.value ?? "null").utf8)
        arrive(.callPage(id, method: method, params: params), device)
    }

    mutating func pageReturned(_ id: AppHost.CallID, _ result: [UInt8]?, _ device: Int) {
        guard let call = devices[device].process.nativeCalls.first(where: { $0.id == id }) else { return }
        record(.nativeAnswered(method: call.method, result: result), device)
    }
}
