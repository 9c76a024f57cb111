import Core
import Updater

/// The JSON of answers, calls and notices (N5, H2).
enum BridgeJSON {
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

    static func call(_ method: String, _ params: JSONNode, _ id: String) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("method", method)
        json.key("params")
        json.node(params)
        json.member("id", id)
        json.endObject()
        return json.bytes
    }

    static func notice(_ item: NoticeOutbox.Item) -> [UInt8] {
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

    static func list(_ texts: [String], _ json: inout JSONWriter) {
        json.beginArray()
        for text in texts { json.string(text) }
        json.endArray()
    }

    static func linkRules(_ native: [String], _ allowed: [String], _ json: inout JSONWriter) {
        json.beginObject()
        json.key("native")
        list(native, &json)
        json.key("allowed")
        list(allowed, &json)
        json.endObject()
    }

    private static func named(_ method: String, _ version: String, _ json: inout JSONWriter) {
        json.member("method", method)
        json.key("params")
        json.beginObject()
        json.member("version", version)
        json.endObject()
    }
}
