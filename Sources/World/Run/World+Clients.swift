import AppHost
import Backend
import Core
import HTTP1
import LocalServer
import ScenarioLanguage

/// A connection of a client that is no page of the app (rules S6, S10).
struct LocalClient: Sendable {
    let id: ConnectionID
    /// What it sent; nil: nothing.
    let request: ClientRequest?
    /// Number of requests without an answer.
    var waiting: Int
    let reads: Bool
    var parser = ResponseParser()
}

/// Other clients of the local server: programs on the phone, and pages of other servers in a browser. They
/// keep their connections until the server closes them.
extension World {
    mutating func connectClients(_ spec: ClientSpec, _ device: Int) {
        guard let port = devices[device].process.sockets.port else {
            return record(.actionDidNothing("the local server does not listen"), device)
        }
        let request = spec.target.map { clientRequest(spec, $0.value, port, device) }
        let bytes = request.map { World.serialized($0, body: spec.request?.body?.value ?? "") } ?? []
        for _ in 0..<spec.connections {
            let id = devices[device].process.sockets.accept(from: .client)
            var client = LocalClient(
                id: id, request: request, waiting: request == nil ? 0 : spec.requests, reads: spec.reads)
            for _ in 0..<client.waiting { client.parser.expect(RequestMethod(request?.method ?? "GET")) }
            devices[device].process.sockets.clients.append(client)
            postFromOutside(.toServer(id, .opened), device, after: World.loopbackDelay)
            for _ in 0..<client.waiting {
                postFromOutside(.toServer(id, .received(bytes)), device, after: World.loopbackDelay)
            }
        }
    }

    private func clientRequest(_ spec: ClientSpec, _ target: String, _ port: UInt16, _ device: Int)
        -> ClientRequest
    {
        let own = "localhost:\(port)"
        let host = spec.host?.value ?? own
        let method = spec.request?.method?.value ?? .get
        var fields = [ForwardedRequest.Field(name: "Host", value: host)]
        func add(_ name: String, _ value: String) { fields.append(.init(name: name, value: value)) }
        if spec.kind != .app {
            let isPlain = spec.request == nil
            // An image's or a script's request, which names no origin, or one of `fetch`.
            if !isPlain {
                add("Origin", spec.kind == .page ? "https://www.example.net" : "http://localhost:\(port ^ 1)")
            }
            if devices[device].profile.sendsFetchMetadata {
                add("Sec-Fetch-Dest", isPlain ? "image" : "empty")
                add("Sec-Fetch-Mode", isPlain ? "no-cors" : "cors")
                add("Sec-Fetch-Site", spec.kind == .page ? "cross-site" : "same-site")
            }
        }
        for header in spec.request?.headers ?? [] { add(header.name.value, header.value.value) }
        let cookies = devices[device].process.webViews.first?.view.cookieLine ?? ""
        if spec.hasCookies, !cookies.isEmpty { add("Cookie", cookies) }
        return ClientRequest(
            kind: spec.kind, method: method.rawValue, target: Document.parts(ofURL: target).address,
            fields: fields, hasKey: spec.hasCookies, namesOwnHost: host == own)
    }

    private static func serialized(_ request: ClientRequest, body: String) -> [UInt8] {
        var text = "\(request.method) \(request.target) HTTP/1.1\r\n"
        for field in request.fields { text += "\(field.name): \(field.value)\r\n" }
        if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
        return Array((text + "\r\n" + body).utf8)
    }

    func isClientThatReadsNothing(_ id: ConnectionID, _ device: Int) -> Bool {
        devices[device].process.sockets.clients.contains { $0.id == id && !$0.reads }
    }

    mutating func clientReceived(_ bytes: [UInt8], on id: ConnectionID, _ device: Int) {
        guard let index = devices[device].process.sockets.clients.firstIndex(where: { $0.id == id }) else {
            return
        }
        devices[device].process.sockets.clients[index].parser.append(bytes)
        while let event = devices[device].process.sockets.clients[index].parser.next() {
            guard case .head(let head, _) = event else { continue }
            let client = devices[device].process.sockets.clients[index]
            devices[device].process.sockets.clients[index].waiting -= 1
            if let request = client.request {
                record(.clientAnswered(request, status: head.status.code), device)
            }
        }
    }

    /// The server has closed the connection.
    mutating func clientLost(_ id: ConnectionID, _ device: Int) {
        guard let index = devices[device].process.sockets.clients.firstIndex(where: { $0.id == id }) else {
            return
        }
        let client = devices[device].process.sockets.clients.remove(at: index)
        guard client.waiting > 0, let request = client.request else { return }
        record(.clientAnswered(request, status: 0), device)
    }
}
