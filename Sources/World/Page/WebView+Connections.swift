import Backend
import AppHost
import Core
import HTTP1

/// Up to six connections to the local server, kept alive and shared by all documents of the view.
extension WebView {
    mutating func start(_ fetch: PageFetch, _ environment: Environment) {
        let request = PageRequest(
            webView: id, load: document(fetch.document)?.load, target: fetch.target,
            destination: fetch.destination)
        effects.append(.record(.pageRequested(request)))
        if fetch.isCacheable, let cached = cache.first(where: { $0.target == fetch.target }),
            cached.isImmutable, fetch.cacheControl == nil, fetch.destination != .document
        {
            var answered = fetch
            answered.status = 200
            answered.type = cached.type
            answered.body = ReceivedBody(cached.bytes)
            return arrived(answered, isWhole: true, from: .cache, environment)
        }
        waiting.append(fetch)
        dispatch(environment)
    }

    private mutating func dispatch(_ environment: Environment) {
        while !waiting.isEmpty {
            if let index = connections.firstIndex(where: { $0.isOpen && $0.fetch == nil }) {
                connections[index].fetch = waiting.takeFirst()
                send(index, environment)
            } else if connections.count < WebView.parallel {
                let connectionID = nextConnection
                nextConnection += 1
                connections.append(ViewConnection(id: connectionID, fetch: waiting.takeFirst()))
                effects.append(.open(connectionID))
            } else {
                return
            }
        }
    }

    mutating func opened(_ connectionID: Int, _ environment: Environment) {
        guard let index = connections.firstIndex(where: { $0.id == connectionID }) else { return }
        connections[index].isOpen = true
        if connections[index].fetch != nil { send(index, environment) }
    }

    private mutating func send(_ index: Int, _ environment: Environment) {
        guard var fetch = connections[index].fetch else { return }
        let isDocument = fetch.destination == .document || fetch.destination == .frame
        // The bytes are written directly, because a page requests hundreds of files.
        var head: [UInt8] = []
        head.reserveCapacity(512)
        func add(_ name: StaticString, _ value: String) {
            head.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
            head.append(contentsOf: value.utf8)
            head.append(13)
            head.append(10)
        }
        let request = fetch.request
        head.append(contentsOf: fetch.method.rawValue.utf8)
        add(" ", fetch.target + " HTTP/1.1")
        add("Host: ", environment.host)
        add("User-Agent: ", "otalab/1.0 (simulated; mobile/app)")
        add("Accept: ", isDocument ? "text/html,application/xhtml+xml,*/*;q=0.8" : "*/*")
        if environment.sendsFetchMetadata {
            add("Sec-Fetch-Dest: ", destination(fetch.destination))
            add("Sec-Fetch-Mode: ", isDocument ? "navigate" : "no-cors")
            add("Sec-Fetch-Site: ", "same-origin")
        }
        if let referer = fetch.referer { add("Referer: ", referer) }
        if let caching = fetch.cacheControl { add("Cache-Control: ", caching) }
        if !fetch.method.isSafe { add("Origin: ", environment.origin) }
        for header in request?.headers ?? [] {
            head.append(contentsOf: header.name.value.utf8)
            add(": ", header.value.value)
        }
        let body = request?.body.map { Array($0.value.utf8) } ?? []
        if !body.isEmpty || !fetch.method.isSafe { add("Content-Length: ", String(body.count)) }
        if fetch.isCacheable, fetch.cacheControl != "no-cache",
            let cached = cache.first(where: { $0.target == fetch.target })
        {
            add("If-None-Match: ", cached.tag)
            fetch.cached = cached
        }
        if !cookieLine.isEmpty { add("Cookie: ", cookieLine) }
        head.append(13)
        head.append(10)
        connections[index].fetch = fetch
        connections[index].parser.expect(RequestMethod(fetch.method.rawValue))
        effects.append(.send(connections[index].id, head + body))
    }

    private func destination(_ destination: PageRequest.Destination) -> String {
        switch destination {
        case .document, .script, .style, .image, .font, .frame: destination.rawValue
        case .fetch, .other: "empty"
        }
    }

    mutating func received(_ connectionID: Int, _ bytes: [UInt8], _ environment: Environment) {
        guard let index = connections.firstIndex(where: { $0.id == connectionID }) else { return }
        connections[index].parser.append(bytes)
        while let index = connections.firstIndex(where: { $0.id == connectionID }),
            let event = connections[index].parser.next()
        {
            take(event, index, environment)
        }
    }

