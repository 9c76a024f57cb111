import Backend
import AppHost
import Core
import HTTP1

/// Navigations and what a document refers to, as a browser loads them.
extension WebView {
    mutating func navigate(
        _ url: String, _ kind: AppHost.NavigationKind, _ name: String?, bypass: Bool, _ world: Surroundings
    ) {
        isDead = false
        abandonIncoming()
        let number = nextDocument
        nextDocument += 1
        let isReload = kind == .reload
        documents.append(Document(number: number, name: name, url: url, kind: kind))
        trimDocuments()
        incoming = number
        effects.append(.fact(.navigation(id, kind, name: name)))
        if !isReload || world.announcesReload { effects.append(.host(.navigating(kind, url: url))) }
        let target = String(url.dropFirst(world.origin.count))
        start(
            Fetch(
                document: number, target: target.isEmpty ? "/" : target, destination: .document,
                referer: kind == .link || kind == .form ? shownDocument?.url : nil,
                cacheControl: bypass ? "no-cache" : (isReload ? "max-age=0" : nil)), world)
        lateRequest(world)
    }

    /// The page in front goes on asking until the new document is there: a lazy file of its own (S1).
    private mutating func lateRequest(_ world: Surroundings) {
        guard let page = shownDocument, page.isParsed, let reference = page.references.last else { return }
        start(
            Fetch(
                document: page.number, target: reference.target, destination: .fetch, referer: page.url,
                cacheControl: "no-cache", counts: false), world)
    }

    private mutating func abandonIncoming() {
        guard let number = incoming else { return }
        incoming = nil
        waiting.removeAll { $0.document == number }
        for connection in connections where connection.fetch?.document == number {
            effects.append(.close(connection.number))
        }
        connections.removeAll { $0.fetch?.document == number }
        documents.removeAll { $0.number == number }
    }

    /// Documents that are gone stay known while they can be named, at most eight.
    private mutating func trimDocuments() {
        while documents.count > 8, let first = documents.first, first.number != shown,
            first.number != incoming
        {
            documents.removeFirst()
        }
    }

    // MARK: Answers

    func token(of url: String) -> PageLoadToken? {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        for item in url[url.utf8.index(after: mark)...].utf8.split(separator: UInt8(ascii: "&")) {
            let text = Substring(item)
            if text.hasPrefix("otalab-load=") { return PageLoadToken(text: text.dropFirst(12)) }
        }
        return nil
    }

    /// The head of a document's answer replaces the old document.
    mutating func headArrived(_ fetch: Fetch, _ world: Surroundings) {
        guard fetch.destination == .document, fetch.status != 307, incoming == fetch.document else { return }
        let url = world.origin + fetch.target
        let load = token(of: url)
        incoming = nil
        if let former = shownDocument {
            effects.append(.fact(.pageClosed(id, load: former.load)))
            waiting.removeAll { $0.document == former.number }
            cancelStartup(former.number)
        }
        shown = fetch.document
        change(fetch.document) { document in
            document.url = url
            document.load = load
            document.isCommitted = true
            document.committedAt = world.now
            document.hasFailed = fetch.status != 200 && fetch.status != 304
        }
        effects.append(.fact(.committed(id, load: load, VersionMask())))
        effects.append(.host(.committed(url: url)))
    }

    mutating func arrived(_ fetch: Fetch, isWhole: Bool, isCached: Bool, _ world: Surroundings) {
        if fetch.status == 307, let location = fetch.fields["Location"],
            fetch.redirects < 5
        {
            var next = fetch
            next.target = location
            next.redirects += 1
            next.body = []
            next.fields = HeaderFields()
            next.cached = nil
            return start(next, world)
        }
        let mask =
            isWhole && fetch.status == 200
            ? world.library.versions(
                with: fetch.body, atTarget: fetch.target, asDocument: fetch.destination == .document)
            : VersionMask()
        let request = PageRequest(
            webView: id, load: document(fetch.document)?.load, target: fetch.target,
            destination: fetch.destination)
        effects.append(
            .fact(
                .got(
                    request,
                    PageAnswer(
                        status: fetch.status, type: fetch.type, bytes: fetch.body.count, contentOf: mask,
                        isWhole: isWhole, isCached: isCached))))
        guard fetch.counts, document(fetch.document) != nil else { return }
        let isGood = isWhole && fetch.status == 200
        if isGood, !mask.isEmpty { change(fetch.document) { $0.narrow(mask) } }
        if fetch.destination == .document { return documentArrived(fetch, isGood, world) }
        if fetch.destination == .style, isGood {
            let sheet = world.origin + fetch.target
            let found = References.inStyleSheet(fetch.body)
            for reference in found {
                load(reference, fetch.document, referer: sheet, fetch.cacheControl, world)
            }
        }
        let isScript = fetch.destination == .script
        if isScript, !isGood || fetch.type == "text/html" {
            fail(fetch.document, "a script did not load: \(fetch.status) \(fetch.type)")
        }
        change(fetch.document) { $0.missing -= 1 }
        loadedIfWhole(fetch.document, world)
    }

    private mutating func documentArrived(_ fetch: Fetch, _ isGood: Bool, _ world: Surroundings) {
        guard isGood else {
            change(fetch.document) { $0.hasFailed = true }
            effects.append(.fact(.pageFailed(id, "the document did not load: \(fetch.status)")))
            return
        }
        let references = References.inDocument(fetch.body)
        change(fetch.document) { document in
            document.references = references
            document.isParsed = true
        }
        let page = world.origin + fetch.target
        for reference in references {
            load(reference, fetch.document, referer: page, fetch.cacheControl, world)
        }
        loadedIfWhole(fetch.document, world)
    }

    private mutating func load(
        _ reference: Document.Reference, _ number: Int, referer: String, _ cacheControl: String?,
        _ world: Surroundings
    ) {
        change(number) { $0.missing += 1 }
        start(
            Fetch(
                document: number, target: reference.target, destination: reference.destination,
                referer: referer,
                cacheControl: cacheControl), world)
    }

    private mutating func loadedIfWhole(_ number: Int, _ world: Surroundings) {
        guard let page = document(number), page.isParsed, page.missing == 0, !page.hasLoaded, shown == number
        else {
            return
        }
        change(number) { $0.hasLoaded = true }
        effects.append(.host(.loaded))
        filesAreThere(number, world)
    }
}
