import Backend
import AppHost
import Core
import HTTP1

/// Up to six connections to the local server, kept and shared by all documents of the view.
extension WebView {
    mutating func start(_ fetch: Fetch, _ world: Surroundings) {
        let request = PageRequest(
            webView: id, load: document(fetch.document)?.load, target: fetch.target,
            destination: fetch.destination)
        effects.append(.fact(.asked(request)))
        if let cached = cache.first(where: { $0.target == fetch.target }), cached.isImmutable,
            fetch.cacheControl == nil, fetch.destination != .document
        {
            var answered = fetch
            answered.status = 200
            answered.type = cached.type
            answered.body = cached.bytes
            return arrived(answered, isWhole: true, isCached: true, world)
        }
        waiting.append(fetch)
        dispatch(world)
    }

    private mutating func dispatch(_ world: Surroundings) {
        while !waiting.isEmpty {
            if let place = connections.firstIndex(where: { $0.isOpen && $0.fetch == nil }) {
                connections[place].fetch = waiting.removeFirst()
                send(place, world)
            } else if connections.count < WebView.parallel {
                let number = nextConnection
                nextConnection += 1
                connections.append(ViewConnection(number: number, fetch: waiting.removeFirst()))
                effects.append(.open(number))
            } else {
                return
            }
        }
    }

    mutating func opened(_ number: Int, _ world: Surroundings) {
        guard let place = connections.firstIndex(where: { $0.number == number }) else { return }
        connections[place].isOpen = true
        if connections[place].fetch != nil { send(place, world) }
    }

    private mutating func send(_ place: Int, _ world: Surroundings) {
        guard var fetch = connections[place].fetch else { return }
        let isDocument = fetch.destination == .document
        // Bytes at once: a page asks for hundreds of files, and the head differs in three lines.
        var head: [UInt8] = []
        head.reserveCapacity(512)
        func add(_ name: StaticString, _ value: String) {
            head.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
            head.append(contentsOf: value.utf8)
            head.append(13)
            head.append(10)
        }
        add("GET ", fetch.target + " HTTP/1.1")
        add("Host: ", world.host)
        add("User-Agent: ", "otalab/1.0 (simulated; mobile/app)")
        add("Accept: ", isDocument ? "text/html,application/xhtml+xml,*/*;q=0.8" : "*/*")
        add("Sec-Fetch-Dest: ", destination(fetch.destination))
        add("Sec-Fetch-Mode: ", isDocument ? "navigate" : "no-cors")
        add("Sec-Fetch-Site: ", "same-origin")
        if let referer = fetch.referer { add("Referer: ", referer) }
        if let caching = fetch.cacheControl { add("Cache-Control: ", caching) }
        if fetch.cacheControl != "no-cache", let cached = cache.first(where: { $0.target == fetch.target }) {
            add("If-None-Match: ", cached.tag)
            fetch.cached = cached
        }
        if !cookieLine.isEmpty { add("Cookie: ", cookieLine) }
        head.append(13)
        head.append(10)
        connections[place].fetch = fetch
        connections[place].parser.expect(.get)
        effects.append(.send(connections[place].number, head))
    }

    private func destination(_ destination: PageRequest.Destination) -> String {
        switch destination {
        case .document, .script, .style, .image, .font: destination.rawValue
        case .fetch, .other: "empty"
        }
    }

    mutating func received(_ number: Int, _ bytes: [UInt8], _ world: Surroundings) {
        guard let place = connections.firstIndex(where: { $0.number == number }) else { return }
        connections[place].parser.append(bytes)
        while let place = connections.firstIndex(where: { $0.number == number }),
            let event = connections[place].parser.next()
        {
            take(event, place, world)
        }
    }

    private mutating func take(_ event: ResponseParser.Event, _ place: Int, _ world: Surroundings) {
        switch event {
        case .interim: break
        case .head(let head, _):
            guard var fetch = connections[place].fetch.take() else { return }
            fetch.status = head.status.code
            fetch.fields = head.fields
            fetch.type = mediaType(head.fields["Content-Type"] ?? "")
            connections[place].keeps = head.keepsAlive
            if head.fields.contains("Set-Cookie") {
                for text in head.fields.all("Set-Cookie") { keep(text) }
            }
            headArrived(fetch, world)
            connections[place].fetch = fetch
        case .body(let bytes):
            if connections[place].fetch?.body.isEmpty ?? false {
                connections[place].fetch?.body = bytes
            } else {
                connections[place].fetch?.body.append(contentsOf: bytes)
            }
        case .end: finished(place, isWhole: true, world)
        case .failure: finished(place, isWhole: false, world)
        }
    }

    private mutating func finished(_ place: Int, isWhole: Bool, _ world: Surroundings) {
        guard var fetch = connections[place].fetch.take() else { return }
        let number = connections[place].number
        if !connections[place].keeps || !isWhole {
            connections.remove(at: place)
            effects.append(.close(number))
        }
        var isCached = false
        if fetch.status == 304, let cached = fetch.cached {
            fetch.status = 200
            fetch.type = cached.type
            fetch.body = cached.bytes
            isCached = true
        } else if isWhole, fetch.status == 200 {
            remember(fetch)
        }
        arrived(fetch, isWhole: isWhole, isCached: isCached, world)
        dispatch(world)
    }

    mutating func closed(_ number: Int, _ world: Surroundings) {
        guard let place = connections.firstIndex(where: { $0.number == number }) else { return }
        let connection = connections.remove(at: place)
        guard var fetch = connection.fetch else { return dispatch(world) }
        // A kept connection may have been closed under the request: one try on a new one, as browsers do.
        if fetch.status == 0, connection.isOpen, fetch.redirects < 5 {
            fetch.redirects += 1
            waiting.insert(fetch, at: 0)
        } else {
            arrived(fetch, isWhole: false, isCached: false, world)
        }
        dispatch(world)
    }

    // MARK: Cookies and cache

    /// All web views of an app have one cookie store and one cache, as on both platforms.
    mutating func takeStorage(of other: WebView) {
        cookies = other.cookies
        cache = other.cache
        storage = other.storage
    }

    private mutating func keep(_ text: String) {
        guard let pair = text.utf8.split(separator: UInt8(ascii: ";")).first else { return }
        let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1).map { String(Substring($0)) }
        guard sides.count == 2 else { return }
        cookies.removeAll { $0.name == sides[0] }
        cookies.append(Cookie(name: sides[0], value: sides[1]))
    }

    private mutating func remember(_ fetch: Fetch) {
        guard let tag = fetch.fields["ETag"] else { return }
        let caching = fetch.fields["Cache-Control"] ?? ""
        guard caching != "no-store" else { return }
        let answer = CachedAnswer(
            target: fetch.target, tag: tag, type: fetch.type, bytes: fetch.body,
            isImmutable: caching.hasSuffix("immutable"))
        if let place = cache.firstIndex(where: { $0.target == fetch.target }) { cache.remove(at: place) }
        cache.append(answer)
        if cache.count > 200 { cache.removeFirst() }
    }

    private func mediaType(_ text: String) -> String {
        let end = text.utf8.firstIndex(of: UInt8(ascii: ";")) ?? text.endIndex
        return text[..<end].lowercased()
    }
}
