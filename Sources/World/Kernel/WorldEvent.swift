import AppHost
import Core
import LocalServer
import Updater

/// An entry of the world's queue, with whom it is meant for. Those of a dead process fall away.
struct WorldEvent: Hashable, Sendable {
    /// -1: no device.
    var device: Int32
    /// 0: the device itself, whatever process runs.
    var process: Int32
    /// The number of the fact that led to it; 0: none.
    var cause: Int32 = 0
    var what: What

    enum What: Hashable, Sendable {
        /// Something reaches the app's process.
        case input(AppInput)
        case timer(AppHost.TimerName)
        /// The process has done its disk work and takes up what waits for it.
        case wake
        /// Effects of a step leave, its disk work done.
        case leave([AppHost.Effect])
        case link(TransferID, Link.Stage)
        /// The next piece of an answer goes over the loopback.
        case loopback(ConnectionID)
        /// Bytes of a web view reach the server, or its end of the connection opens or closes.
        case toServer(ConnectionID, AppHost.ConnectionEvent)
        case page(WebViewID, WebView.Event)
        case user(Int)
        /// The background budget is used up.
        case suspends
        /// A suspension with an end is over.
        case resumes
        case scheduled(Int)
        case faultEnds(String)
        case gateOpens(Int)
    }

    /// What fills the ring of last events and the digest.
    func record(at: Instant) -> EventRecord {
        let (code, detail) = what.code
        return EventRecord(
            at: at, code: code.rawValue, device: UInt16(truncatingIfNeeded: device),
            process: UInt32(truncatingIfNeeded: process), detail: detail)
    }
}

/// What an event of the ring was.
package enum EventCode: UInt16, Hashable, Sendable, CaseIterable {
    case input, timer, wake, leave, atOrigin, head, bytes, transferFails, loopback, toServer, page, user
    case suspends, resumes, scheduled, faultEnds, gateOpens, action
    // Inputs of the app.
    case launched, again, transferHead, transferBytes, transferEnd, transferFailed, listener, connection
    case webView, lifecycle, push, check, network, intent, settings, marker
    case upstream
}

extension WorldEvent.What {
    fileprivate var code: (EventCode, UInt64) {
        switch self {
        case .input(let input): input.code
        case .timer: (.timer, 0)
        case .wake: (.wake, 0)
        case .leave(let effects): (.leave, UInt64(effects.count))
        case .link(let id, let stage): stage.code(id)
        case .loopback(let id): (.loopback, UInt64(id.number))
        case .toServer(let id, _): (.toServer, UInt64(id.number))
        case .page(let id, _): (.page, UInt64(id.number))
        case .user(let number): (.user, UInt64(number))
        case .suspends: (.suspends, 0)
        case .resumes: (.resumes, 0)
        case .scheduled(let number): (.scheduled, UInt64(number))
        case .faultEnds: (.faultEnds, 0)
        case .gateOpens(let number): (.gateOpens, UInt64(number))
        }
    }
}

extension Link.Stage {
    fileprivate func code(_ id: TransferID) -> (EventCode, UInt64) {
        let number = UInt64(id.number)
        return switch self {
        case .atOrigin: (.atOrigin, number)
        case .head: (.head, number)
        case .bytes(let count): (.bytes, number | UInt64(count) << 32)
        case .fails: (.transferFails, number)
        }
    }
}

/// What can reach the app's process; the larger events are made when they are handed over.
enum AppInput: Hashable, Sendable {
    case launched
    case again
    case timer(AppHost.TimerName)
    case transfer(TransferID, TransferEvent)
    case listener(AppHost.ListenerEvent)
    case connection(ConnectionID, AppHost.ConnectionEvent)
    case upstream(UpstreamID, UpstreamEvent)
    case webView(WebViewID, AppHost.WebViewEvent)
    case foreground
    case background
    case suspended
    case resumed
    case push
    case check
    case network(NetworkState)
    case user(AppHost.UserIntent)
    case settings
    /// Not for the app: what stood before it has been dealt with (a trigger's number).
    case marker(Int)

    fileprivate var code: (EventCode, UInt64) {
        switch self {
        case .launched: (.launched, 0)
        case .again: (.again, 0)
        case .timer: (.timer, 0)
        case .transfer(let id, let event):
            switch event {
            case .head(let status, _): (.transferHead, UInt64(id.number) | UInt64(status) << 32)
            case .bytes(let bytes): (.transferBytes, UInt64(id.number) | UInt64(bytes.count) << 32)
            case .end: (.transferEnd, UInt64(id.number))
            case .failed: (.transferFailed, UInt64(id.number))
            }
        case .listener(let event): (.listener, event == .listening ? 1 : 0)
        case .connection(let id, let event):
            if case .received(let bytes) = event {
                (.connection, UInt64(id.number) | UInt64(bytes.count) << 32)
            } else {
                (.connection, UInt64(id.number))
            }
        case .upstream(let id, _): (.upstream, UInt64(id.number))
        case .webView(let id, _): (.webView, UInt64(id.number))
        case .foreground: (.lifecycle, 1)
        case .background: (.lifecycle, 2)
        case .suspended: (.lifecycle, 3)
        case .resumed: (.lifecycle, 4)
        case .push: (.push, 0)
        case .check: (.check, 0)
        case .network(let state): (.network, state == .online ? 1 : 0)
        case .user: (.intent, 0)
        case .settings: (.settings, 0)
        case .marker(let number): (.marker, UInt64(number))
        }
    }
}
