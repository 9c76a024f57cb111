import Core
import LocalServer
import Updater

/// What the parts ask for, said in the words of the other part or of the outside.
extension AppHost {
    // MARK: The updater

    mutating func carryOut(_ effect: Updater.Effect) {
        switch effect {
        case .again: inbox.append(.updater(.again))
        case .setTimer(let name, let after): effects.append(.setTimer(.updater(name), after: after))
        case .cancelTimer(let name): effects.append(.cancelTimer(.updater(name)))
        case .fetch(let id, let request): effects.append(.fetch(id, request))
        case .cancelFetch(let id): effects.append(.cancelFetch(id))
        case .answerPageLoad(let token, let version): answerPageLoad(token, version)
        case .ready:
            setNative(nil)
            command(.first, hasLoaded ? .commanded : .processStart, link)
        case .reload(let reason):
            command(.first, reason == .webProcessDied ? .webProcessRestart : .commanded, target(for: reason))
        case .reloadOtherWebView(let token):
            guard let view = views.first(where: { $0.id == view(of: token) }), view.id != .first else {
                return
            }
            command(view.id, .otherWebView, view.place)
        case .screen(let wanted): setNative(native(wanted))
        case .notice(let notice): tell(notice)
        case .switchAnswered(let token, let answer): switchAnswered(token, answer)
        case .status(let status): effects.append(.status(status))
        case .log(let entry): effects.append(.log(entry))
        case .current(let version): inbox.append(.server(.current(version.map { site($0) })))
        case .retired(let key): sites.removeAll { $0.key == key }
        }
    }

    private func native(_ wanted: Updater.Screen) -> Screen? {
        switch wanted {
        case .none: nil
        case .loading(let progress): .loading(progress)
        case .offline: .offline
        case .recovery: .recovery
        }
    }

    private mutating func setNative(_ wanted: Screen?) {
        let had = nativeScreen != nil
        nativeScreen = wanted
        if wanted == nil, had { cover() } else { showScreen() }
    }

    private mutating func answerPageLoad(_ token: PageLoadToken, _ version: ServedVersion?) {
        guard let ask = asks.first(where: { $0.token == token }) else { return }
        asks.removeAll { $0.token == token }
        guard let version else {
            inbox.append(.server(.answerNavigation(ask.navigation, .unavailable)))
            return
        }
        if let place = views.firstIndex(where: { $0.id == ask.view }) { views[place].asked = token }
        effects.append(.pageLoad(ask.view, token, version.key))
        inbox.append(.server(.answerNavigation(ask.navigation, .page(token, site(version)))))
    }

    private mutating func site(_ version: ServedVersion) -> Site {
        if let known = sites.first(where: { $0.key == version.key }),
            known.site.files.count == version.files.count
        {
            return known.site
        }
        let files = version.files.map { file in
            SiteFile(
                route: file.route, path: file.path, size: file.size, tag: file.tag, type: file.type,
                isImmutable: file.isImmutable, sourceMap: file.sourceMap)
        }
        let site = Site(
            name: version.key.id + "#" + version.key.digest.hex, index: version.index, files: files)
        sites.removeAll { $0.key == version.key }
        sites.append(NamedSite(key: version.key, site: site))
        return site
    }

    /// An entry of the app's own; the updater's stand in its record.
    mutating func log(_ entry: LogEntry) {
        entries.append(entry)
        if entries.count > 100 { entries.removeFirst() }
        effects.append(.log(entry))
    }

    // MARK: The server

    mutating func carryOut(_ effect: LocalServer.Effect) {
        switch effect {
        case .send(let id, let output): effects.append(.send(id, output))
        case .close(let id): effects.append(.close(id))
        case .admitted(let id): effects.append(.admitted(id))
        case .hear(let id, let hearing): effects.append(.hear(id, hearing))
        case .upstream(let id, let call): effects.append(.upstream(id, call))
        case .setTimer(let name, let after): effects.append(.setTimer(.server(name), after: after))
        case .cancelTimer(let name): effects.append(.cancelTimer(.server(name)))
        case .navigationAsked(let navigation): asked(navigation)
        case .indexServed(let token): inbox.append(.updater(.page(token, .indexServed)))
        case .sending(let token, let isSending):
            inbox.append(.updater(.page(token, .sending(isSending))))
            report(.sending(isSending), of: token)
        case .seen(let token): report(.seen, of: token)
        case .bridge(let call, let token, let bytes): bridge(call, token, bytes)
        case .handlerAsked(let call, let request): effects.append(.handlerAsked(call, request))
        case .answered(let answer):
            if !answer.isRemote, answer.status == 403 || answer.status == 421 {
                log(LogEntry(.requestRefused, detail: "status=\(answer.status) \(answer.method)"))
            }
            effects.append(.answered(answer))
        case .readFailed(let name, let path, let error):
            log(LogEntry(.diskFailed, detail: "serving \(path.name.prefix(16)): \(error.code.rawValue)"))
            if let key = sites.first(where: { $0.site.name == name })?.key {
                inbox.append(.updater(.readFailed(key, path)))
            }
        }
    }

    private mutating func bridge(_ call: LocalServer.BridgeCall, _ token: PageLoadToken, _ bytes: [UInt8]) {
        report(.seen, of: token)
        message(bytes, Reply(view: view(of: token), token: token, call: call))
    }

    // MARK: Which load is it?

    /// The strongest evidence first: a token this host gave out; the document that asks; what a view said
    /// before.
    private mutating func asked(_ navigation: LocalServer.Navigation) {
        let ask: Ask
        let moment: Updater.Moment
        if let own = expected.first(where: { $0.token == navigation.token }) {
            expected.removeAll { $0.token == own.token }
            ask = Ask(token: own.token, navigation: navigation.id, view: own.view)
            moment = own.moment
            if own.view == .first { hasLoaded = true }
        } else {
            let view = viewOf(navigation)
            ask = Ask(token: newToken(), navigation: navigation.id, view: view)
            moment = self.moment(of: navigation, view)
        }
        if let place = views.firstIndex(where: { $0.id == ask.view }) {
            views[place].wish = nil
            views[place].place = navigation.target
        }
        // The cover stands before the old page goes (T4).
        if ask.view == .first { cover() }
        asks.append(ask)
        inbox.append(.updater(.pageLoadRequested(ask.token, moment)))
    }

    private func viewOf(_ navigation: LocalServer.Navigation) -> WebViewID {
        if let token = navigation.token, let view = views.first(where: { $0.load == token }) {
            return view.id
        }
        return views.first { $0.wish != nil }?.id ?? .first
    }

    private func moment(of navigation: LocalServer.Navigation, _ view: WebViewID) -> Updater.Moment {
        guard view == .first else { return .otherWebView }
        let wish = views.first { $0.id == view }?.wish
        let isOwnDocument = navigation.token != nil && navigation.token == views.first { $0.id == view }?.load
        let isReload = wish == .reload || (wish == nil && navigation.isReload && isOwnDocument)
        guard isReload, !isHeldOff else { return .navigation }
        return .reload
    }

    /// U6: the page may hold a switch off for at most 24 h.
    private var isHeldOff: Bool { heldOffSince.map { now - $0 < .hours(24) } ?? false }
}
