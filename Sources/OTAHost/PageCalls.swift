import AppHost
import DeviceShell

/// Native code's calls of pages that have no answer yet (N5).
///
/// Guarantees: each call gets one answer, also when the app ends. Thread-safe.
final class PageCalls: Sendable {
    typealias Answer = @Sendable (_ result: [UInt8]?) -> Void

    private struct State {
        var last: UInt32 = 0
        var waiting: [(id: AppHost.CallID, answer: Answer)] = []
        var isOver = false
    }

    private let state = Guarded(State())

    /// - Returns: the call's id; nil: the app has ended, and the call was answered.
    func begin(_ answer: @escaping Answer) -> AppHost.CallID? {
        let id = state.withLock { state -> AppHost.CallID? in
            if state.isOver { return nil }
            state.last &+= 1
            let id = AppHost.CallID(state.last)
            state.waiting.append((id, answer))
            return id
        }
        if id == nil { answer(nil) }
        return id
    }

    func returned(_ id: AppHost.CallID, _ result: [UInt8]?) {
        let answer = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).answer }
        }
        answer?(result)
    }

    /// Answers all calls, now and later.
    func end() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOver = true
            return state.waiting
        }
        for call in waiting { call.answer(nil) }
    }
}
