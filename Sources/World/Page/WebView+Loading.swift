import Backend
import AppHost
import Core
import HTTP1
import LocalServer

/// Navigations and the loading of a document's files, as a browser does it.
extension WebView {
    mutating func navigate(
        _ url: String, _ kind: AppHost.NavigationKind, _ name: String?, bypass: Bool,
        _ environment: Environment
    ) {
        isDead = false
        abandonIncoming()
        let documentID = nextDocument
        nextDocument += 1
        let isReload = kind == .reload
        let (plain, fragment) = Document.parts(ofURL: url)
        documents.append(Document(id: documentID, name: name, url: plain, fragment: fragment, kind: kind))
        trimDocuments()
        incoming = documentID
        effects.append(.record(.navigation(id, kind, name: name)))
        if !isReload || environment.announcesReload {
            effects.append(.host(.navigating(kind, url: url)))
        } else if environment.announcesDocuments {
            effects.append(.host(.navigating(.unknown, url: url)))
        }
        let target = String(plain.dropFirst(environment.origin.count))
        start(
            PageFetch(
                document: documentID, target: target.isEmpty ? "/" : target, destination: .document,
                referer: kind == .link || kind == .form
                    ? shownDocument.map { address(of: $0, environment) } : nil,
                cacheControl: bypass ? "no-cache" : (isReload ? "max-age=0" : nil)), environment)
        lateRequest(environment)
    }

    /// The page in front sends requests until the new document is committed: here for a lazy file (S1).
    private mutating func lateRequest(_ environment: Environment) {
        guard let page = shownDocument, page.isParsed, let reference = page.references.last else { return }
        start(
            PageFetch(
                document: page.id, target: reference.target, destination: .fetch,
                referer: address(of: page, environment), cacheControl: "no-cache", counts: false),
            environment)
    }

    /// The document's address without its fragment, as its requests name it: the page's script has run once
    /// the document was parsed, and the shipped one leaves the load's token in the address only beside other
    /// pages, and where the cookie names another one.
    func address(of page: Document, _ environment: Environment) -> String {
        environment.isAlone && page.isParsed && !page.isOlderThanCookie ? page.plainURL : page.url
    }

