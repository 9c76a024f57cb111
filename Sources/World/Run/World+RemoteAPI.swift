import AppHost
import Backend
import Core
import HTTP1
import LocalServer

/// A connection between the local server and the remote root, with the answer that waits on it.
struct RemoteConnection: Sendable {
    let id: UpstreamID
    var parser = RequestParser()
    var head: RequestHead?
    var body: [UInt8] = []
    var answer: [UInt8] = []
    var isWanted = false
    var hasAnswered = false
}

/// The remote root that API requests are forwarded to (rule S7): an API that answers every request with the
/// request's content, so that a scenario can check what reached it. It is unreachable when the device is
/// offline.
extension World {
    private static let remoteDelay = TimeSpan.milliseconds(40)

    mutating func upstream(_ id: UpstreamID, _ call: UpstreamCommand, _ device: Int) {
        switch call {
        case .open:
            guard !isOffline(device) else { return report(id, .failed(.unreachable), device) }
            devices[device].process.sockets.remotes.append(RemoteConnection(id: id))
            report(id, .connected, device)
        case .send(let bytes):
            guard let index = line(id, device) else { return }
            devices[device].process.sockets.remotes[index].parser.append(bytes)
            report(id, .sent, device)
            readAtRemote(index, device)
        case .receive:
            guard let index = line(id, device) else { return }
            devices[device].process.sockets.remotes[index].isWanted = true
            answerFromRemote(index, device)
        case .finish: break
        case .close: devices[device].process.sockets.remotes.removeAll { $0.id == id }
        }
    }

    private func line(_ id: UpstreamID, _ device: Int) -> Int? {
        devices[device].process.sockets.remotes.firstIndex { $0.id == id }
    }

    private mutating func report(_ id: UpstreamID, _ event: UpstreamEvent, _ device: Int) {
        post(.input(.upstream(id, event)), device, after: World.remoteDelay)
    }

    private mutating func readAtRemote(_ index: Int, _ device: Int) {
        while let event = devices[device].process.sockets.remotes[index].parser.next() {
            switch event {
            case .head(let head): devices[device].process.sockets.remotes[index].head = head
            case .body(let bytes): devices[device].process.sockets.remotes[index].body += bytes
            case .end:
                guard let head = devices[device].process.sockets.remotes[index].head else { continue }
                let body = devices[device].process.sockets.remotes[index].body
                record(.forwarded(ForwardedRequest(head, body)), device)
                devices[device].process.sockets.remotes[index].answer = RemoteAPI.answer(head, body)
                devices[device].process.sockets.remotes[index].hasAnswered = true
            case .failure:
                devices[device].process.sockets.remotes[index].answer = RemoteAPI.refusal
                devices[device].process.sockets.remotes[index].hasAnswered = true
            }
        }
        answerFromRemote(index, device)
    }

    private mutating func answerFromRemote(_ index: Int, _ device: Int) {
        let line = devices[device].process.sockets.remotes[index]
        guard line.isWanted, line.hasAnswered else { return }
        devices[device].process.sockets.remotes[index].isWanted = false
        let piece = Array(line.answer.prefix(65_536))
        devices[device].process.sockets.remotes[index].answer.removeFirst(piece.count)
        report(line.id, piece.isEmpty ? .ended : .bytes(piece), device)
    }
}

extension ForwardedRequest {
    init(_ head: RequestHead, _ body: [UInt8]) {
        self.init(
            method: head.method.name, target: head.path?.text ?? "",
            fields: head.fields.fields.map { Field(name: $0.name, value: $0.value) }, body: body)
    }
}

/// Answers a request with its content, as JSON.
enum RemoteAPI {
    static let refusal = Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8)

    static func answer(_ head: RequestHead, _ body: [UInt8]) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("method", head.method.name)
        json.member("target", head.path?.text ?? "")
        json.key("fields")
        json.beginObject()
        for field in head.fields.fields { json.member(field.name, field.value) }
        json.endObject()
        json.member("body", String(decoding: body, as: UTF8.self))
        json.endObject()
        var fields = HeaderFields()
        fields.append("Content-Type", "application/json")
        fields.append("Content-Length", String(json.bytes.count))
        fields.append("Set-Cookie", "session=1; Domain=api.example.com; Path=/; Secure; SameSite=None")
        let answer = ResponseHead(.ok, fields: fields).serialized()
        return head.method == .head ? answer : answer + json.bytes
    }
}
