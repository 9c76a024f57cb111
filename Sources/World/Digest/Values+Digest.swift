import Backend
import AppHost
import Core
import HTTP1
import LocalServer
import Updater

// Values that trace events, effects and inputs consist of.

extension TimeSpan: Digested {
    func mix(into digest: inout ContentDigest) { digest.mix(UInt64(bitPattern: microseconds)) }
}

extension VersionKey: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(id)
        digest.mix(self.digest.words.0)
        digest.mix(self.digest.words.1)
        digest.mix(self.digest.words.2)
        digest.mix(self.digest.words.3)
    }
}

extension PageLoadToken: Digested {
    func mix(into digest: inout ContentDigest) { digest.mix(value) }
}

extension TransferID: Digested {
    func mix(into digest: inout ContentDigest) { digest.mix(UInt64(rawValue)) }
}

extension ConnectionID: Digested {
    func mix(into digest: inout ContentDigest) { digest.mix(UInt64(rawValue)) }
}

extension UpstreamID: Digested {
    func mix(into digest: inout ContentDigest) { digest.mix(UInt64(rawValue)) }
}

extension WebViewID: Digested {
    func mix(into digest: inout ContentDigest) { digest.mix(rawValue) }
}

extension VersionMask: Digested {
    func mix(into digest: inout ContentDigest) { digest.mix(bits) }
}

extension HeaderFields: Digested {
    func mix(into digest: inout ContentDigest) { digest.mix(fields) }
}

extension HeaderFields.Field: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(name)
        digest.mix(value)
    }
}

extension OriginRequest.Kind: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .manifest: digest.mix(case: 0)
        case .file(let route):
            digest.mix(case: 1)
            digest.mix(route)
        case .outcomes: digest.mix(case: 2)
        }
    }
}

extension OriginRequest: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(kind)
        digest.mix(url)
        digest.mix(fields)
        digest.mix(body)
        digest.mix(version)
        digest.mix(attempt)
    }
}

extension DownloadProgress: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(version)
        digest.mix(filesDone)
        digest.mix(files)
        digest.mix(bytesDone)
        digest.mix(bytes)
    }
}

extension UpdaterStatus: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(embedded)
        digest.mix(current)
        digest.mix(currentSince.map { Int($0.seconds) })
        digest.mix(pending)
        digest.mix(pendingWaits)
        digest.mix(lastKnownGood)
        digest.mix(good)
        digest.mix(blacklist)
        digest.mix(parked)
        digest.mix(downloading)
    }
}

extension LogEntry: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(word: cause)
        digest.mix(version)
        digest.mix(detail)
        digest.mix(after)
    }
}

extension AppHost.Screen: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .page: digest.mix(case: 0)
        case .cover: digest.mix(case: 1)
        case .loading(let progress):
            digest.mix(case: 2)
            digest.mix(progress)
        case .offline: digest.mix(case: 3)
        case .recovery: digest.mix(case: 4)
        case .portTaken: digest.mix(case: 5)
        case .portFailed(let fault):
            digest.mix(case: 6)
            digest.mix(fault.description)
        case .noSpace: digest.mix(case: 7)
        }
    }
}

extension LocalServer.AccessLogEntry: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(method)
        digest.mix(target)
        digest.mix(status)
        digest.mix(type)
        digest.mix(load)
        digest.mix(site)
        digest.mix(isRemote)
        digest.mix(refusal)
    }
}

extension RemoteRoot: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(isSecure)
        digest.mix(host)
        digest.mix(UInt64(port))
        digest.mix(base)
    }
}

extension Updater.TimerName: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .startup: digest.mix(case: 0)
        case .sendingAllowance: digest.mix(case: 1)
        case .aliveAfterLoad(let load):
            digest.mix(case: 2)
            digest.mix(load)
        case .idle(let transfer):
            digest.mix(case: 3)
            digest.mix(transfer)
        case .retry: digest.mix(case: 4)
        case .recheck: digest.mix(case: 5)
        case .collectGarbage: digest.mix(case: 6)
        case .disk: digest.mix(case: 8)
        case .forced: digest.mix(case: 7)
        case .cover: digest.mix(case: 9)
        }
    }
}

extension LocalServer.TimerName: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .head(let id): digest.mix(0, id)
        case .idle(let id): digest.mix(1, id)
        case .write(let id): digest.mix(2, id)
        case .upstream(let id): digest.mix(3, id)
        }
    }
}

extension AppHost.TimerName: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .updater(let name): digest.mix(0, name)
        case .server(let name): digest.mix(1, name)
        case .retryListening: digest.mix(case: 2)
        case .wrapper(let number):
            digest.mix(case: 3)
            digest.mix(number)
        case .pageAnswer(let call):
            digest.mix(case: 4)
            digest.mix(Int(call.rawValue))
        }
    }
}

extension ContentDigest {
    /// The index of a case, and its one associated value.
    @inline(__always)
    mutating func mix<Value: Digested>(_ number: UInt64, _ value: Value) {
        mix(case: number)
        value.mix(into: &self)
    }

    @inline(__always)
    mutating func mix<First: Digested, Second: Digested>(_ number: UInt64, _ first: First, _ second: Second) {
        mix(case: number)
        first.mix(into: &self)
        second.mix(into: &self)
    }
}
