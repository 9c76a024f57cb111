import AppHost
import Core
import ScenarioLanguage

/// The start-up of the version that a document turned out to be, and the actions of pages.
extension WebView {
    /// All files have arrived, so the version is known. Times of the start-up count from the commit of the
    /// document; those that have passed already are due now.
    mutating func allFilesArrived(_ documentID: Int, _ environment: Environment) {
        guard let page = document(documentID), !page.hasFailed else { return }
        if page.isMixed { return fail(documentID, "files of more than one version") }
        // A text or an image runs no script of the version, so that nothing of it starts.
        if page.isPlainFile { return show(documentID) }
        guard let behaviour = behaviour(documentID, environment) else { return }
        if let index = page.versions.indices.first, !startedHere.contains(index) {
            startedHere.insert(index)
            effects.append(.started(index: index))
        }
        guard hasWhatItNeeds(page, environment) else { return }
        let passed = environment.now - page.committedAt
        func plan(_ moment: StartupMoment, _ after: TimeSpan) {
            effects.append(
                .setTimer(.startup(document: documentID, moment), after: max(.zero, after - passed)))
        }
        switch behaviour {
        case .normal:
            show(documentID)
            if environment.callsWhenReady { confirm(documentID) } else { becomeReady(documentID) }
        case .hangs: break
        case .throwsError(.none): fail(documentID, "an error at load", isReported: false)
        case .throwsError(.some(let after)): plan(.fails, after)
        case .dies(_, let after): plan(.dies, after)
        case .staged(let usable, let confirms):
            plan(.usable, usable)
            if let confirms { plan(.confirms, confirms) }
        }
    }

    /// Whether the start continues now. If not, it has failed, or it waits for an answer of the API.
    private mutating func hasWhatItNeeds(_ page: Document, _ environment: Environment) -> Bool {
        guard let index = page.versions.indices.first,
            let need = environment.library.versions[index].startup.needs?.value
        else { return true }
        let isThere: Bool
        switch need {
        case .network: isThere = environment.isOnline
        case .storage: isThere = storage.contains { $0.origin == environment.origin }
        case .api:
            guard let answer = page.apiHasAnswered else {
                start(
                    PageFetch(
                        document: page.id, target: environment.library.apiTarget, destination: .fetch,
                        referer: address(of: page, environment), counts: false, isForStartup: true),
                    environment)
                return false
            }
            isThere = answer
        }
        if !isThere { fail(page.id, "its start needs \(need.rawValue)") }
        return isThere
    }

    mutating func apiAnswered(_ status: Int, _ documentID: Int, _ environment: Environment) {
        guard document(documentID)?.apiHasAnswered == nil, shown == documentID, !isDead else { return }
        change(documentID) { $0.apiHasAnswered = (200..<300).contains(status) }
        allFilesArrived(documentID, environment)
    }

    private func behaviour(_ documentID: Int, _ environment: Environment) -> StartupBehaviour? {
        guard let index = document(documentID)?.versions.indices.first else { return nil }
        let before = index < environment.starts.count ? environment.starts[index] : 0
        let start = startedHere.contains(index) ? max(before, 1) : before + 1
        return environment.library.versions[index].startup.behaviour(
            ofStart: start, native: environment.native)
    }

    mutating func timerFired(_ name: TimerName, _ environment: Environment) {
        switch name {
        case .startup(let documentID, let moment):
            guard shown == documentID, !isDead, let page = document(documentID), !page.hasFailed else {
                return
            }
            switch moment {
            case .dies: endByStartup(documentID, environment)
            case .fails: fail(documentID, "an error while starting")
            case .usable: show(documentID)
            case .confirms: confirm(documentID)
            }
        case .answer(let number): answerIsDue(number)
        }
    }

    private mutating func endByStartup(_ documentID: Int, _ environment: Environment) {
        guard case .dies(let part, _) = behaviour(documentID, environment) else { return }
        switch part {
        case .process: effects.append(.appDies)
        case .page: die()
        }
    }

    private mutating func show(_ documentID: Int) {
        guard document(documentID)?.isShown == false else { return }
        change(documentID) { $0.isShown = true }
        effects.append(.record(.contentShown(id)))
        effects.append(.host(.contentShown))
    }

