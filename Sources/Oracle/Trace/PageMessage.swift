import Core

/// What the native side told a page without having been asked (rule T2), in the words of scenario files:
/// `newVersionReady v2`, `error no-space`.
package struct PageMessage: Hashable, Sendable {
    /// Grows from message to message; the same message told again has the same one.
    package var event: Int64
    package var method: String
    /// The version's name, or the cause of an error.
    package var subject: String

    package var text: String { subject.isEmpty ? method : "\(method) \(subject)" }

    package var isProgress: Bool { method == "progress" }

    /// Nil for the answer to a call, and for what is no message.
    package init?(_ bytes: [UInt8], _ names: VersionNames) {
        do throws(JSONFault) {
            let root = try JSONReader.read(bytes, dialect: .strict)
            guard let event = root["event"]?.integer, let method = root["method"]?.string else { return nil }
            let params = root["params"]
            self.event = event
            self.method = method
            let version = params?["version"]?.string.map { names.name(ofID: $0) }
            subject = version ?? params?["cause"]?.string ?? ""
        } catch {
            return nil
        }
    }
}

/// An answer to a message of a page (rule N5).
package struct PageReply: Hashable, Sendable {
    /// `checkForUpdates true`, `switchToPendingVersion v2`, `error too long #7`.
    package var text: String
    package var isError: Bool

    /// Nil for a notice, and for what is no answer.
    package init?(_ bytes: [UInt8], _ names: VersionNames) {
        do throws(JSONFault) {
            let root = try JSONReader.read(bytes, dialect: .strict)
            guard let method = root["method"]?.string, let result = root["result"] else { return nil }
            let said = result.string.map { method == "error" ? $0 : names.name(ofID: $0) }
            isError = method == "error"
            text = "\(method) \(said ?? PageReply.json(result))"
            if let id = root["id"] { text += " #" + (id.string ?? PageReply.json(id)) }
        } catch {
            return nil
        }
    }

    private static func json(_ node: JSONNode) -> String {
        var json = JSONWriter()
        json.node(node)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
