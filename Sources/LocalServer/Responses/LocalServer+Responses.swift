import Core
import HTTP1

/// Sends responses: head and body. With a `Date` where the device has a clock; a server without one must not
/// send any (RFC 9110 §6.6.1).
extension LocalServer {
    /// Answers with a stored file: all of it, a part, or 304, 412, 416 (``FileResponse``).
    /// - Returns: whether the file, or that it is unchanged, was the answer.
    @discardableResult
    mutating func sendFile(
        _ id: ConnectionID, _ head: RequestHead, _ file: ServedFile, _ site: Site, _ token: PageLoadToken?,
        _ extra: HeaderFields, _ disk: inout some Disk, age: TimeSpan? = nil
    ) -> Bool {
        guard let index = connections.index(of: id) else { return false }
        let response = FileResponse(to: head, file, extra, age: age)
        var body = Output.Body.none
        if head.method == .get, response.content.count > 0 {
            do throws(DiskError) {
                let handle = try open(file, &disk)
                connections[index].response.file = Connection.ResponseInProgress.File(
                    handle: handle, path: file.path, site: site.name)
                body = .file(handle, offset: response.content.offset, count: response.content.count)
            } catch {
                refuseUnreadable(file, site, token, error, id)
                return false
            }
        }
        send(
            id, response.status, response.fields, body, length: response.content.count, load: token,
            site: site.name)
        return response.isServed
    }

    /// A file whose length is not the one that was accepted is damaged (R10): none of it is sent.
    private mutating func open(_ file: ServedFile, _ disk: inout some Disk) throws(DiskError) -> FileHandle {
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

    private mutating func refuseUnreadable(
        _ file: ServedFile, _ site: Site, _ token: PageLoadToken?, _ error: DiskError, _ id: ConnectionID
    ) {
        // Then nothing is wrong with the file.
        if error.code == .tooManyOpen || error.code == .noMemory {
            effects.append(.noRoomForFile(file.path, error))
            return refuse(id, .unavailable, "no room for another file now")
        }
        effects.append(.readFailed(site: site.name, file.path, error))
        refuse(id, .internalError, "a stored file can't be read", load: token, site: site.name)
    }

    mutating func send(
        _ id: ConnectionID, _ status: StatusCode, _ fields: HeaderFields, _ bytes: [UInt8],
        load: PageLoadToken? = nil, site: String? = nil, refusal: String? = nil
    ) {
        guard let index = connections.index(of: id) else { return }
        let isHead = connections[index].request?.method == .head
        let body: Output.Body = bytes.isEmpty || isHead ? .none : .bytes(bytes)
        send(id, status, fields, body, length: bytes.count, load: load, site: site, refusal: refusal)
    }

    /// - Parameter length: of the content in bytes, of which HEAD gets the number alone.
    private mutating func send(
        _ id: ConnectionID, _ status: StatusCode, _ fields: HeaderFields, _ body: Output.Body, length: Int,
        load token: PageLoadToken?, site: String?, refusal: String? = nil
    ) {
        guard let index = connections.index(of: id) else { return }
        let request = connections[index].request
        let staysOpen = connections[index].mayStayOpen && !connections.hasTooManyAuthenticated
        var all = fields
        if let date = clock.dateField { all.append("Date", date) }
        if !status.neverHasContent { all.append("Content-Length", String(length)) }
        all.append("X-Content-Type-Options", "nosniff")
        all.append("Cross-Origin-Resource-Policy", "same-origin")
        all.append("Referrer-Policy", "same-origin")
        if !staysOpen {
            all.append("Connection", "close")
        } else if request?.minorVersion == 0 {
            all.append("Connection", "keep-alive")
        }
        connections[index].state = staysOpen ? .sending : .closing
        if let token, pageLoads[token] != nil {
            connections[index].response.load = token
            if pageLoads.beginResponse(token) { effects.append(.sending(token, true)) }
        }
        effects.append(.send(id, Output(head: ResponseHead(status, fields: all).serialized(), body: body)))
        setTimer(.write(id), configuration.limits.writeTimeout, id)
        effects.append(
            .answered(
                AccessLogEntry(
                    method: request?.method.name ?? "",
                    target: request?.path.map(ReservedQueryItems.withoutKey) ?? "",
                    status: status.code,
                    type: fields["Content-Type"], load: token, site: site, refusal: refusal)))
    }

    /// An error page without a byte of the request in it (CVE-2020-13697).
    mutating func refuse(
        _ id: ConnectionID, _ status: StatusCode, _ sentence: String, allow: String? = nil,
        closes: Bool = false, load: PageLoadToken? = nil, site: String? = nil
    ) {
        guard let index = connections.index(of: id) else { return }
        if closes { connections[index].state = .closing }
        var fields = HeaderFields()
        if let allow { fields.append("Allow", allow) }
        fields.append("Content-Type", "text/plain; charset=utf-8")
        fields.append("Cache-Control", "no-store")
        send(
            id, status, fields, Array((sentence + "\n").utf8), load: load, site: site, refusal: sentence)
    }

    /// A peer that has not shown the key gets one response, and nothing more of it is read: refusals that no
    /// peer reads would fill the system's memory, requests after them the server's.
    mutating func refuse(_ id: ConnectionID, _ refusal: RequestPolicy.Refusal, closes: Bool) {
        guard let index = connections.index(of: id) else { return }
        refuse(
            id, refusal.status, refusal.sentence, allow: refusal.allow,
            closes: closes || !connections[index].isAuthenticated)
    }

    /// Never with an `Access-Control-` field, so that a preflight of another origin is not allowed.
    mutating func sendAllow(_ id: ConnectionID, _ status: StatusCode, _ methods: String) {
        var fields = HeaderFields()
        fields.append("Allow", methods)
        fields.append("Cache-Control", "no-store")
        send(id, status, fields, [])
    }

    /// 307 (RFC 9110 §15.4.8) to a path of this server, never to another host.
    mutating func redirect(_ id: ConnectionID, to location: String, _ head: RequestHead) {
        var fields = HeaderFields()
        fields.append("Location", location)
        fields.append("Cache-Control", "no-store")
        if policy.carriesKeyInURL(head) {
            fields.append("Set-Cookie", Cookies.line(policy.keyCookie, configuration.sessionKey))
        }
        send(id, StatusCode(307), fields, [])
    }
}
