import AppHost
import Backend
import Core
import Oracle
import Updater

/// What is under way on a device at a moment. The same event finds other mistakes while a version is
/// downloaded than while one starts, so coverage and searches count both together.
package enum Circumstance: String, CaseIterable, Hashable, Sendable {
    case notRunning = "not running"
    case suspended
    /// A page load whose start is not decided, before its page is shown.
    case loading
    /// The page is shown, and its start is not decided.
    case starting
    /// The same for a version that replaces one that failed.
    case rescuing
    /// The user sees a screen of the native side.
    case screen
    case manifestRequested = "manifest requested"
    case downloading
    /// All that was requested has arrived, and the version is not complete yet.
    case completing
    /// A complete version waits for its switch.
    case pending
    case background
    case idle
}

/// Follows the trace of one device, as far as ``current`` needs it.
///
/// Promises: computed from trace events alone, so that it is the same for a world and for real sockets.
/// A start counts as undecided until the app has logged its end; one of the embedded version, which has no
/// start record, until its page is ready or signals that it works.
package struct CircumstanceTracker: Sendable {
    private let device: Int
    private var isRunning = false
    private var isSuspended = false
    private var isInForeground = false
    private var screen = AppHost.Screen.page
    private var status: UpdaterStatus?
    /// Version of the start that is not decided, and whether its page has shown content.
    private var start: (key: VersionKey, isShown: Bool)?
    /// Versions whose start has been decided in this process.
    private var decided: [VersionKey] = []
    private var isRescuing = false
    private var open: [(transfer: TransferID, isFile: Bool)] = []

    package init(device: Int) { self.device = device }

    package mutating func observe(_ event: TraceEvent) {
        guard event.device == device else { return }
        switch event.kind {
        case .launched(let isInForeground, _):
            self = CircumstanceTracker(device: device)
            (isRunning, self.isInForeground) = (true, isInForeground)
        case .processEnded, .powerCut: self = CircumstanceTracker(device: device)
        case .suspended: isSuspended = true
        case .resumed: isSuspended = false
        case .foregrounded: isInForeground = true
        case .backgrounded: isInForeground = false
        case .screen(let shown): screen = shown
        case .status(let reported): status = reported
        case .pageLoad(let view, _, let key):
            guard view == .first, !decided.contains(key), start?.key != key || start?.isShown == true else {
                return
            }
            start = (key, false)
        case .contentShown(let view): if view == .first { start?.isShown = true }
        case .called(_, .startupDidComplete, _), .pageReady:
            if let key = start?.key, key == status?.embedded { decide(key) }
        case .log(let entry): observe(entry)
        case .requestSent(let request):
            switch request.kind {
            case .manifest: open.append((request.transfer, false))
            case .file: open.append((request.transfer, true))
            case .outcomes: break
            }
        case .transferEnded(let transfer, _, _), .transferFailed(let transfer, _, _),
            .transferCancelled(let transfer, _):
            open.removeAll { $0.transfer == transfer }
        default: break
        }
    }

    private mutating func observe(_ entry: LogEntry) {
        if entry.cause == .rescued { isRescuing = true }
        guard StartTrace.End(entry.cause) != nil, let key = start?.key,
            entry.version.map({ $0 == key.id }) ?? true
        else { return }
        decide(key)
    }

    private mutating func decide(_ key: VersionKey) {
        (start, isRescuing) = (nil, false)
        decided.append(key)
    }

    package var current: Circumstance {
        if !isRunning { return .notRunning }
        if isSuspended { return .suspended }
        switch screen {
        case .page, .cover: break
        default: return .screen
        }
        if let start {
            if isRescuing { return .rescuing }
            return start.isShown ? .starting : .loading
        }
        if open.contains(where: \.isFile) { return .downloading }
        if !open.isEmpty { return .manifestRequested }
        if status?.downloading != nil { return .completing }
        if status?.pending != nil { return .pending }
        return isInForeground ? .idle : .background
    }
}
