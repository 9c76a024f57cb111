import Core
import HTTP1

/// Heads and bodies. With a `Date` where the device has a clock; a server without one must not send any
/// (RFC 9110 §6.6.1).
extension LocalServer {
    /// A stored file, whole, in part, or as 304 (RFC 9110 §13, §14).
    /// - Returns: whether the file, or that it is unchanged, was the answer.
    @discardableResult
    mutating func send(
        _ id: ConnectionID, _ head: RequestHead, _ file: SiteFile, _ site: Site, _ token: PageLoadToken?,
        _ extra: HeaderFields, _ disk: inout some Disk, age: TimeSpan? = nil
    ) -> Bool {
        guard let place = place(id) else { return false }
        let tag = EntityTag(file.tag)
        var fields = extra
        fields.append("ETag", tag.text)
        fields.append("Cache-Control", LocalServer.caching(file, age))
        switch Preconditions.evaluate(head, tag: tag) {
        case .notModified:
            send(id, .notModified, fields, [], load: token, site: site.name)
            return true
        case .failed:
            send(id, .preconditionFailed, HeaderFields(), [], load: token, site: site.name)
            return false
        case .proceed: break
        }
        var status = StatusCode.ok
        var range = (first: 0, count: file.size)
        if Preconditions.rangeApplies(head, tag: tag) {
            switch RangeRequest(head.fields["Range"], size: file.size) {
            case .ignored, .several: break
            case .one(let part):
                status = .partialContent
                range = (part.first, part.count)
                fields.append("Content-Range", part.contentRange(of: file.size))
            case .unsatisfiable:
                fields.append("Content-Range", ByteRange.unsatisfied(size: file.size))
                send(id, .rangeNotSatisfiable, fields, [], load: token, site: site.name)
                return false
            }
        }
        fields.append("Accept-Ranges", "bytes")
        if let map = file.sourceMap { fields.append("X-SourceMap", map) }
        fields.append("Content-Type", type(of: file))
        var body = Output.Body.none
        if head.method == .get, range.count > 0 {
            do throws(DiskError) {
                let handle = try open(file, &disk)
                connections[place].file = handle
                connections[place].path = file.path
                connections[place].site = site.name
                body = .file(handle, offset: range.first, count: range.count)
            } catch {
                // Nothing is wrong with the file.
                if error.code == .tooManyOpen || error.code == .noMemory {
                    refuse(id, .unavailable, "no room for another file now")
                    return false
                }
                effects.append(.readFailed(site: site.name, file.path, error))
                refuse(id, .internalError, "a stored file can't be read", load: token, site: site.name)
                return false
            }
        }
        send(id, status, fields, body, length: range.count, load: token, site: site.name)
        return true
    }

    /// S5: what carries its content's hash never changes; an age is for files outside versions.
    private static func caching(_ file: SiteFile, _ age: TimeSpan?) -> String {
        if file.isImmutable { return "public, max-age=31536000, immutable" }
        return age.map { "private, max-age=\($0.microseconds / 1_000_000)" } ?? "no-cache"
    }

    /// A file of another length than was accepted is damaged (R10): not a byte of it is sent.
    private mutating func open(_ file: SiteFile, _ disk: inout some Disk) throws(DiskError) -> FileHandle {
        hasTouchedDisk = true
        let handle = try disk.open(file.path, .read)
        let size: Int
        do throws(DiskError) {
            size = try disk.size(handle)
        } catch {
            try disk.close(handle)
            throw error
        }
        guard size == file.size else {
            try disk.close(handle)
            throw DiskError(.inputOutput, .size, file.path)
        }
        return handle
    }

    func type(of file: SiteFile) -> String {
        // The table of endings says it all; a manifest's type may lack its charset.
        guard let type = file.type else { return ContentTypes.type(ofName: file.route) }
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
        let keeps =
            connections[place].state != .closing && (request?.keepsAlive ?? false) && !hasTooManyKnown
        var all = fields
        if let text = date?.text(at: now) { all.append("Date", text) }
        if !status.neverHasContent { all.append("Content-Length", String(length)) }
        all.append("X-Content-Type-Options", "nosniff")
        all.append("Cross-Origin-Resource-Policy", "same-origin")
        all.append("Referrer-Policy", "same-origin")
        if !keeps {
            all.append("Connection", "close")
        } else if request?.minorVersion == 0 {
            all.append("Connection", "keep-alive")
        }
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
                    method: request?.method.name ?? "",
                    target: request?.path.map(ReservedQueryItems.withoutKey) ?? "",
                    status: status.code,
                    type: fields["Content-Type"], load: token, site: site)))
    }

    /// An error page without a word of the request in it (CVE-2020-13697).
    mutating func refuse(
        _ id: ConnectionID, _ status: StatusCode, _ sentence: String, allow: String? = nil,
        closes: Bool = false, load: PageLoadToken? = nil, site: String? = nil
    ) {
        guard let place = place(id) else { return }
        if closes { connections[place].state = .closing }
        var fields = HeaderFields()
        if let allow { fields.append("Allow", allow) }
        fields.append("Content-Type", "text/plain; charset=utf-8")
        fields.append("Cache-Control", "no-store")
        send(id, status, fields, Array((sentence + "\n").utf8), load: load, site: site)
    }

    /// A peer that has not shown the key gets one answer, and nothing more of it is read: refusals that no
    /// peer reads would fill the memory of the system, requests behind them ours (S10).
    mutating func refuse(_ id: ConnectionID, _ refusal: RequestPolicy.Refusal, closes: Bool) {
        let isKnown = place(id).map { connections[$0].isKnown } ?? false
        refuse(id, refusal.status, refusal.sentence, allow: refusal.allow, closes: closes || !isKnown)
    }

    /// No `Access-Control-` field, ever (HT-H7, H8): a preflight from elsewhere finds nothing that allows it.
    mutating func allow(_ id: ConnectionID, _ status: StatusCode, _ methods: String) {
        var fields = HeaderFields()
        fields.append("Allow", methods)
        fields.append("Cache-Control", "no-store")
        send(id, status, fields, [])
    }

    /// 307 to a target of ours: a path, never another host (HT-F7).
    mutating func redirect(_ id: ConnectionID, to location: String, _ head: RequestHead) {
        var fields = HeaderFields()
        fields.append("Location", location)
        fields.append("Cache-Control", "no-store")
        if gate.carriesKeyInURL(head) {
            fields.append("Set-Cookie", Cookies.line(ReservedQueryItems.key, configuration.sessionKey))
        }
        send(id, StatusCode(307), fields, [])
    }
}
