import AppHost
import Core
import ScenarioLanguage

/// The start-up of the version that a document's bytes are, and what pages do of themselves.
extension WebView {
    /// Everything is there, so that the bytes say which version this is. Times count from the commit of the
    /// document; what should have happened before happens now.
    mutating func filesAreThere(_ number: Int, _ world: Surroundings) {
        guard let page = document(number), !page.hasFailed else { return }
        if page.isMixed { return fail(number, "files of more than one version") }
        guard let behaviour = behaviour(number, world) else { return }
        if let place = page.versions.places.first, !startedHere.contains(place) {
            startedHere.insert(place)
            effects.append(.started(place: place))
        }
        let passed = world.now - page.committedAt
        func plan(_ moment: StartupMoment, _ after: TimeSpan) {
            effects.append(.setTimer(.startup(document: number, moment), after: max(.zero, after - passed)))
        }
        switch behaviour {
        case .normal:
            show(number)
            if world.callsWhenReady { confirm(number) } else { becomeReady(number) }
        case .hangs: break
        case .throwsError(.none): fail(number, "an error at load", isReported: false)
        case .throwsError(.some(let after)): plan(.fails, after)
        case .dies(_, let after): plan(.dies, after)
        case .staged(let usable, let confirms):
            plan(.usable, usable)
            if let confirms { plan(.confirms, confirms) }
        }
    }

    private func behaviour(_ number: Int, _ world: Surroundings) -> StartupBehaviour? {
        guard let place = document(number)?.versions.places.first else { return nil }
        let before = place < world.starts.count ? world.starts[place] : 0
        let start = startedHere.contains(place) ? max(before, 1) : before + 1
        return world.library.versions[place].startup.behaviour(ofStart: start, native: world.native)
    }

    mutating func timerFired(_ name: TimerName, _ world: Surroundings) {
        switch name {
        case .startup(let number, let moment):
            guard shown == number, !isDead, let page = document(number), !page.hasFailed else { return }
            switch moment {
            case .dies: dieByStartup(number, world)
            case .fails: fail(number, "an error while starting")
            case .usable: show(number)
            case .confirms: confirm(number)
            }
        }
    }

    private mutating func dieByStartup(_ number: Int, _ world: Surroundings) {
        guard case .dies(let part, _) = behaviour(number, world) else { return }
        switch part {
        case .process: effects.append(.appDies)
        case .page: die()
        }
    }

    private mutating func show(_ number: Int) {
        guard document(number)?.isShown == false else { return }
        change(number) { $0.isShown = true }
        effects.append(.fact(.contentShown(id)))
        effects.append(.host(.contentShown))
    }

    private mutating func confirm(_ number: Int) {
        change(number) { $0.hasConfirmed = true }
        call(.startupDidComplete, number)
        becomeReady(number)
    }

    private mutating func becomeReady(_ number: Int) {
        guard document(number)?.isReady == false else { return }
        change(number) { $0.isReady = true }
        effects.append(.fact(.pageReady(id)))
        call(.onNewVersionReady, number)
    }

    /// An error while the script loads comes before any handler is there: nobody reports it.
    mutating func fail(_ number: Int, _ why: String, isReported: Bool = true) {
        guard let page = document(number), !page.hasFailed else { return }
        change(number) { $0.hasFailed = true }
        effects.append(.fact(.pageFailed(id, why)))
        if page.isCommitted, isReported { call(.startupDidFail, number, why) }
    }

    mutating func cancelStartup(_ number: Int) {
        for moment in [StartupMoment.usable, .confirms, .fails, .dies] {
            effects.append(.cancelTimer(.startup(document: number, moment)))
        }
    }

    mutating func touched() {
        guard let page = shownDocument, page.isShown, !isDead else { return }
        guard !page.isTouched else { return }
        change(page.number) { $0.isTouched = true }
        effects.append(.fact(.touched(id)))
        effects.append(.host(.touched))
    }

    // MARK: What a page does when it is told to

    mutating func act(_ action: PageAction, _ name: String?, _ newName: String?, _ world: Surroundings) {
        guard let page = named(name) else {
            return effects.append(.fact(.actionDidNothing("no page \(name ?? "in front")")))
        }
        if action.needsShownPage, page.number != shown {
            return effects.append(.fact(.actionDidNothing("the page \(name ?? "") is not shown any more")))
        }
        switch action {
        case .reload: navigate(page.url, .reload, newName, bypass: false, world)
        case .reloadFromOrigin: navigate(page.url, .reload, newName, bypass: true, world)
        case .replaceLocation: navigate(page.url, .other, newName, bypass: false, world)
        case .tapsLink:
            touched()
            navigate(world.origin + "/", .link, newName, bypass: false, world)
        case .submitsForm: navigate(world.origin + "/", .form, newName, bypass: false, world)
        case .goesBack: navigate(page.url, .history, newName, bypass: false, world)
        case .closes: close()
        // The app's doing, not this web view's.
        case .opens: break
        case .calls(let method): call(method.value, page.number)
        case .sends(let said, let size):
            let text = PageAction.filled(said.value, to: size?.value)
            effects.append(.fact(.note("the page sends '\(text.prefix(200))'")))
            effects.append(.host(.message(Array(text.utf8), documentURL: page.url)))
        case .stores(let said):
            let key = said.value
            storage.removeAll { $0 == StoredItem(origin: world.origin, key: key) }
            storage.append(StoredItem(origin: world.origin, key: key))
            effects.append(.fact(.note("the page stores '\(key)' under \(world.origin)")))
        case .setsCookie(let said):
            let name = said.value
            cookies.removeAll { $0.name == name }
            cookies.append(Cookie(name: name, value: "1", isLasting: true))
            effects.append(.fact(.note("the page sets a cookie '\(name)'")))
        case .asks(let target):
            start(
                Fetch(
                    document: page.number, target: target.value, destination: .fetch, referer: page.url,
                    counts: false),
                world)
        }
    }

    private mutating func close() {
        for connection in connections { effects.append(.close(connection.number)) }
        connections = []
        waiting = []
        incoming = nil
        for document in documents { cancelStartup(document.number) }
        if let page = shownDocument { effects.append(.fact(.pageClosed(id, load: page.load))) }
        effects.append(.host(.closed))
    }

    private func named(_ name: String?) -> Document? {
        guard let name else { return shownDocument }
        return documents.last { $0.name == name }
    }

    private mutating func call(_ method: BridgeCall, _ number: Int, _ text: String? = nil) {
        guard let page = document(number) else { return }
        var json = JSONWriter()
        json.beginObject()
        json.member("method", method.rawValue)
        if let text {
            json.key("params")
            json.beginObject()
            json.member("message", text)
            json.endObject()
        }
        json.endObject()
        effects.append(.fact(.called(id, method, load: page.load)))
        effects.append(.host(.message(json.bytes, documentURL: page.url)))
    }
}

extension PageAction {
    /// White space behind JSON changes nothing of what it says.
    fileprivate static func filled(_ text: String, to size: Int?) -> String {
        let missing = (size ?? 0) - text.utf8.count
        return missing > 0 ? text + String(repeating: " ", count: missing) : text
    }

    /// A page that has been left can still call and ask, and nothing else.
    fileprivate var needsShownPage: Bool {
        switch self {
        case .reload, .reloadFromOrigin, .replaceLocation, .tapsLink, .submitsForm, .goesBack, .closes,
            .opens:
            true
        case .calls, .sends, .asks, .stores, .setsCookie: false
        }
    }
}