    private mutating func confirm(_ documentID: Int) {
        change(documentID) { $0.hasConfirmed = true }
        call(.startupDidComplete, documentID)
        becomeReady(documentID)
    }

    private mutating func becomeReady(_ documentID: Int) {
        guard document(documentID)?.isReady == false else { return }
        change(documentID) { $0.isReady = true }
        effects.append(.record(.pageReady(id)))
        call(.onNewVersionReady, documentID)
    }

    /// The page fails. An error while the script loads precedes every error handler, so it is not reported.
    mutating func fail(_ documentID: Int, _ why: String, isReported: Bool = true) {
        guard let page = document(documentID), !page.hasFailed else { return }
        change(documentID) { $0.hasFailed = true }
        effects.append(.record(.pageFailed(id, why)))
        if page.isCommitted, isReported { call(.startupDidFail, documentID, why) }
    }

    mutating func cancelStartup(_ documentID: Int) {
        for moment in [StartupMoment.usable, .confirms, .fails, .dies] {
            effects.append(.cancelTimer(.startup(document: documentID, moment)))
        }
    }

    mutating func touched() {
        guard let page = shownDocument, page.isShown, !isDead else { return }
        guard !page.isTouched else { return }
        change(page.id) { $0.isTouched = true }
        effects.append(.record(.touched(id)))
        effects.append(.host(.touched))
    }

    // MARK: Actions of a scenario

    mutating func act(_ action: PageAction, _ name: String?, _ newName: String?, _ environment: Environment) {
        guard let page = named(name) else {
            return effects.append(.record(.actionDidNothing("no page \(name ?? "in front")")))
        }
        if action.needsShownPage, page.id != shown {
            return effects.append(.record(.actionDidNothing("the page \(name ?? "") is not shown any more")))
        }
        if action.isOfPage, page.isPlainFile {
            let why = "\(page.route) is no page: it has no links and runs no script"
            return effects.append(.record(.actionDidNothing(why)))
        }
        if isDead, action.isOfPage || action == .dies {
            return effects.append(.record(.actionDidNothing("the process of its web view is dead")))
        }
        if page.hasDied, action.isOfPage {
            return effects.append(.record(.actionDidNothing("the page's web process has died")))
        }
        if page.leftAt != nil {
            let why = "the page \(name ?? "") is in the page cache, where its scripts do not run"
            return effects.append(.record(.actionDidNothing(why)))
        }
        let address = address(of: page, environment)
        let full = address + page.fragment
        switch action {
        case .reload: navigate(full, .reload, newName, bypass: false, environment)
        case .reloadFromOrigin: navigate(full, .reload, newName, bypass: true, environment)
        case .replaceLocation:
            navigate(full, .other, newName, bypass: false, environment)
            if let incoming { change(incoming) { $0.isReplacement = true } }
        case .tapsLink: follow("/", newName, environment)
        case .submitsForm: navigate(environment.origin + "/", .form, newName, bypass: false, environment)
        case .goesBack: goBack(newName, environment)
        case .follows(let link): follow(link.value, newName, environment)
        case .pushes(let target):
            if page.id == shown { remember(page.plainURL + page.fragment, of: page) }
            setAddress(environment.origin + target.value, ofDocument: page.id, environment)
        case .closes: close()
        case .dies: die()
        // Done by the app, not by this web view.
        case .opens: break
        case .calls(let method): call(method.value, page.id)
        case .sends(let said, let size):
            let text = PageAction.filled(said.value, to: size?.value)
            effects.append(.record(.note("the page sends '\(text.prefix(200))'")))
            effects.append(.host(.message(Array(text.utf8), documentURL: page.url)))
        case .stores(let said):
            let key = said.value
            storage.removeAll { $0 == StoredItem(origin: environment.origin, key: key) }
            storage.append(StoredItem(origin: environment.origin, key: key))
            effects.append(.record(.note("the page stores '\(key)' under \(environment.origin)")))
        case .setsCookie(let said):
            let name = said.value
            cookies.removeAll { $0.name == name }
            cookies.append(Cookie(name: name, value: "1", isLasting: true))
            effects.append(.record(.note("the page sets a cookie '\(name)'")))
        case .embeds(let said): embed(said.value, in: page, environment)
        case .asks(let said, let span, let request):
            ask(said.value, keepsAsking: span?.value, request, of: page, environment)
        }
    }

