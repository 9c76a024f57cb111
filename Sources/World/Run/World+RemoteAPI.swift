import AppHost
import Backend
import Core
import HTTP1
import LocalServer
import ScenarioLanguage
import Updater

/// A connection between the local server and the remote root, with the answer that waits on it.
struct RemoteConnection: Sendable {
    let id: UpstreamID
    var parser = RequestParser()
    var head: RequestHead?
    var body: [UInt8] = []
    var answer: [UInt8] = []
    var isWanted = false
    /// It has switched to WebSocket, and sends back what it gets.
    var isTunnel = false
    var hasAnswered = false
    /// What happens after the last byte of ``answer``.
    var end = BodyEnd.whole
    /// Time that a fault adds before the first byte of ``answer``.
    var delay = TimeSpan.zero
}

/// The remote root that API requests are forwarded to (rule S7): an API that answers every request with the
/// request's content, so that a scenario can check what reached it. It is unreachable when the device is
/// offline, and has the faults whose `path` is "api".
extension World {
    private static let remoteDelay = TimeSpan.milliseconds(40)

    mutating func upstream(_ id: UpstreamID, _ call: UpstreamCommand, _ device: Int) {
        switch call {
        case .open:
            guard !isOffline(device) else { return report(id, .failed(.unreachable), device) }
            let plan = plan(under: faults.applyToRemoteRoot(isConnecting: true), device)
            if plan.isSilent { return }
            if let failure = plan.failure {
                return report(id, .failed(UpstreamFailure(failure)), device)
            }
            devices[device].process.sockets.remotes.append(RemoteConnection(id: id))
            report(id, .connected, device)
        case .send(let bytes):
            guard let index = line(id, device) else { return }
            report(id, .sent, device)
            if devices[device].process.sockets.remotes[index].isTunnel {
                devices[device].process.sockets.remotes[index].answer += bytes
                return answerFromRemote(index, device)
            }
            devices[device].process.sockets.remotes[index].parser.append(bytes)
            readAtRemote(index, device)
        case .receive:
            guard let index = line(id, device) else { return }
            devices[device].process.sockets.remotes[index].isWanted = true
            answerFromRemote(index, device)
        case .finish:
            guard let index = line(id, device) else { return }
            devices[device].process.sockets.remotes[index].isTunnel = false
            answerFromRemote(index, device)
        case .close: devices[device].process.sockets.remotes.removeAll { $0.id == id }
        }
    }

    private func line(_ id: UpstreamID, _ device: Int) -> Int? {
        devices[device].process.sockets.remotes.firstIndex { $0.id == id }
    }

    private mutating func report(
        _ id: UpstreamID, _ event: UpstreamEvent, _ device: Int, later: TimeSpan = .zero
    ) {
        post(.input(.upstream(id, event)), device, after: World.remoteDelay + later)
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
                answerRequest(head, body, on: index, device)
                devices[device].process.sockets.remotes[index].hasAnswered = true
            case .failure:
                devices[device].process.sockets.remotes[index].answer = RemoteAPI.refusal
                devices[device].process.sockets.remotes[index].hasAnswered = true
            }
        }
        answerFromRemote(index, device)
    }

    /// The remote root's answer to a request, as its faults leave it.
    private mutating func answerRequest(_ head: RequestHead, _ body: [UInt8], on index: Int, _ device: Int) {
        let plan = plan(under: faults.applyToRemoteRoot(isConnecting: false), device)
        let target = head.path?.text ?? ""
        var answer = RemoteAPI.answer(head, body)
        if !plan.alterations.isEmpty {
            // As for a report of outcomes, the answer belongs to no version.
            let request = OriginRequest(kind: .outcomes, url: target)
            let noise = choices.draw(.corruption, named: target)
            answer = plan.altered(answer, request, library, noise: noise)
        }
        let isBodiless = head.method == .head || StatusCode(answer.status).neverHasContent
        let limit = plan.bodyLimit(of: isBodiless ? 0 : answer.body.bytes.count)
        let isWhole = plan.end == .whole
        let content = isBodiless ? [] : answer.framed(answer.body.bytes.prefix(limit.bytes), isWhole: isWhole)
        let bytes = ResponseHead(StatusCode(answer.status), fields: answer.fields).serialized()
        devices[device].process.sockets.remotes[index].answer =
            limit.hasHead ? bytes + content : []
        devices[device].process.sockets.remotes[index].isTunnel =
            answer.status == StatusCode.switchingProtocols.code
        devices[device].process.sockets.remotes[index].end = plan.end
        devices[device].process.sockets.remotes[index].delay = plan.delay
    }

    private mutating func answerFromRemote(_ index: Int, _ device: Int) {
        let line = devices[device].process.sockets.remotes[index]
        guard line.isWanted, line.hasAnswered else { return }
        let isStalled = line.answer.isEmpty && (line.end == .stall || line.isTunnel)
        devices[device].process.sockets.remotes[index].isWanted = isStalled
        if isStalled { return }
        let piece = Array(line.answer.prefix(65_536))
        devices[device].process.sockets.remotes[index].answer.removeFirst(piece.count)
        devices[device].process.sockets.remotes[index].delay = .zero
        let end = line.end == .reset ? UpstreamEvent.failed(.reset) : .ended
        report(line.id, piece.isEmpty ? end : .bytes(piece), device, later: line.delay)
    }
}

extension OriginAnswer {
    /// The body as the answer's own fields frame it.
    fileprivate func framed(_ content: ArraySlice<UInt8>, isWhole: Bool) -> [UInt8] {
        guard fields["Transfer-Encoding"] == "chunked" else { return Array(content) }
        let chunk = content.isEmpty ? [] : ChunkedEncoder.chunk(Array(content))
        return chunk + (isWhole ? ChunkedEncoder.end : [])
    }
}

extension ForwardedRequest {
    init(_ head: RequestHead, _ body: [UInt8]) {
        self.init(
            method: head.method.name, target: head.path?.text ?? "",
            fields: head.fields.fields.map { Field(name: $0.name, value: $0.value) }, body: body)
    }
}

extension UpstreamFailure {
    init(_ failure: TransferFailure) {
        self =
            switch failure {
            case .refused: .refused
            case .nameNotResolved: .nameNotResolved
            case .insecure: .certificateNotTrusted
            default: .unreachable
            }
    }
}

/// Answers a request with its content, as JSON.
enum RemoteAPI {
    static let refusal = Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8)

    static func answer(_ head: RequestHead, _ body: [UInt8]) -> OriginAnswer {
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
        var answer = OriginAnswer(status: 200, body: AnswerBody(json.bytes))
        answer.set("Content-Type", "application/json")
        answer.set("Content-Length", String(json.bytes.count))
        answer.set("Set-Cookie", "session=1; Domain=api.example.com; Path=/; Secure; SameSite=None")
        return answer
    }
}
