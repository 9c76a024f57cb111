import Core
import HTTP1

/// Heads and bodies. No `Date`: a server without a clock must not send one (RFC 9110 §6.6.1).
extension LocalServer {
    /// A stored file, whole, in part, or as 304 (RFC 9110 §13, §14).
    mutating func send(
        _ id: ConnectionID, _ head: RequestHead, _ file: SiteFile, _ site: Site, _ token: PageLoadToken?,
        _ extra: HeaderFields, _ disk: inout some Disk
    ) {
        guard let place = place(id) else { return }
        let tag = EntityTag(file.tag)
        var fields = extra
        fields.append("ETag", tag.text)
        fields.append("Cache-Control", file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache")
        switch Preconditions.evaluate(head, tag: tag) {
        case .notModified: return send(id, .notModified, fields, [], load: token, site: site.name)
        case .failed: return send(id, .preconditionFailed, HeaderFields(), [], load: token, site: site.name)
        case .proceed: break
        }
        let handle: FileHandle
        do {
            handle = try disk.open(file.path, .read)
        } catch {
            effects.append(.readFailed(site: site.name, file.path, error))
            return refuse(id, .internalError, "a stored file can't be read", load: token, site: site.name)
        }
        connections[place].file = handle
        connections[place].path = file.path
        connections[place].site = site.name
        var status = StatusCode.ok
        var range = (first: 0, count: file.size)
        if Preconditions.rangeCounts(head, tag: tag) {
            switch RangeRequest(head.fields["Range"], size: file.size) {
            case .ignored, .several: break
            case .one(let part):
                status = .partialContent
                range = (part.first, part.count)
                fields.append("Content-Range", part.contentRange(of: file.size))
            case .unsatisfiable:
                fields.append("Content-Range", ByteRange.unsatisfied(size: file.size))
                return send(id, .rangeNotSatisfiable, fields, [], load: token, site: site.name)
            }
        }
        fields.append("Accept-Ranges", "bytes")
        if let map = file.sourceMap { fields.append("SourceMap", map) }
        fields.append("Content-Type", type(of: file))
        let body: Output.Body =
            head.method == .head || range.count == 0
            ? .none : .file(handle, offset: range.first, count: range.count)
        send(id, status, fields, body, length: range.count, load: token, site: site.name)
    }

    private func type(of file: SiteFile) -> String {
        let type = file.type ?? ContentTypes.type(ofName: file.route)
        let isText = type.hasPrefix("text/") || type == "application/json"
        return isText && !type.contains("charset") ? type + "; charset=utf-8" : type
    }

    mutating func send(
        _ id: ConnectionID, _ status: StatusCode, _ fields: HeaderFields, _ bytes: [UInt8],
        load: PageLoadToken? = nil, site: String? = nil
    ) {
        guard let place = place(id) else { return }
        let isHead = connections[place].head?.method == .head
        let body: Output.Body = bytes.isEmpty || isHead ? .none : .bytes(bytes)
        send(id, status, fields, body, length: bytes.count, load: load, site: site)
    }

    private mutating func send(
        _ id: ConnectionID, _ status: StatusCode, _ fields: HeaderFields, _ body: Output.Body, length: Int,
        load token: PageLoadToken?, site: String?
    ) {
        guard let place = place(id) else { return }
        let request = connections[place].head
        let keeps = connections[place].state != .closing && (request?.keepsAlive ?? false)
        var all = fields
        if !status.neverHasContent { all.append("Content-Length", String(length)) }
        all.append("X-Content-Type-Options", "nosniff")
        all.append("Cross-Origin-Resource-Policy", "same-origin")
        all.append("Referrer-Policy", "same-origin")
        if !keeps { all.append("Connection", "close") }
        connections[place].state = keeps ? .sending : .closing
        if let token, load(token) != nil {
            connections[place].load = token
            answerBegins(token)
        }
        effects.append(.send(id, Output(head: ResponseHead(status, fields: all).serialized(), body: body)))
        setTimer(.write(id), configuration.limits.writeTimeout, id)
        effects.append(
            .answered(
                Answer(
                    method: request?.method.name ?? "", target: request?.path?.text ?? "",
                    status: status.code,
                    type: fields["Content-Type"], load: token, site: site)))
    }

    /// An error page without a word of the request in it (CVE-2020-13697).
    mutating func refuse(
        _ id: ConnectionID, _ status: StatusCode, _ sentence: String, closes: Bool = false,
        load: PageLoadToken? = nil, site: String? = nil
    ) {
        guard let place = place(id) else { return }
        if closes { connections[place].state = .closing }
        var fields = HeaderFields()
        fields.append("Content-Type", "text/plain; charset=utf-8")
        fields.append("Cache-Control", "no-store")
        send(id, status, fields, Array((sentence + "\n").utf8), load: load, site: site)
    }

    mutating func allow(_ id: ConnectionID, _ status: StatusCode) {
        var fields = HeaderFields()
        fields.append("Allow", "GET, HEAD, OPTIONS")
        send(id, status, fields, [])
    }

    /// 307 to a target of ours: a path, never another host (HT-F7).
    mutating func redirect(_ id: ConnectionID, to location: String, _ target: RequestTarget) {
        var fields = HeaderFields()
        fields.append("Location", location)
        fields.append("Cache-Control", "no-store")
        if target.queryValue(Attribution.keyItem) != nil {
            fields.append(
                "Set-Cookie",
                "\(Attribution.keyItem)=\(configuration.sessionKey); Path=/; HttpOnly; SameSite=Strict")
        }
        send(id, StatusCode(307), fields, [])
    }
}
