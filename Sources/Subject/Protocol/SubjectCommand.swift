import Core
import HTTP1

/// A command to an adapter: one line of its standard input.
package enum SubjectCommand: Hashable, Sendable {
    /// The first one.
    case launch(SubjectLaunch)
    case check
    case push
    case front(Bool)
    case active(Bool)
    case user(presses: String)
    case network(String)
    /// What a platform's web view reports; `how` only with `navigating`.
    case page(view: Int, String, url: String?, how: String?)
    /// A page's call: what its script sent, an object with `method` and perhaps `params`.
    case call(view: Int, url: String, JSONNode)
    case status
    case rest
    case advance(milliseconds: Int64)
    /// A page requests a file of a subject without a server; `connection` is the laboratory's own.
    case get(connection: Int, url: String, headers: HeaderFields)

    /// What an adapter must understand for this command to be sent; nil: each does.
    package var skill: SubjectDescription.Skill? {
        switch self {
        case .launch, .advance, .get: nil
        case .check: .check
        case .push: .push
        case .front: .front
        case .active: .active
        case .user: .user
        case .network: .network
        case .page: .page
        case .call: .call
        case .status: .status
        case .rest: .rest
        }
    }

    /// Whether it is the effect of a scenario's step, and not of what a page or the laboratory does.
    package var isOfStep: Bool {
        switch self {
        case .check, .push, .front, .active, .user, .network: true
        case .launch, .advance, .get, .page, .call, .status, .rest: false
        }
    }

    package var name: String {
        switch self {
        case .launch: "launch"
        case .advance: "advance"
        case .get: "get"
        default: skill?.rawValue ?? ""
        }
    }

    /// The line, without its end.
    package func line(id: Int) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("id", id)
        json.member("do", name)
        switch self {
        case .launch(let launch): launch.write(to: &json)
        case .check, .push, .status, .rest: break
        case .front(let value), .active(let value): json.member("is", value)
        case .user(let button): json.member("presses", button)
        case .network(let state): json.member("is", state)
        case .page(let view, let what, let url, let how):
            json.member("view", view)
            json.member("is", what)
            if let url { json.member("url", url) }
            if let how { json.member("how", how) }
        case .call(let view, let url, let message):
            json.member("view", view)
            json.member("url", url)
            for member in message.members ?? [] where ["method", "params"].contains(member.key) {
                json.key(member.key)
                json.node(member.value)
            }
            json.key("message")
            json.node(message)
        case .advance(let milliseconds): json.member("ms", milliseconds)
        case .get(_, let url, let headers):
            json.member("url", url)
            json.key("headers")
            json.beginObject()
            for field in headers.fields { json.member(field.name.lowercased(), field.value) }
            json.endObject()
        }
        json.endObject()
        return json.bytes
    }
}
