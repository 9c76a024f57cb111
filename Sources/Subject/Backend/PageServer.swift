import Core
import DeviceShell
import Foundation
import HTTP1
import Live

/// The local server in place of that of a subject which has none (`serves: "get"`), as where a platform asks
/// the app for each file of its own scheme: a page's request becomes a command, and its answer the response.
///
/// Promises: each request gets one response, or its connection is closed where the subject says that it can't
/// answer; only files below the folders that the subject has are read. Deliberately not here: the protocol's
/// lines, and time: who has no answer within the patience is inconclusive like for any other command.
struct PageServer {
    private let port: HTTPPort
    /// Requests for the head alone, by their connections.
    private var heads: Set<HTTPPort.ConnectionID> = []

    /// - Parameter number: the port, which no other process listens on.
    init(port number: UInt16) throws { port = try HTTPPort("127.0.0.1", port: number) }

    /// Readable when a request has arrived.
    var descriptor: Int32 { port.poller.descriptor }

    /// The commands for what has been requested since the last call.
    mutating func take() throws -> [SubjectCommand] {
        var commands: [SubjectCommand] = []
        for event in try port.wait(.zero) {
            switch event {
            case .disconnected(let connection): heads.remove(connection)
            case .request(let request):
                switch request.head.method {
                case .head: heads.insert(request.connection)
                case .get: break
                default:
                    let refusal = SubjectAnswer.Response(status: 405, type: nil, body: .bytes([]))
                    respond(to: request.connection, refusal, [])
                    continue
                }
                commands.append(command(request))
            }
        }
        return commands
    }

    private func command(_ request: HTTPPort.Request) -> SubjectCommand {
        let path = request.head.path
        let url = (path?.path ?? "/") + (path?.query.map { "?" + $0 } ?? "")
        return .get(connection: request.connection, url: url, headers: request.head.fields)
    }

    /// Sends the response that the subject's answer stands for.
    /// - Parameter folders: those in which files may be.
    /// - Throws: ``ProtocolFault`` for a file that is nowhere there; the connection is closed.
    mutating func answer(
        _ connection: HTTPPort.ConnectionID, _ answer: SubjectAnswer, folders: [String]
    ) throws(ProtocolFault) {
        guard answer.isOK, let response = answer.response else {
            heads.remove(connection)
            port.endAnswer(of: connection, .close)
            if !answer.isOK { return }
            throw ProtocolFault(
                "an answer to 'get' without \"status\"",
                help: "give \"status\" and \"file\" or \"base64\"; \"ok\": false fails the request")
        }
        var body: [UInt8] = []
        switch response.body {
        case .bytes(let bytes): body = bytes
        case .file(let path):
            guard let content = PageServer.content(of: path, in: folders) else {
                heads.remove(connection)
                port.endAnswer(of: connection, .close)
                throw ProtocolFault(
                    "the answer to 'get' names the file '\(path)'",
                    help: "name a file below OTALAB_STATE or OTALAB_PACKAGE by its absolute path")
            }
            body = content
        }
        respond(to: connection, response, body)
    }

    private mutating func respond(
        to connection: HTTPPort.ConnectionID, _ response: SubjectAnswer.Response, _ body: [UInt8]
    ) {
        let status = StatusCode(response.status)
        var fields = HeaderFields()
        if !status.neverHasContent { fields.append("Content-Length", "\(body.count)") }
        if let type = response.type { fields.append("Content-Type", type) }
        for field in response.headers.fields { fields.append(field.name, field.value) }
        let hasBody = heads.remove(connection) == nil && !status.neverHasContent
        let head = ResponseHead(status, fields: fields).serialized()
        port.send(head + (hasBody ? body : []), to: connection)
        port.endAnswer(of: connection, .keepOpen)
    }

    /// The bytes of a file; nil: it can't be read, or is in none of the folders. Links are followed.
    private static func content(of path: String, in folders: [String]) -> [UInt8]? {
        let roots = folders.compactMap(SubjectFolder.realPath)
        guard path.hasPrefix("/"), let file = SubjectFolder.realPath(path),
            roots.contains(where: { file.hasPrefix($0 + "/") }),
            let data = FileManager.default.contents(atPath: file)
        else { return nil }
        return Array(data)
    }
}
