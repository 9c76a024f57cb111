import AppHost
import LocalServer

extension AppHost.Effect {
    /// Whether carrying the effect out records a trace event of the same content, so that the digest need not
    /// cover the effect itself.
    var isRecordedAsTraceEvent: Bool {
        switch self {
        case .screen, .status, .log, .pageLoad, .answered, .report: true
        case .again, .sync, .setTimer, .cancelTimer, .fetch, .cancelFetch, .verifySignatures, .listen,
            .stopListening, .send,
            .close,
            .authenticated, .setReadInterest, .upstream, .load, .message, .pageReturned, .nativeMethodCalled,
            .handlerRequested,
            .pageTraffic, .openLink, .environmentSwitched:
            false
        }
    }
}

extension AppHost.Effect: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .again(let lane):
            digest.mix(case: 0)
            digest.mix(lane == .urgent)
        case .sync(let ticket, let target, let lane):
            digest.mix(case: 25)
            digest.mix(Int(ticket.rawValue))
            digest.mix(target)
            digest.mix(lane == .urgent)
        case .setTimer(let name, let after): digest.mix(1, name, after)
        case .cancelTimer(let name): digest.mix(2, name)
        case .fetch(let id, let request): digest.mix(3, id, request)
        case .cancelFetch(let id): digest.mix(4, id)
        case .verifySignatures(let id, let request):
            digest.mix(27, id, request.claims.count)
            digest.mix(request.message)
        case .listen(let port): digest.mix(5, Int(port))
        case .stopListening: digest.mix(case: 6)
        case .send(let id, let output): digest.mix(7, id, output)
        case .close(let id): digest.mix(8, id)
        case .setReadInterest(let id, let interest): digest.mix(9, id, interest)
        case .upstream(let id, let call): digest.mix(10, id, call)
        case .load(let id, let url): digest.mix(11, id, url)
        case .message(let id, let load, let bytes):
            digest.mix(12, id, load)
            digest.mix(bytes)
        case .pageReturned(let call, let result):
            digest.mix(13, Int(call.rawValue))
            digest.mix(result != nil)
            if let result { digest.mix(result) }
        case .screen(let screen): digest.mix(14, screen)
        case .status(let status): digest.mix(15, status)
        case .log(let entry): digest.mix(16, entry)
        case .pageLoad(let id, let load, let key):
            digest.mix(17, id, load)
            digest.mix(key)
        case .answered(let answer): digest.mix(18, answer)
        case .report(let text): digest.mix(19, text)
        case .openLink(let id, let url): digest.mix(20, id, url)
        case .authenticated(let id): digest.mix(21, id)
        case .nativeMethodCalled(let question): digest.mix(22, question)
        case .handlerRequested(let call, let request):
            digest.mix(23, Int(call.rawValue))
            digest.mix(request)
        case .pageTraffic(let id, let load, let traffic):
            digest.mix(24, id, load)
            digest.mix(traffic)
        case .environmentSwitched(let environment):
            digest.mix(26, environment.origin, environment.channel)
            digest.mix(environment.remote.map { "\($0)" })
        }
    }
}

extension AppHost.NativeMethodCall: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(Int(call.rawValue))
        digest.mix(view)
        digest.mix(load)
        digest.mix(method)
        digest.mix(params)
        digest.mix(isOverHTTP)
    }
}

extension AppHost.PageTraffic: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .seen: digest.mix(case: 0)
        case .sending(let isSending):
            digest.mix(case: 1)
            digest.mix(isSending)
        }
    }
}

extension LocalServer.HandlerRequest: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(handler)
        digest.mix(method.name)
        digest.mix(target)
        for field in fields.fields {
            digest.mix(field.name)
            digest.mix(field.value)
        }
        digest.mix(body)
    }
}

extension LocalServer.Output: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(head)
        switch body {
        case .none: digest.mix(case: 0)
        case .bytes(let bytes):
            digest.mix(case: 1)
            digest.mix(bytes)
        case .file(let handle, let offset, let count):
            digest.mix(2, Int(handle.id), offset)
            digest.mix(count)
        }
    }
}

extension LocalServer.ReadInterest: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .betweenAnswers: digest.mix(case: 0)
        case .always: digest.mix(case: 1)
        case .never: digest.mix(case: 2)
        }
    }
}

extension UpstreamCommand: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .open(let root): digest.mix(0, root)
        case .send(let bytes):
            digest.mix(case: 1)
            digest.mix(bytes)
        case .receive: digest.mix(case: 2)
        case .finish: digest.mix(case: 3)
        case .close: digest.mix(case: 4)
        }
    }
}