    /// - Parameter target: path and query; a fragment is not sent, as `fetch` does.
    private mutating func ask(
        _ target: String, keepsAsking span: TimeSpan?, _ request: RequestSpec?, of page: Document,
        _ environment: Environment
    ) {
        var fetch = PageFetch(
            document: page.id, target: Document.parts(ofURL: target).address, destination: .fetch,
            referer: address(of: page, environment), request: request, counts: false)
        guard let span else { return start(fetch, environment) }
        // Past the cache, because an answer from it would be followed by the next one at once.
        fetch.cacheControl = "no-cache"
        fetch.repeatsUntil = environment.now + span
        for _ in 0..<WebView.parallel { start(fetch, environment) }
    }

    /// The frame's document requests nothing itself.
    private mutating func embed(_ target: String, in page: Document, _ environment: Environment) {
        let fetch = PageFetch(
            document: page.id, target: Document.parts(ofURL: target).address, destination: .frame,
            referer: address(of: page, environment), counts: false)
        start(fetch, environment)
    }

    /// The user taps a link of the page to this path, with query and fragment.
    private mutating func follow(_ target: String, _ newName: String?, _ environment: Environment) {
        touched()
        navigate(environment.origin + target, .link, newName, bypass: false, environment)
    }

    /// Another address, and no request: `history.pushState`, and the way back from it.
    mutating func setAddress(_ url: String, ofDocument documentID: Int, _ environment: Environment) {
        let (address, fragment) = Document.parts(ofURL: url)
        change(documentID) { document in
            document.url = document.load.map { WebView.address(address, of: $0) } ?? address
            document.plainURL = address
            document.fragment = fragment
            document.route = String(url.dropFirst(environment.origin.count))
        }
        effects.append(.record(.note("the page has the address \(url) from now on")))
        effects.append(.host(.addressChanged(url: url)))
    }

    private mutating func close() {
        for connection in connections { effects.append(.close(connection.id)) }
        connections = []
        waiting.removeAll()
        incoming = nil
        for document in documents { cancelStartup(document.id) }
        dropAllCached()
        if let page = shownDocument { effects.append(.record(.pageClosed(id, load: page.load))) }
        effects.append(.host(.closed))
    }

    private func named(_ name: String?) -> Document? {
        guard let name else { return shownDocument }
        return documents.last { $0.name == name }
    }

    private mutating func call(_ method: BridgeCall, _ documentID: Int, _ text: String? = nil) {
        guard let page = document(documentID) else { return }
        var json = JSONWriter()
        json.beginObject()
        json.member("method", method.rawValue)
        if let text {
            json.key("params")
            json.beginObject()
            json.member("message", text)
            json.endObject()
        }
        // As the page's script does, because the document's address need not name its load.
        if let load = page.load { json.member("load", load.text) }
        json.endObject()
        effects.append(.record(.called(id, method, load: page.load)))
        effects.append(.host(.message(json.bytes, documentURL: page.plainURL)))
    }
}

extension PageAction {
    /// The text, filled with spaces up to a size: trailing white space does not change JSON.
    fileprivate static func filled(_ text: String, to size: Int?) -> String {
        let missing = (size ?? 0) - text.utf8.count
        return missing > 0 ? text + String(repeating: " ", count: missing) : text
    }

    /// Whether only the page in front can do it. A page that was left can still call methods and send
    /// requests.
    fileprivate var needsShownPage: Bool {
        switch self {
        case .reload, .reloadFromOrigin, .replaceLocation, .tapsLink, .submitsForm, .goesBack, .follows,
            .pushes, .closes, .dies, .opens:
            true
        case .calls, .sends, .asks, .embeds, .stores, .setsCookie: false
        }
    }

    /// Whether a link or a script of the page does it. An app has no buttons of a browser; its user goes back
    /// with the system's gesture or button.
    fileprivate var isOfPage: Bool {
        switch self {
        case .tapsLink, .submitsForm, .reload, .reloadFromOrigin, .replaceLocation, .follows, .pushes, .calls,
            .sends, .asks, .embeds, .stores, .setsCookie:
            true
        case .goesBack, .closes, .dies, .opens: false
        }
    }
}
