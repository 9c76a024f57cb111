import AppHost
import Backend
import Core
import LocalServer
import Updater

/// What pages, the user and the platform wait for, and what the update does meanwhile (rule S9). It only
/// counts; the checker decides.
///
/// A request on a connection waits until the first bytes of its answer. Any other such input waits until it
/// is handled. What is the update's work is seen from the paths of the disk calls, not from what the app says
/// of its steps: everything in `store/partial`, and what changes or lists `store/blobs` and `store/tables`.
///
/// Not here: what a request waits for that another origin must answer first, and work without disk calls.
struct AnswerWaits: Sendable {
    private var requests: [(connection: ConnectionID, delay: AnswerDelay)] = []
    /// Inputs that wait in the inbox, in the order in which they are handled.
    private var inputs: [AnswerDelay] = []

    var isEmpty: Bool { requests.isEmpty && inputs.isEmpty }

    /// - Parameter isInInbox: whether it waits for other inputs.
    mutating func arrived(_ input: AppInput, isInInbox: Bool) {
        if case .connection(let id, .received) = input {
            if !requests.contains(where: { $0.connection == id }) { requests.append((id, AnswerDelay())) }
        } else if isInInbox, input.isWaitedFor {
            inputs.append(AnswerDelay())
        }
    }

    /// - Returns: what delayed the input; nil if none of these waited.
    mutating func handled(_ input: AppInput, wasInInbox: Bool) -> AnswerDelay? {
        guard wasInInbox, input.isWaitedFor, !inputs.isEmpty else { return nil }
        return inputs.removeFirst()
    }

    /// - Returns: what delayed the answer; nil if no request waited.
    mutating func answered(_ id: ConnectionID) -> AnswerDelay? {
        guard let index = requests.firstIndex(where: { $0.connection == id }) else { return nil }
        return requests.remove(at: index).delay
    }

    mutating func stepped(_ counts: StepCounts) {
        for index in requests.indices { requests[index].delay.count(step: counts) }
        for index in inputs.indices { inputs[index].count(step: counts) }
    }

    mutating func handledUrgent() {
        for index in requests.indices { requests[index].delay.countUrgent() }
        for index in inputs.indices { inputs[index].countUrgent() }
    }

    mutating func submittedSync() {
        for index in requests.indices { requests[index].delay.countSync() }
        for index in inputs.indices { inputs[index].countSync() }
    }

    /// Whether a call is work of the update.
    static func isOfUpdate(_ call: DiskCall, _ path: DiskPath?) -> Bool {
        guard let path, path.volume == .data else { return false }
        if isOfOpening(call, path) { return false }
        if path.isBelow(StorePaths.partial) { return true }
        guard path.isBelow(StorePaths.blobs) || path.isBelow(StorePaths.tables) else { return false }
        switch call {
        case .write, .truncate, .sync, .syncDirectory, .list, .makeDirectory, .rename, .remove,
            .removeDirectory:
            return true
        case .open, .close, .read, .size, .status, .lock, .freeSpace: return false
        }
    }

    /// Each opening of the store makes sure that these folders are there, also one that is tried again.
    private static func isOfOpening(_ call: DiskCall, _ path: DiskPath) -> Bool {
        guard path == StorePaths.partial || path == StorePaths.blobs || path == StorePaths.tables else {
            return false
        }
        return switch call {
        case .status, .makeDirectory: true
        case .open, .close, .read, .write, .truncate, .size, .sync, .syncDirectory, .list, .rename, .remove,
            .removeDirectory, .lock, .freeSpace:
            false
        }
    }
}

extension AppInput {
    /// Whether a page, the user or the platform waits until the app has handled it.
    fileprivate var isWaitedFor: Bool {
        switch self {
        case .webView, .foreground, .user, .openLink, .callPage: true
        case .launched, .again, .synced, .timer, .transfer, .signaturesVerified, .listener, .connection,
            .upstream, .background,
            .active, .inactive,
            .suspended, .resumed, .frozen, .push, .check, .network, .settings, .nativeAnswer,
            .marker:
            false
        }
    }
}

extension DiskPath {
    fileprivate func isBelow(_ folder: DiskPath) -> Bool {
        self == folder || (text.utf8.count > folder.text.utf8.count && text.hasPrefix(folder.text + "/"))
    }
}
