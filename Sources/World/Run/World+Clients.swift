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
    /// Head of the answer that is coming, and its body so far.
    var head: ResponseHead?
    var body: [UInt8] = []
}

/// Other clients of the local server: programs on the phone, and pages of other servers in a browser. They
/// keep their connections until the server closes them.
extension World {
    mutating func connectClients(_ spec: ClientSpec, _ device: Int) {
        guard let port = devices[device].process.sockets.port else {
            return record(.actionDidNothing("the local server does not listen"), device)
        }
        if !spec.pieces.isEmpty { return connectRawClients(spec, port, device) }
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

    /// Clients that send bytes of any form.
    private mutating func connectRawClients(_ spec: ClientSpec, _ port: UInt16, _ device: Int) {
        let cookies = cookieLine(device)
        let pieces = spec.pieces.map {
            $0.value.replacing("{host}", with: "localhost:\(port)").replacing("{cookies}", with: cookies)
        }
        let hasKey = !cookies.isEmpty && spec.pieces.contains { $0.value.contains("{cookies}") }
        let text = pieces.joined()
        let request = ClientRequest(text: text, hasKey: hasKey, ownHost: "localhost:\(port)")
        for _ in 0..<spec.connections {
            let id = devices[device].process.sockets.accept(from: .client)
            var client = LocalClient(id: id, request: request, waiting: 1, reads: spec.reads)
            for line in text.split(separator: "\r\n") where line.contains(" HTTP/") {
                client.parser.expect(RequestMethod(String(line.prefix { $0 != " " })))
            }
            devices[device].process.sockets.clients.append(client)
            postFromOutside(.toServer(id, .opened), device, after: World.loopbackDelay)
            for (index, piece) in pieces.enumerated() {
                postFromOutside(
                    .toServer(id, .received(Array(piece.utf8))), device,
                    after: World.loopbackDelay + .milliseconds(100 * Int64(index)))
            }
            guard spec.finishes else { continue }
            postFromOutside(
                .toServer(id, .finished), device,
                after: World.loopbackDelay + .milliseconds(100 * Int64(pieces.count)))
        }
    }

    private func cookieLine(_ device: Int) -> String {
        devices[device].process.webViews.first?.view.cookieLine ?? ""
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
        let cookies = cookieLine(device)
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
            switch event {
            case .head(let head, _):
                devices[device].process.sockets.clients[index].head = head
                devices[device].process.sockets.clients[index].waiting -= 1
                if head.status == .switchingProtocols { recordAnswer(index, device) }
            case .body(let bytes): devices[device].process.sockets.clients[index].body += bytes
            case .end: recordAnswer(index, device)
            case .interim, .failure: break
            }
        }
        let raw = devices[device].process.sockets.clients[index].parser.takeRaw()
        guard !raw.isEmpty else { return }
        devices[device].process.sockets.clients[index].body = raw
        recordAnswer(index, device)
    }

    /// The answer that was coming is complete, or the connection has ended.
    private mutating func recordAnswer(_ index: Int, _ device: Int) {
        let client = devices[device].process.sockets.clients[index]
        guard let request = client.request, let head = client.head else { return }
        let content = PageAnswerContent(
            fields: head.fields.fields.map { "\($0.name.lowercased()): \($0.value)" }, body: client.body)
        record(.clientAnswered(request, status: head.status.code, content), device)
        devices[device].process.sockets.clients[index].body = []
        if head.status != .switchingProtocols { devices[device].process.sockets.clients[index].head = nil }
    }

    /// The server has closed the connection.
    mutating func clientLost(_ id: ConnectionID, _ device: Int) {
        guard let index = devices[device].process.sockets.clients.firstIndex(where: { $0.id == id }) else {
            return
        }
        // An answer may end with its connection, or not come to its end.
        if devices[device].process.sockets.clients[index].head?.status != .switchingProtocols {
            recordAnswer(index, device)
        }
        let client = devices[device].process.sockets.clients.remove(at: index)
        guard client.waiting > 0, let request = client.request else { return }
        record(.clientAnswered(request, status: 0), device)
    }
}

extension ClientRequest {
    /// What a checker can know of bytes that a client sent as they are: their first line and fields.
    fileprivate init(text: String, hasKey: Bool, ownHost: String) {
        let head = text.split(separator: "\r\n\r\n", maxSplits: 1).first ?? ""
        let lines = head.split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        let fields = lines.dropFirst().compactMap { line -> ForwardedRequest.Field? in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            return .init(name: String(parts[0]), value: String(parts[1].drop { $0 == " " }))
        }
        let host = fields.first { $0.name.lowercased() == "host" }?.value
        let target = words.count > 1 ? String(words[1]) : ""
        self.init(
            kind: .app, method: words.first.map { String($0) } ?? "", target: target, fields: fields,
            hasKey: hasKey, namesOwnHost: target.hasPrefix("http://\(ownHost)/") || host == ownHost)
    }
}
