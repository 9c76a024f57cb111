import Core
import HTTP1
import Testing

@testable import Updater

/// A scripted response of the origin to one request.
struct Reply {
    var status: Int
    var fields: HeaderFields = [:]
    var body: [UInt8] = []
    /// Fails after this many bytes of the body.
    var cut: (after: Int, TransferFailure)?
    /// Sends nothing, or nothing more.
    var isSilent = false
    /// Offset of the body in the file, for a 206.
    var from: Int?

    init(_ status: Int, _ body: [UInt8] = [], _ fields: [(String, String)] = []) {
        self.status = status
        self.body = body
        self.fields = HeaderFields(fields.map { HeaderFields.Field($0.0, $0.1) })
    }

    static var silence: Reply {
        var reply = Reply(0)
        reply.isSilent = true
        return reply
    }

    /// A range that begins at the requested offset or another one.
    static func part(_ whole: [UInt8], from start: Int, tag: String? = nil) -> Reply {
        var fields = [("Content-Range", "bytes \(start)-\(whole.count - 1)/\(whole.count)")]
        if let tag { fields.append(("ETag", tag)) }
        return Reply(206, Array(whole[start...]), fields)
    }

    func cut(after bytes: Int, _ failure: TransferFailure = .reset) -> Reply {
        var reply = self
        reply.cut = (bytes, failure)
        return reply
    }

    /// Sends the head and this many bytes, then nothing.
    func stalling(after bytes: Int) -> Reply {
        var reply = self
        reply.cut = (bytes, .reset)
        reply.isSilent = true
        return reply
    }

    func events(_ now: Instant) -> [TransferEvent] {
        if isSilent, cut == nil { return [] }
        var head = fields
        let date = OriginTime(seconds: 1_800_000_000 + now.microseconds / 1_000_000)
        if !head.contains("Date") {
            head.append("Date", HTTPDate.text(date))
        }
        if !head.contains("Content-Length"), status != 304, status != 204 {
            head.append("Content-Length", String(body.count))
        }
        var events: [TransferEvent] = [.head(status: status, fields: head)]
        var rest = body.prefix(cut?.after ?? body.count)
        while !rest.isEmpty {
            events.append(.bytes(Array(rest.prefix(64 << 10))))
            rest = rest.dropFirst(64 << 10)
        }
        if isSilent { return events }
        return events + [cut.map { .failed($0.1) } ?? .end]
    }
}

extension OriginRequest {
    var route: String? { if case .file(let route) = kind { route } else { nil } }

    func field(_ name: String) -> String? { fields[name] }

    /// The first byte of a range request.
    var from: Int? { field("Range").flatMap { Int($0.dropFirst(6).dropLast()) } }
}

extension Version {
    func bytes(_ route: String) -> [UInt8] { files.first { $0.route == route }?.bytes ?? [] }
}

extension Harness {
    func requested(_ route: String) -> [OriginRequest] { requests.filter { $0.route == route } }

    var manifests: Int { requests.count { $0.kind == .manifest } }
}
