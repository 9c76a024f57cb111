import Backend
import AppHost
import Core
import LocalServer
import Updater

/// One entry of a run's digest, kept so that two runs can be compared entry by entry (``World/isTracing``).
package struct DigestedEvent: Sendable {
    package var at: Instant
    /// Index of the device; -1: no device.
    package var device: Int
    /// The run's digest after this entry.
    package var digest: UInt64
    let what: What

    enum What: Sendable {
        case event(EventRecord)
        case input(AppInput)
        case effect(AppHost.Effect)
        case traceEvent(TraceEvent.Kind)
    }

    /// Index of the first entry that differs; nil: there is none. The shorter sequence differs at its end.
    package static func firstDifference(_ one: [DigestedEvent], _ other: [DigestedEvent]) -> Int? {
        for index in 0..<min(one.count, other.count) where one[index].digest != other[index].digest {
            return index
        }
        return one.count == other.count ? nil : min(one.count, other.count)
    }
}

extension World {
    /// Whether all that goes into the digest is kept. It costs memory and is meant for runs that are
    /// compared.
    package var isTracing: Bool {
        get { history.isTracing }
        set { history.isTracing = newValue }
    }

    /// The kept entries in order; at most ``History/longestTrace``.
    package var digestedEvents: [DigestedEvent] { history.digested }
}

// MARK: - Text

extension DigestedEvent {
    /// The whole entry, on one line.
    package var text: String {
        switch what {
        case .event(let record):
            let code = EventCode(rawValue: record.code).map { "\($0)" } ?? "\(record.code)"
            return "event \(code), process \(record.process), \(record.detail)"
        case .input(let input): return "the app gets " + TraceText.of(input)
        case .effect(let effect): return "the app asks for " + TraceText.of(effect)
        case .traceEvent(let kind): return "fact " + TraceText.of(kind)
        }
    }
}

enum TraceText {
    static func of(_ input: AppInput) -> String {
        switch input {
        case .transfer(let id, .bytes(let bytes)):
            "\(bytes.count) bytes of transfer \(id.rawValue): \(of(bytes))"
        case .connection(let id, .received(let bytes)):
            "\(bytes.count) bytes on connection \(id.rawValue): \(of(bytes))"
        case .upstream(let id, .bytes(let bytes)):
            "\(bytes.count) bytes of the remote root on \(id.rawValue): \(of(bytes))"
        case .webView(let id, .message(let bytes, let url)):
            "a message of page \(id.rawValue) at \(url): \(of(bytes))"
        case .launched, .again, .synced, .timer, .transfer, .signaturesVerified, .listener, .connection,
            .upstream, .webView,
            .foreground,
            .background, .active, .inactive, .suspended, .resumed, .frozen, .push, .check, .network, .user,
            .settings, .openLink, .callPage, .nativeAnswer, .marker:
            plain("\(input)")
        }
    }

    static func of(_ effect: AppHost.Effect) -> String {
        switch effect {
        case .send(let id, let output):
            "bytes to connection \(id.rawValue): \(of(output.head)) \(of(output.body))"
        case .upstream(let id, .send(let bytes)): "bytes to the remote root on \(id.rawValue): \(of(bytes))"
        case .message(let id, let load, let bytes):
            "a message to page \(id.rawValue), \(load.text): \(of(bytes))"
        case .pageReturned(let call, let result): "an answer to call \(call.rawValue): \(of(result ?? []))"
        case .again, .sync, .setTimer, .cancelTimer, .fetch, .cancelFetch, .verifySignatures, .listen,
            .stopListening, .close,
            .authenticated,
            .setReadInterest, .upstream, .load, .nativeMethodCalled, .handlerRequested, .pageTraffic, .screen,
            .status, .log,
            .pageLoad,
            .answered, .report, .openLink, .environmentSwitched:
            plain("\(effect)")
        }
    }

    static func of(_ kind: TraceEvent.Kind) -> String {
        switch kind {
        case .messageDelivered(let view, let bytes): "messageDelivered(page \(view.rawValue), \(of(bytes)))"
        case .outcomes(let bytes): "outcomes(\(of(bytes)))"
        default: plain("\(kind)")
        }
    }

    private static func of(_ body: LocalServer.Output.Body) -> String {
        switch body {
        case .none: ""
        case .bytes(let bytes): of(bytes)
        case .file(let handle, let offset, let count):
            "\(count) bytes of file \(handle.id) from \(offset)"
        }
    }

    /// Printable ASCII as it is, other bytes in hexadecimal digits.
    static func of(_ bytes: [UInt8]) -> String {
        var text = ""
        for byte in bytes {
            if (0x20...0x7e).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\\x" + Hex.text([byte])
            }
        }
        return text
    }

    /// The text without module names.
    private static func plain(_ text: String) -> String {
        var text = text
        for name in ["AppHost.", "Updater.", "LocalServer.", "World.", "Core."] {
            text = text.split(separator: name, omittingEmptySubsequences: false).joined()
        }
        return text
    }
}
