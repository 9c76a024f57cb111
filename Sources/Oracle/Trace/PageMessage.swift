import Core

/// A notification that the native side sent to a page (rule T2), in the syntax of scenario files:
/// `newVersionReady v2`, `error no-space`.
package struct PageMessage: Hashable, Sendable {
    /// Sequence number of the message. A message that is sent again keeps its number.
    package var event: Int64
    package var method: String
    /// Name of the version, or the cause of an error.
    package var subject: String

    /// How far a download is; nil for any other message.
    package var progress: ProgressAmount?

    /// Method, subject and progress, as a scenario file writes them.
    package var text: String {
        [method, subject, progress?.text ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
    }

    package var isProgress: Bool { method == "progress" }

    /// Nil for the answer to a call, and for bytes that are no message.
    package init?(_ bytes: [UInt8], _ names: VersionNames) {
        do throws(JSONFault) {
            let root = try JSONDocument.read(bytes).root
            guard let event = root["event"]?.integer?.bounded(by: Int64.min...Int64.max),
                let method = root["method"]?.string
            else { return nil }
            let params = root["params"]
            self.event = event
            self.method = method
            let version = params?["version"]?.string.map { names.name(ofID: $0) }
            subject = version ?? params?["cause"]?.string ?? ""
            if isProgress { progress = params.flatMap { ProgressAmount($0) } }
        } catch {
            return nil
        }
    }
}

/// The answer to a call of a page (rule N5).
package struct PageReply: Hashable, Sendable {
    /// `checkForUpdates true`, `switchToPendingVersion v2`, `error too long #7`.
    package var text: String
    package var isError: Bool

    /// Nil for a notification, and for bytes that are no answer.
    package init?(_ bytes: [UInt8], _ names: VersionNames) {
        do throws(JSONFault) {
            let root = try JSONReader.read(bytes, dialect: .strict)
            guard let method = root["method"]?.string, let result = root["result"] else { return nil }
            let value = result.string.map { method == "error" ? $0 : names.name(ofID: $0) }
            isError = method == "error"
            text = "\(method) \(value ?? PageReply.json(result))"
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
