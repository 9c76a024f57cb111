import HTTP1
import AppHost
import DeviceShell
import Foundation
import Updater

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Delegate of the session that turns its callbacks into events of the transfers. Called on the session's
/// threads; a lock protects the table, and is not held while an inbox blocks.
final class Receiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var transfers: [TransferID: Transfer] = [:]
    private var ids: [Int: TransferID] = [:]
    private let onFailure: @Sendable (String) -> Void

    private struct Transfer {
        let inbox: Inbox
        var task: URLSessionDataTask?
        var hasHead = false
    }

    init(_ onFailure: @escaping @Sendable (String) -> Void) { self.onFailure = onFailure }

    // MARK: - The table

    func begin(_ id: TransferID, _ inbox: Inbox) { lock.withLock { transfers[id] = Transfer(inbox: inbox) } }

    /// Whether the transfer has neither ended nor been cancelled.
    func isActive(_ id: TransferID) -> Bool { lock.withLock { transfers[id] != nil } }

    func assign(_ task: URLSessionDataTask, to id: TransferID) {
        lock.withLock {
            ids[task.taskIdentifier] = id
            transfers[id]?.task = task
        }
    }

    /// Removes a transfer, so that no event of it follows.
    /// - Returns: its task, when it has one.
    func remove(_ id: TransferID) -> URLSessionDataTask? {
        lock.withLock {
            guard let task = transfers.removeValue(forKey: id)?.task else { return nil }
            ids[task.taskIdentifier] = nil
            return task
        }
    }

    /// The transfer of a task, and whether this is the first call for it.
    private func recordHead(of task: URLSessionTask) -> (id: TransferID, inbox: Inbox, isFirst: Bool)? {
        lock.withLock {
            guard let id = ids[task.taskIdentifier], let transfer = transfers[id] else { return nil }
            transfers[id]?.hasHead = true
            return (id, transfer.inbox, !transfer.hasHead)
        }
    }

    // MARK: - Callbacks of the session

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        deliverHead(response, dataTask)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let transfer = recordHead(of: dataTask) else { return }
        var rest = data[...]
        while !rest.isEmpty {
            let part = rest.prefix(Receiver.portion)
            rest = rest.dropFirst(part.count)
            transfer.inbox.enqueueBlocking(.transfer(transfer.id, .bytes(Array(part))), bytes: part.count)
        }
    }

    private static let portion = 65_536

    /// Redirects are not followed, because the updater decides about them (U5).
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        deliverHead(response, task)
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if error == nil, let response = task.response { deliverHead(response, task) }
        let ended = lock.withLock { () -> (TransferID, Transfer)? in
            guard let id = ids.removeValue(forKey: task.taskIdentifier),
                let transfer = transfers.removeValue(forKey: id)
            else { return nil }
            return (id, transfer)
        }
        guard let (id, transfer) = ended else { return }
        guard let error else { return transfer.inbox.enqueue(.transfer(id, .end)) }
        let fault = SessionFault(error, hasHead: transfer.hasHead)
        if let host = task.originalRequest?.url?.host { onFailure("\(host): \(fault.message)") }
        transfer.inbox.enqueue(.transfer(id, .failed(fault.failure)))
    }

    /// Delivers the head once for each transfer, because the session reports some responses twice and others
    /// only at their end.
    private func deliverHead(_ response: URLResponse, _ task: URLSessionTask) {
        guard let answer = response as? HTTPURLResponse, let transfer = recordHead(of: task), transfer.isFirst
        else { return }
        transfer.inbox.enqueue(
            .transfer(transfer.id, .head(status: answer.statusCode, fields: Receiver.fields(answer))))
    }

    private static func fields(_ answer: HTTPURLResponse) -> HeaderFields {
        let coding = answer.value(forHTTPHeaderField: "Content-Encoding")?.lowercased() ?? "identity"
        let isDecoded = coding != "identity"
        var fields: HeaderFields = [:]
        for (name, value) in answer.allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            if isDecoded, ["content-encoding", "content-length"].contains(name.lowercased()) { continue }
            fields.append(name, value)
        }
        return HeaderFields(fields.fields.sorted { $0.name < $1.name })
    }
}
