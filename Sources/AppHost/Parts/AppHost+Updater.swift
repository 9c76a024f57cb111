import Core
import LocalServer
import Updater

/// The updater's effects: as events for the server, or as effects of the host.
extension AppHost {
    mutating func perform(_ effect: Updater.Effect) {
        switch effect {
        case .again(.urgent): partEvents.append(.updater(.again(.urgent)))
        case .again(.background): effects.append(.again(.background))
        case .sync(let ticket, let target, let lane): effects.append(.sync(ticket, target, lane))
        case .setTimer(let name, let after): setTimer(.updater(name), after)
        case .cancelTimer(let name): cancelTimer(.updater(name))
        case .fetch(let id, let request): effects.append(.fetch(id, request))
        case .cancelFetch(let id): effects.append(.cancelFetch(id))
        case .verifySignatures(let id, let request): effects.append(.verifySignatures(id, request))
        case .answerPageLoad(let token, let version): answerPageLoad(token, version)
        case .ready:
            setNativeScreen(nil)
            load(.first, loads.hasLoadedPage ? .commanded : .processStart, pendingLink)
        case .reload(let reason):
            load(.first, reason == .webProcessDied ? .webProcessRestart : .commanded, target(for: reason))
        case .reloadOtherWebView(let token):
            let id = webViews.view(of: token)
            guard let view = webViews[id], id != .first else { return }
            load(id, .otherWebView, view.target)
        case .screen(.recoveryUntilContent): setNativeScreenUntilContent(.recovery)
        case .screen(let screen): setNativeScreen(native(screen))
        case .notice(let notice): send(notice)
        case .switchAnswered(let token, let answer): switchAnswered(token, answer)
        case .status(let status): effects.append(.status(status))
        case .log(let entry): effects.append(.log(entry))
        case .current(let version):
            let site = version.map { sites.site(of: $0) }
            partEvents.append(.server(.current(site)))
        case .retired(let key): sites.remove(key)
        }
    }

    mutating func setTimer(_ name: TimerName, _ span: TimeSpan) {
        partEvents.remove(name)
        effects.append(.setTimer(name, after: span))
    }

    mutating func cancelTimer(_ name: TimerName) {
        partEvents.remove(name)
        effects.append(.cancelTimer(name))
    }

    private func native(_ screen: Updater.Screen) -> Screen? {
        switch screen {
        case .none: nil
        case .loading(let progress): .loading(progress)
        case .offline: .offline
        case .noSpace: .noSpace
        case .recovery, .recoveryUntilContent: .recovery
        }
    }

    private mutating func answerPageLoad(_ token: PageLoadToken, _ version: ServedVersion?) {
        guard let navigation = loads.takeNavigation(token) else { return }
        guard let version else {
            webViews.answerWithError(in: navigation.view)
            partEvents.append(.server(.navigationAnswer(navigation.id, .unavailable)))
            return
        }
        for dropped in webViews.answer(token, with: version.key, in: navigation.view) { end(dropped) }
        effects.append(.pageLoad(navigation.view, token, version.key))
        let site = sites.site(of: version)
        partEvents.append(.server(.navigationAnswer(navigation.id, .page(token, site))))
    }
}
