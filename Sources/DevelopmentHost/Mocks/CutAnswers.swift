import AppHost
import Core
import HTTP1
import LocalServer

/// Answers of mock handlers that do not arrive whole (G10).
///
/// The server frames the answer and sends it whole; this value cuts what leaves. It knows the answer by a
/// header field that it adds, and that is taken out again.
///
/// **Invariants.** A connection is in at most one of `breaking` and `stalled`, and leaves it when it closes.
struct CutAnswers: Sendable {
    /// What is sent in place of an output.
    enum Cut: Hashable, Sendable {
        case unchanged
        case part(LocalServer.Output)
        case reset
    }

    private var announced: [(field: [UInt8], end: MockAnswer.End)] = []
    private var next = 1
    /// Connections that are closed when what was sent has left.
    private var breaking: [ConnectionID] = []
    /// Connections whose server waits for the rest of an answer to leave.
    private var stalled: [ConnectionID] = []
    private static let limit = 100
    private static let name = "X-Otalab-Mock"

    /// Marks an answer that is about to be given to the server.
    mutating func announce(_ end: MockAnswer.End, in fields: inout HeaderFields) {
        fields.append(CutAnswers.name, "\(next)")
        announced.append((Array("\(CutAnswers.name): \(next)\r\n".utf8), end))
        next += 1
        // A page that went away before its answer leaves the mark behind.
        if announced.count > CutAnswers.limit { announced.removeFirst() }
    }

    mutating func cut(_ output: LocalServer.Output, on id: ConnectionID) -> Cut {
        guard !announced.isEmpty, case .bytes(let body) = output.body else {
            return announced.isEmpty ? .unchanged : cutWithoutBody(output)
        }
        guard let (head, end) = take(output.head) else { return .unchanged }
        let part: Int
        switch end {
        case .complete: return .unchanged
        case .isReset: return .reset
        case .breaksOff(let after):
            breaking.append(id)
            part = after
        case .stalls(let after):
            stalled.append(id)
            part = after ?? 0
        }
        return .part(
            LocalServer.Output(head: head, body: part == 0 ? .none : .bytes(Array(body.prefix(part)))))
    }

    /// An answer without content, as to HEAD, can only be reset; any other end is its own.
    private mutating func cutWithoutBody(_ output: LocalServer.Output) -> Cut {
        guard let (head, end) = take(output.head) else { return .unchanged }
        return end == .isReset ? .reset : .part(LocalServer.Output(head: head, body: output.body))
    }

    /// The head without the mark, if it has one.
    private mutating func take(_ head: [UInt8]) -> ([UInt8], MockAnswer.End)? {
        for (index, answer) in announced.enumerated() {
            guard let range = head.firstRange(of: answer.field) else { continue }
            announced.remove(at: index)
            return (Array(head[..<range.lowerBound] + head[range.upperBound...]), answer.end)
        }
        return nil
    }

    /// What a connection reports to the server in place of this event, after which it is closed; nil: the
    /// event itself counts.
    mutating func end(_ id: ConnectionID, _ event: AppHost.ConnectionEvent) -> AppHost.ConnectionEvent? {
        if case .closed = event {
            breaking.removeAll { $0 == id }
            stalled.removeAll { $0 == id }
        }
        guard case .sent = event, let index = breaking.firstIndex(of: id) else { return nil }
        breaking.remove(at: index)
        return .closed(nil)
    }

    /// Whether the server is not to know that an output has left.
    func holdsBack(_ id: ConnectionID, _ event: AppHost.ConnectionEvent) -> Bool {
        guard case .sent = event else { return false }
        return stalled.contains(id)
    }
}