    /// The address as the shipped script leaves it where it names its load.
    static func address(_ plain: String, of load: PageLoadToken) -> String {
        plain + (plain.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + "otalab-load=" + load.text
    }

    /// The URL without the load's token.
    private func plain(_ url: String, _ environment: Environment) -> String {
        do {
            let target = try RequestTarget(Array(url.utf8.dropFirst(environment.origin.utf8.count)))
            return environment.origin + ReservedQueryItems.removed(from: target)
        } catch {
            return url
        }
    }

    /// The document in front stays, as the platform's answer to the announced navigation is no.
    mutating func stopFollowing(_ url: String) {
        guard let page = incoming.flatMap({ document($0) }), page.url + page.fragment == url else { return }
        abandonIncoming()
    }

    mutating func abandonIncoming() {
        guard let documentID = incoming else { return }
        incoming = nil
        waiting.removeAll(of: documentID)
        for connection in connections where connection.fetch?.document == documentID {
            effects.append(.close(connection.id))
        }
        connections.removeAll { $0.fetch?.document == documentID }
        documents.removeAll { $0.id == documentID }
    }

    /// Keeps eight documents behind those of the page cache; earlier ones can still be named by a scenario.
    private mutating func trimDocuments() {
        while documents.count > 8 + cached.count, let first = documents.first, first.id != shown,
            first.id != incoming, !cached.contains(first.id)
        {
            documents.removeFirst()
        }
    }

    // MARK: Answers

    private static let pageTypes = ["text/html", "application/xhtml+xml"]

    func token(of url: String) -> PageLoadToken? {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        for item in url[url.utf8.index(after: mark)...].utf8.split(separator: UInt8(ascii: "&")) {
            let text = Substring(item)
            if text.hasPrefix("otalab-load=") { return PageLoadToken(text: text.dropFirst(12)) }
        }
        return nil
    }

    /// The head of a document's answer replaces the old document.
    mutating func headArrived(_ fetch: PageFetch, _ environment: Environment) {
        guard fetch.destination == .document, fetch.status != 307, incoming == fetch.document else { return }
        // RFC 9110 §15.3.5: the browser stays at what it shows.
        if fetch.status == 204 {
            incoming = nil
            documents.removeAll { $0.id == fetch.document }
            return
        }
        let url = environment.origin + fetch.target
        let load = token(of: url)
        incoming = nil
        dropCached { $0 > fetch.document }
        let next = document(fetch.document)
        leaveFront(
            isReplaced: next?.replacesFront == true, isBack: next?.kind == .history, environment)
        shown = fetch.document
        let plainURL = load == nil ? url : plain(url, environment)
        change(fetch.document) { document in
            document.url = url
            document.plainURL = plainURL
            document.route = plainURL.dropFirst(environment.origin.count) + document.fragment
            document.load = load
            document.isCommitted = true
            document.committedAt = environment.now
            document.hasFailed = fetch.status != 200 && fetch.status != 304
            document.isPlainFile = !fetch.type.isEmpty && !WebView.pageTypes.contains(fetch.type)
            document.showsAsItComes = document.isPlainFile && (!document.hasFailed || fetch.status == 404)
        }
        effects.append(.record(.committed(id, load: load, VersionMask())))
        let fragment = document(fetch.document)?.fragment ?? ""
        reportCommit(url + fragment, mayKeep: next?.visiblyReplacesFront == false, environment)
    }

    mutating func arrived(
        _ fetch: PageFetch, isWhole: Bool, from source: PageAnswer.Source, _ environment: Environment
    ) {
        if fetch.status == 307, let location = fetch.fields["Location"],
            fetch.redirects < 5
        {
            var next = fetch
            next.target = location
            next.redirects += 1
            next.body = ReceivedBody()
            next.fields = HeaderFields()
            next.cached = nil
            return start(next, environment)
        }
        // The answer to a HEAD has no content (RFC 9110 §9.3.2), which is no version's empty file.
        let mask =
            isWhole && fetch.status == 200 && fetch.request?.method?.value != .head
            ? environment.library.versions(
                with: fetch.body.bytes, atTarget: fetch.target,
                asDocument: [.document, .frame].contains(fetch.destination))
            : VersionMask()
        let request = PageRequest(
            webView: id, load: document(fetch.document)?.load, target: fetch.target,
            destination: fetch.destination)
        let content =
            fetch.destination.isOfScript
            ? PageAnswerContent(
                fields: fetch.fields.fields.map { "\($0.name.lowercased()): \($0.value)" },
                body: mask.isEmpty ? fetch.body.bytes : nil)
            : nil
        effects.append(
            .record(
                .pageReceived(
                    request,
                    PageAnswer(
                        status: fetch.status, type: fetch.type, bytes: fetch.body.count, contentOf: mask,
                        isWhole: isWhole, source: source, content: content))))
        if fetch.isForStartup { return apiAnswered(fetch.status, fetch.document, environment) }
        if let until = fetch.repeatsUntil { askAgain(fetch, until, environment) }
        guard fetch.counts, document(fetch.document) != nil else { return }
        let isGood = isWhole && fetch.status == 200
        if isGood, !mask.isEmpty { change(fetch.document) { $0.narrow(mask) } }
        if fetch.destination == .document { return documentArrived(fetch, isGood, environment) }
        if fetch.destination == .style, isGood {
            let sheet = environment.origin + fetch.target
            let found = References.inStyleSheet(fetch.body.bytes)
            for reference in found {
                load(reference, fetch.document, referer: sheet, fetch.cacheControl, environment)
            }
        }
        let isScript = fetch.destination == .script
        if isScript, !isGood || fetch.type == "text/html" {
            fail(fetch.document, "a script did not load: \(fetch.status) \(fetch.type)")
        }
        change(fetch.document) { $0.missing -= 1 }
        finishLoadingIfComplete(fetch.document, environment)
    }

    private mutating func askAgain(_ fetch: PageFetch, _ until: Instant, _ environment: Environment) {
        guard environment.now < until, shown == fetch.document, !isDead else { return }
        start(
            PageFetch(
                document: fetch.document, target: fetch.target, destination: fetch.destination,
                referer: fetch.referer, cacheControl: fetch.cacheControl, counts: false,
                repeatsUntil: until), environment)
    }

    private mutating func documentArrived(_ fetch: PageFetch, _ isGood: Bool, _ environment: Environment) {
        guard isGood else {
            change(fetch.document) { $0.hasFailed = true }
            effects.append(.record(.pageFailed(id, "the document did not load: \(fetch.status)")))
            return
        }
        let references = References.inDocument(fetch.body.bytes)
        change(fetch.document) { document in
            document.references = references
            document.isParsed = true
            // The document counts until all are requested: one that the cache has arrives at once.
            document.missing += 1
        }
        guard let page = document(fetch.document) else { return }
        for reference in references {
            load(
                reference, fetch.document, referer: address(of: page, environment), fetch.cacheControl,
                environment)
        }
        change(fetch.document) { $0.missing -= 1 }
        finishLoadingIfComplete(fetch.document, environment)
    }

    private mutating func load(
        _ reference: Document.Reference, _ documentID: Int, referer: String, _ cacheControl: String?,
        _ environment: Environment
    ) {
        change(documentID) { $0.missing += 1 }
        start(
            PageFetch(
                document: documentID, target: reference.target, destination: reference.destination,
                referer: referer,
                cacheControl: cacheControl), environment)
    }

    private mutating func finishLoadingIfComplete(_ documentID: Int, _ environment: Environment) {
        guard let page = document(documentID), page.isParsed, page.missing == 0, !page.hasLoaded,
            shown == documentID
        else {
            return
        }
        change(documentID) { $0.hasLoaded = true }
        effects.append(.host(.loaded))
        allFilesArrived(documentID, environment)
    }
}
