import AppHost
import Core
import LocalServer
import Updater

extension AppInput: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .launched: digest.mix(case: 0)
        case .again(let lane):
            digest.mix(case: 1)
            digest.mix(lane == .urgent)
        case .synced(let ticket, let error):
            digest.mix(case: 19)
            digest.mix(Int(ticket.rawValue))
            digest.mix(error)
        case .timer(let name): digest.mix(2, name)
        case .transfer(let id, let event): digest.mix(3, id, event)
        case .signaturesVerified(let id, let answer): digest.mix(25, id, "\(answer)")
        case .listener(let event): digest.mix(4, event)
        case .connection(let id, let event): digest.mix(5, id, event)
        case .upstream(let id, let event): digest.mix(6, id, event)
        case .webView(let id, let event): digest.mix(7, id, event)
        case .foreground: digest.mix(case: 8)
        case .background: digest.mix(case: 9)
        case .suspended: digest.mix(case: 10)
        case .resumed: digest.mix(case: 11)
        case .push: digest.mix(case: 12)
        case .check: digest.mix(case: 13)
        case .network(let state): digest.mix(14, state.rawValue)
        case .user(let intent): digest.mix(15, intent.rawValue)
        case .settings: digest.mix(case: 16)
        case .openLink(let link): digest.mix(22, link)
        case .callPage(let id, let method, let params):
            digest.mix(23, Int(id.rawValue), method)
            digest.mix(params)
        case .marker(let index): digest.mix(17, index)
        case .frozen(let span): digest.mix(18, span)
        case .active: digest.mix(case: 20)
        case .inactive: digest.mix(case: 21)
        case .nativeAnswer(let call, .result(let json)):
            digest.mix(24, Int(call.rawValue))
            digest.mix(json)
        case .nativeAnswer(let call, .refused(let why)): digest.mix(26, Int(call.rawValue), why)
        }
    }
}

extension TransferEvent: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .head(let status, let fields):
            digest.mix(0, status)
            digest.mix(fields)
        case .bytes(let bytes):
            digest.mix(case: 1)
            digest.mix(bytes)
        case .end: digest.mix(case: 2)
        case .failed(let failure): digest.mix(3, failure.rawValue)
        }
    }
}

extension AppHost.ListenerEvent: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .listening: digest.mix(case: 0)
        case .portTaken: digest.mix(case: 1)
        case .lost: digest.mix(case: 2)
        case .portFailed(let fault):
            digest.mix(case: 3)
            digest.mix(fault.description)
        }
    }
}

extension AppHost.ConnectionEvent: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .opened: digest.mix(case: 0)
        case .received(let bytes):
            digest.mix(case: 1)
            digest.mix(bytes)
        case .sent: digest.mix(case: 2)
        case .progressed: digest.mix(case: 3)
        case .finished: digest.mix(case: 4)
        case .closed(let error):
            digest.mix(case: 5)
            digest.mix(error)
        }
    }
}

extension UpstreamEvent: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .connected: digest.mix(case: 0)
        case .sent: digest.mix(case: 1)
        case .bytes(let bytes):
            digest.mix(case: 2)
            digest.mix(bytes)
        case .ended: digest.mix(case: 3)
        case .failed(let failure): digest.mix(4, failure.rawValue)
        }
    }
}

extension AppHost.WebViewEvent: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .navigating(let kind, let url): digest.mix(0, kind.rawValue, url)
        case .committed(let url): digest.mix(1, url)
        case .addressChanged(let url): digest.mix(2, url)
        case .contentShown: digest.mix(case: 3)
        case .loaded: digest.mix(case: 4)
        case .touched: digest.mix(case: 5)
        case .message(let bytes, let url):
            digest.mix(6, url)
            digest.mix(bytes)
        case .webProcessDied: digest.mix(case: 7)
        case .closed: digest.mix(case: 8)
        case .committedKeepingPrevious(let url): digest.mix(9, url)
        case .documentGone(let url): digest.mix(10, url)
        }
    }
}

extension DiskError: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(word: code)
        digest.mix(word: call)
        digest.mix(path?.description)
    }
}

extension SyncTarget: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .file(let file):
            digest.mix(case: 0)
            digest.mix(Int(file.id))
        case .directory(let path):
            digest.mix(case: 1)
            digest.mix(path.description)
        }
    }
}
