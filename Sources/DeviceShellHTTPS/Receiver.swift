import HTTP1
import AppHost
import DeviceShell
import Foundation
import Updater

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the session says of its tasks, as events of the transfers they stand for. Called on threads of the
/// session; the table is behind a lock, which nobody holds while he waits at a door.
final class Receiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var transfers: [TransferID: Transfer] = [:]
    private var ids: [Int: TransferID] = [:]
    private let tells: @Sendable (String) -> Void

    private struct Transfer {
        let door: Inbox
        var task: URLSessionDataTask?
        var hasHead = false
    }

    init(_ tells: @escaping @Sendable (String) -> Void) { self.tells = tells }

    // MARK: - The table

    func begin(_ id: TransferID, _ door: Inbox) { lock.withLock { transfers[id] = Transfer(door: door) } }

    /// Not yet cancelled.
    func isWanted(_ id: TransferID) -> Bool { lock.withLock { transfers[id] != nil } }

    func take(_ task: URLSessionDataTask, for id: TransferID) {
        lock.withLock {
            ids[task.taskIdentifier] = id
            transfers[id]?.task = task
        }
    }

    /// Nothing of it is told any more.
    func forget(_ id: TransferID) -> URLSessionDataTask? {
        lock.withLock {
            guard let task = transfers.removeValue(forKey: id)?.task else { return nil }
            ids[task.taskIdentifier] = nil
            return task
        }
    }

    /// The transfer of a task, and whether its head has been told before; marks it as told.
    private func head(of task: URLSessionTask) -> (id: TransferID, door: Inbox, isFirst: Bool)? {
        lock.withLock {
            guard let id = ids[task.taskIdentifier], let transfer = transfers[id] else { return nil }
            transfers[id]?.hasHead = true
            return (id, transfer.door, !transfer.hasHead)
        }
    }

    // MARK: - The session's words

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        tellHead(response, dataTask)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let transfer = head(of: dataTask) else { return }
        var rest = data[...]
        while !rest.isEmpty {
            let part = rest.prefix(Receiver.portion)
            rest = rest.dropFirst(part.count)
            transfer.door.hand(.transfer(transfer.id, .bytes(Array(part))), bytes: part.count)
        }
    }

    private static let portion = 65_536

    /// A redirect is the updater's to follow, or not (U5).
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        tellHead(response, task)
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if error == nil, let response = task.response { tellHead(response, task) }
        let ended = lock.withLock { () -> (TransferID, Transfer)? in
            guard let id = ids.removeValue(forKey: task.taskIdentifier),
                let transfer = transfers.removeValue(forKey: id)
            else { return nil }
            return (id, transfer)
        }
        guard let (id, transfer) = ended else { return }
        guard let error else { return transfer.door.tell(.transfer(id, .end)) }
        let fault = SessionFault(error, hasHead: transfer.hasHead)
        if let host = task.originalRequest?.url?.host { tells("\(host): \(fault.sentence)") }
        transfer.door.tell(.transfer(id, .failed(fault.failure)))
    }

    /// Once for each transfer: some answers are told twice, and some only at their end.
    private func tellHead(_ response: URLResponse, _ task: URLSessionTask) {
        guard let answer = response as? HTTPURLResponse, let transfer = head(of: task), transfer.isFirst
        else { return }
        transfer.door.tell(
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
