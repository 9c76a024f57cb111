import AppHost
import Core
import Runner
import Subject
import Updater

/// Lines that an adapter of the project's own updater writes (`Runner.docc/Adapters.md`), without their ends.
struct AdapterLines {
    let port: UInt16

    static func subject(_ environment: AdapterEnvironment) -> [UInt8] {
        line("subject") { json in
            json.member("protocol", 1)
            json.member("name", "otalab")
            json.member("version", ToolVersion.current)
            list("dialects", ManifestDialect.allCases.map(\.rawValue), &json)
            json.member("clock", SubjectDescription.Clock.own.rawValue)
            json.member("serves", SubjectDescription.Serving.http.rawValue)
            list("does", SubjectDescription.Skill.allCases.map(\.rawValue), &json)
            list("tells", ["current", "pending", "good", "blacklist", "parked", "screen"], &json)
            json.key("policy")
            json.beginObject()
            json.member("confirm", environment.confirmation.rawValue)
            json.member("startupTimeout", environment.startupTimeout.microseconds / 1_000)
            list("switchAt", ["launch", "reload", "call"], &json)
            // The second chance of a version that failed clearly (R3).
            json.member("retries", 1)
            json.member("blacklists", true)
            json.endObject()
        }
    }

    /// The app says itself when a page is to be loaded.
    static let listening = line("listening") { json in
        json.key("start")
        json.null()
    }

    /// - Parameter refusal: why the command can't be carried out; nil: it can.
    static func answer(
        _ id: Int64, refusal: String? = nil, _ add: (inout JSONWriter) -> Void = { _ in }
    ) -> [UInt8] {
        object { json in
            json.member("to", id)
            json.member("ok", refusal == nil)
            if let refusal { json.member("why", refusal) }
            add(&json)
        }
    }

    static func status(_ status: UpdaterStatus) -> [UInt8] {
        line("status") { json in
            for (key, value) in [("current", status.current), ("pending", status.pending)] {
                json.key(key)
                if let value { json.string(value.id) } else { json.null() }
            }
            // The last known good one comes last.
            let last = status.lastKnownGood
            list("good", (status.good.filter { $0 != last } + [last].compactMap(\.self)).map(\.id), &json)
            list("blacklist", status.blacklist.map(\.id), &json)
            list("parked", status.parked.map(\.id), &json)
        }
    }

    static func screen(_ screen: AppHost.Screen) -> [UInt8] {
        let shown: SubjectScreen =
            switch screen {
            case .page: .page
            case .cover: .cover
            case .loading: .loading
            case .offline: .offline
            // The protocol has no words for these; all offer the user a way on.
            case .recovery, .noSpace, .portTaken, .portFailed: .recovery
            }
        return line("screen") { $0.member("shows", shown.rawValue) }
    }

    static func message(_ view: WebViewID, _ message: [UInt8]) -> [UInt8]? {
        guard let node = try? JSONReader.read(message, dialect: .strict) else { return nil }
        return line("message") { json in
            json.member("view", number(of: view))
            json.key("json")
            json.node(node)
        }
    }

    /// - Parameter url: on the app's server.
    func load(_ view: WebViewID, _ url: String) -> [UInt8] {
        let path = url.hasPrefix(root) ? String(url.dropFirst(root.count)) : url
        return AdapterLines.line("load") { json in
            json.member("view", AdapterLines.number(of: view))
            json.member("url", path.isEmpty ? "/" : path)
        }
    }

    /// Address of the app's server, without a slash at its end.
    var root: String { "http://localhost:\(port)" }

    private static func number(of view: WebViewID) -> Int {
        Int(view.rawValue) - Int(WebViewID.first.rawValue)
    }

    private static func line(_ kind: String, _ add: (inout JSONWriter) -> Void) -> [UInt8] {
        object { json in
            json.member("is", kind)
            add(&json)
        }
    }

    private static func object(_ add: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        add(&json)
        json.endObject()
        return json.bytes
    }

    private static func list(_ key: String, _ texts: [String], _ json: inout JSONWriter) {
        json.key(key)
        json.beginArray()
        for text in texts { json.string(text) }
        json.endArray()
    }
}
