import AppHost
import Core
import LocalServer
import Updater

/// An entry of the world's queue, with its receiver. Entries for a process that has ended are discarded.
struct WorldEvent: Hashable, Sendable {
    /// Index of the device; -1: no device.
    var device: Int32
    /// Ordinal of the process; 0: the device itself, whatever process runs.
    var process: Int32
    /// Sequence number of the trace event that caused it; 0: none.
    var cause: Int32 = 0
    var what: What

    enum What: Hashable, Sendable {
        /// An input reaches the app's process.
        case input(AppInput)
        case timer(AppHost.TimerName)
        /// The device has done the batch of syncs that this one leads.
        case syncBatch(SyncTicket)
        /// The process has finished its disk work and handles the inputs that wait.
        case wake
        /// The disk work of a step is done, and its effects are carried out.
        case leave([AppHost.Effect])
        case link(TransferID, Link.Stage)
        /// The server sends the next chunk of an answer over the loopback.
        case loopback(ConnectionID)
        /// Bytes of a web view reach the server, or the web view opens or closes the connection.
        case toServer(ConnectionID, AppHost.ConnectionEvent)
        case page(WebViewID, WebView.Event)
        /// The typing user with this index acts.
        case user(Int)
        /// The background time is over.
        case suspends
        /// A suspension of limited duration ends.
        case resumes
        /// A process that was stopped without a notice continues.
        case thaws
        /// The armed action with this index is due.
        case scheduled(Int)
        case faultEnds(String)
        /// The order of the race with this index is no longer enforced.
        case raceTimesOut(Int)
    }

    /// The event as the ring of last events and the digest record it.
    func record(at: Instant) -> EventRecord {
        let (code, detail) = what.code
        return EventRecord(
            at: at, code: code.rawValue, device: UInt16(truncatingIfNeeded: device),
            process: UInt32(truncatingIfNeeded: process), detail: detail)
    }
}

/// Kinds of events in the ring of last events.
package enum EventCode: UInt16, Hashable, Sendable, CaseIterable {
    case input, timer, wake, leave, atOrigin, head, bytes, transferFails, loopback, toServer, page, user
    case suspends, resumes, thaws, scheduled, faultEnds, raceTimesOut, action
    // Inputs of the app.
    case launched, again, transferHead, transferBytes, transferEnd, transferFailed, listener, connection
    case webView, lifecycle, push, check, network, intent, settings, marker
    case upstream
    case synced
    case syncBatch
    case signaturesVerified
}

extension WorldEvent.What {
    /// Whether the app's process itself does it, so that it waits while the process is stopped.
    var isWorkOfProcess: Bool {
        switch self {
        case .leave, .loopback: true
        case .input, .timer, .syncBatch, .wake, .link, .toServer, .page, .user, .suspends, .resumes, .thaws,
            .scheduled,
            .faultEnds, .raceTimesOut:
            false
        }
    }

    fileprivate var code: (EventCode, UInt64) {
        switch self {
        case .input(let input): input.code
        case .timer: (.timer, 0)
        case .syncBatch(let ticket): (.syncBatch, UInt64(ticket.rawValue))
        case .wake: (.wake, 0)
        case .leave(let effects): (.leave, UInt64(effects.count))
        case .link(let id, let stage): stage.code(id)
        case .loopback(let id): (.loopback, UInt64(id.rawValue))
        case .toServer(let id, _): (.toServer, UInt64(id.rawValue))
        case .page(let id, _): (.page, UInt64(id.rawValue))
        case .user(let index): (.user, UInt64(index))
        case .suspends: (.suspends, 0)
        case .resumes: (.resumes, 0)
        case .thaws: (.thaws, 0)
        case .scheduled(let index): (.scheduled, UInt64(index))
        case .faultEnds: (.faultEnds, 0)
        case .raceTimesOut(let index): (.raceTimesOut, UInt64(index))
        }
    }
}

extension Link.Stage {
    fileprivate func code(_ id: TransferID) -> (EventCode, UInt64) {
        let number = UInt64(id.rawValue)
        return switch self {
        case .atOrigin: (.atOrigin, number)
        case .head: (.head, number)
        case .bytes(let count): (.bytes, number | UInt64(count) << 32)
        case .fails: (.transferFails, number)
        }
    }
}

/// Inputs of the app's process, from which ``AppHost/Event``s are made on delivery.
enum AppInput: Hashable, Sendable {
    case launched
    case again(WorkLane)
    case synced(SyncTicket, DiskError?)
    case timer(AppHost.TimerName)
    case transfer(TransferID, TransferEvent)
    case signaturesVerified(TransferID, SignatureAnswer)
    case listener(AppHost.ListenerEvent)
    case connection(ConnectionID, AppHost.ConnectionEvent)
    case upstream(UpstreamID, UpstreamEvent)
    case webView(WebViewID, AppHost.WebViewEvent)
    case foreground
    case background
    case active
    case inactive
    case suspended
    case resumed
    case frozen(TimeSpan)
    case push
    case check
    case network(NetworkState)
    case user(AppHost.UserIntent)
    case settings
    /// A link from elsewhere reaches the running app.
    case openLink(String)
    /// Native code sends the page in front a message.
    case callPage(AppHost.CallID, method: String, params: [UInt8])
    /// Native code answers a message.
    case nativeAnswer(AppHost.CallID, AppHost.NativeMethodResult)
    /// Not for the app: the earlier inputs have been handled, so the armed action with this index is due.
    case marker(Int)

    fileprivate var code: (EventCode, UInt64) {
        switch self {
        case .launched: (.launched, 0)
        case .again(let lane): (.again, lane == .urgent ? 0 : 1)
        case .synced(let ticket, let error):
            (.synced, UInt64(ticket.rawValue) | (error == nil ? 0 : 1 << 32))
        case .timer: (.timer, 0)
        case .transfer(let id, let event):
            switch event {
            case .head(let status, _): (.transferHead, UInt64(id.rawValue) | UInt64(status) << 32)
            case .bytes(let bytes): (.transferBytes, UInt64(id.rawValue) | UInt64(bytes.count) << 32)
            case .end: (.transferEnd, UInt64(id.rawValue))
            case .failed: (.transferFailed, UInt64(id.rawValue))
            }
        case .signaturesVerified(let id, _): (.signaturesVerified, UInt64(id.rawValue))
        case .listener(let event): (.listener, event == .listening ? 1 : 0)
        case .connection(let id, let event):
            if case .received(let bytes) = event {
                (.connection, UInt64(id.rawValue) | UInt64(bytes.count) << 32)
            } else {
                (.connection, UInt64(id.rawValue))
            }
        case .upstream(let id, _): (.upstream, UInt64(id.rawValue))
        case .webView(let id, _): (.webView, UInt64(id.rawValue))
        case .foreground: (.lifecycle, 1)
        case .background: (.lifecycle, 2)
        case .suspended: (.lifecycle, 3)
        case .resumed: (.lifecycle, 4)
        case .frozen: (.lifecycle, 5)
        case .active: (.lifecycle, 6)
        case .inactive: (.lifecycle, 7)
        case .push: (.push, 0)
        case .check: (.check, 0)
        case .network(let state): (.network, state == .online ? 1 : 0)
        case .user: (.intent, 0)
        case .settings: (.settings, 0)
        case .openLink: (.intent, 1)
        case .callPage(let id, _, _): (.intent, 2 | UInt64(id.rawValue) << 8)
        case .nativeAnswer(let call, _): (.intent, 3 | UInt64(call.rawValue) << 8)
        case .marker(let index): (.marker, UInt64(index))
        }
    }
}
