import Core
import HTTP1
import LocalServer

/// One response of the local server as a peer reads it.
package struct PeerReply {
    /// Status code; 0: no head has arrived.
    package private(set) var status = 0
    package private(set) var fields = HeaderFields()
    package private(set) var body: [UInt8] = []
    /// Whether the response is complete.
    package private(set) var isWhole = false
    /// Whether the bytes are no valid response.
    package private(set) var isMalformed = false

    package var text: String { String(decoding: body, as: UTF8.self) }
    package var location: String? { fields["Location"] }

    /// Nothing has arrived.
    package init() {}

    /// Parses what was sent in answer to a request of this method; interim responses are skipped.
    package init(_ bytes: [UInt8], to method: RequestMethod = .get) {
        var parser = ResponseParser()
        parser.expect(method)
        for event in parser.feed(bytes) {
            switch event {
            case .interim: break
            case .head(let head, _): (status, fields) = (head.status.code, head.fields)
            case .body(let part): body += part
            case .end: isWhole = true
            case .failure: isMalformed = true
            }
        }
    }

    /// Name and value of each cookie that the response sets.
    package var cookies: [(name: String, value: String)] {
        fields.all("Set-Cookie").map { text in
            let pair = text.prefix { $0 != ";" }
            let name = pair.prefix { $0 != "=" }
            return (String(name), String(pair.dropFirst(name.count + 1)))
        }
    }
}

extension LocalServer.Output {
    /// Head and body as they are sent; a file is read from the disk.
    package func bytes(from disk: inout some Disk) throws(DiskError) -> [UInt8] {
        switch body {
        case .none: head
        case .bytes(let more): head + more
        case .file(let handle, let offset, let count): try head + disk.read(handle, at: offset, count: count)
        }
    }
}