    private mutating func take(_ event: ResponseParser.Event, _ index: Int, _ environment: Environment) {
        switch event {
        case .interim: break
        case .head(let head, _):
            guard var fetch = connections[index].fetch.take() else { return }
            fetch.status = head.status.code
            fetch.fields = head.fields
            fetch.type = mediaType(head.fields["Content-Type"] ?? "")
            connections[index].keeps = head.keepsAlive
            if head.fields.contains("Set-Cookie") {
                for text in head.fields.all("Set-Cookie") { setCookie(text) }
            }
            headArrived(fetch, environment)
            connections[index].fetch = fetch
        case .body(let bytes): connections[index].fetch?.body.append(bytes)
        case .end: finished(index, isWhole: true, environment)
        case .failure: finished(index, isWhole: false, environment)
        }
    }

    private mutating func finished(_ index: Int, isWhole: Bool, _ environment: Environment) {
        guard var fetch = connections[index].fetch.take() else { return }
        let connectionID = connections[index].id
        if !connections[index].keeps || !isWhole {
            connections.remove(at: index)
            effects.append(.close(connectionID))
        }
        fetch.body.join()
        var source = PageAnswer.Source.server
        if fetch.status == 304, let cached = fetch.cached {
            fetch.status = 200
            fetch.type = cached.type
            fetch.body = ReceivedBody(cached.bytes)
            source = .revalidatedCache
        } else if isWhole, fetch.status == 200, fetch.isCacheable {
            cacheAnswer(of: fetch)
        }
        arrived(fetch, isWhole: isWhole, from: source, environment)
        dispatch(environment)
    }

    /// Whether a request was sent whose answer is not complete.
    var hasOpenRequest: Bool { connections.contains { $0.fetch != nil } }

    mutating func closed(_ connectionID: Int, _ environment: Environment) {
        guard let index = connections.firstIndex(where: { $0.id == connectionID }) else { return }
        // A body without a length ends with its connection (RFC 9112 §6.3).
        if case .end? = connections[index].parser.close() {
            connections[index].keeps = false
            return finished(index, isWhole: true, environment)
        }
        let connection = connections.remove(at: index)
        guard var fetch = connection.fetch else { return dispatch(environment) }
        // The server may have closed a kept-alive connection before the request: browsers retry on a new one,
        // but not for a document that was replaced.
        let isWanted = fetch.document == shown || fetch.document == incoming
        if fetch.status == 0, connection.isOpen, isWanted, fetch.redirects < 5 {
            fetch.redirects += 1
            waiting.putBack(fetch)
        } else {
            arrived(fetch, isWhole: false, from: .server, environment)
        }
        dispatch(environment)
    }

    // MARK: Cookies and cache

    /// All web views of an app have one cookie store and one cache, as on both platforms.
    mutating func takeStorage(of other: WebView) {
        cookies = other.cookies
        cache = other.cache
        storage = other.storage
    }

    /// A document was loaded in another web view: the cookie names that one.
    mutating func newerDocumentLoaded() {
        if let shown { change(shown) { $0.isOlderThanCookie = true } }
        for documentID in cached { change(documentID) { $0.isOlderThanCookie = true } }
    }

    private mutating func setCookie(_ text: String) {
        guard let pair = text.utf8.split(separator: UInt8(ascii: ";")).first else { return }
        let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1).map { String(Substring($0)) }
        guard sides.count == 2 else { return }
        cookies.removeAll { $0.name == sides[0] }
        cookies.append(Cookie(name: sides[0], value: sides[1]))
    }

    private mutating func cacheAnswer(of fetch: PageFetch) {
        guard let tag = fetch.fields["ETag"] else { return }
        let caching = fetch.fields["Cache-Control"] ?? ""
        guard caching != "no-store" else { return }
        let answer = CachedAnswer(
            target: fetch.target, tag: tag, type: fetch.type, bytes: fetch.body.bytes,
            isImmutable: caching.hasSuffix("immutable"))
        if let index = cache.firstIndex(where: { $0.target == fetch.target }) { cache.remove(at: index) }
        cache.append(answer)
        if cache.count > 200 { cache.removeFirst() }
    }

    private func mediaType(_ text: String) -> String {
        let end = text.utf8.firstIndex(of: UInt8(ascii: ";")) ?? text.endIndex
        return text[..<end].lowercased()
    }
}
