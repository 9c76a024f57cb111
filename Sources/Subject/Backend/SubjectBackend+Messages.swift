import AppHost
import Backend
import Core
import ScenarioLanguage
import Updater
import World

/// What the subject says, as effects in the world; and what happens to the app, as commands.
extension SubjectBackend {
    // MARK: - From the subject

    func handle(_ message: SubjectMessage, answered command: SubjectCommand?) {
        switch message {
        case .subject: break
        case .unknown(let kind): note(ProtocolWord.unknownMessage(kind))
        case .answer(let answer):
            if case .rest? = command {
                ownClock?.answered(answer)
                rest.answered()
            }
            if case .get(let connection, _, _)? = command {
                answerPage(connection, answer)
            } else if !answer.isOK, let command {
                note("the subject can't do '\(command.name)'" + (answer.why.map { ": \($0)" } ?? ""))
            }
        case .listening(let start):
            announced = Announcement(start: start)
            checkAnnouncement()
        case .load(let view, let url): load(view, url)
        case .status(let told):
            status.update(told)
            world.performExternalEffect(.status(updaterStatus))
        case .told(let telling): note(SubjectBackend.text(telling))
        case .message(let view, let json):
            // The page of a foreign app has no load of ours; its own script reads what it is told.
            note("message for view \(view): \(String(decoding: json.prefix(200), as: UTF8.self))")
        case .screen(let screen): world.performExternalEffect(.screen(SubjectBackend.screen(screen)))
        }
    }

    private func answerPage(_ connection: Int, _ answer: SubjectAnswer) {
        do throws(ProtocolFault) {
            try pageServer?.answer(connection, answer, folders: [folder.state, folder.package])
        } catch {
            refuse(error)
        }
    }

    /// Begins once the subject itself listens at its port, or the laboratory does for it.
    func checkAnnouncement() {
        guard let announcement = announced, let process else { return }
        switch pageServer == nil ? process.owner(of: subjectPort) : .expected {
        case .nobody: return
        case .other:
            announced = nil
            return end("another process listens at the port that it was given, \(subjectPort)")
        case .expected, .unknown: announced = nil
        }
        isListening = true
        startEnded()
        world.performExternalEffect(.listen(port: subjectPort))
        guard let start = announcement.start else { return }
        if world.view().isInForeground { load(0, start) } else { firstPage = start }
    }

    /// Navigates a web view to a path on the subject's server. The world knows the server by the name that
    /// pages have for it.
    func load(_ view: Int, _ path: String) {
        firstPage = nil
        world.performExternalEffect(
            .load(WebViewID(view + WebViewID.first.rawValue), url: "http://localhost:\(subjectPort)" + path))
    }

    private func note(_ text: String) { world.note(text) }

    private static func text(_ telling: SubjectMessage.Telling) -> String {
        var text = "the subject tells: \(telling.what.rawValue)"
        if let version = telling.version { text += " \(version)" }
        if let cause = telling.cause { text += " (\(cause))" }
        if let said = telling.text { text += ": \(said)" }
        return text
    }

    private static func screen(_ screen: SubjectScreen) -> AppHost.Screen {
        switch screen {
        case .cover: .cover
        case .loading: .loading(nil)
        case .offline: .offline
        case .recovery: .recovery
        case .page: .page
        }
    }

    /// What was told, with the keys that the setup's versions have.
    private var updaterStatus: UpdaterStatus {
        var told = UpdaterStatus()
        told.current = key(status.current)
        told.pending = key(status.pending)
        told.good = (status.good ?? []).map(key(ofID:))
        told.lastKnownGood = told.good.last
        told.blacklist = (status.blacklist ?? []).map(key(ofID:))
        told.parked = (status.parked ?? []).map(key(ofID:))
        return told
    }

    private func key(_ told: SubjectStatus.Told?) -> VersionKey? {
        switch told {
        case .id(let id): key(ofID: id)
        case .none?, nil: nil
        }
    }

    private func key(ofID id: String) -> VersionKey {
        world.library.keys.first { $0.id == id } ?? VersionKey(id: id, digest: SHA256.hash(of: []))
    }

    // MARK: - To the subject

    /// Passes an event of the app's surroundings on. What only our own app knows falls away.
    func pass(_ event: AppHost.Event) {
        switch event {
        case .foreground:
            send(.front(true))
            if isListening, let firstPage { load(0, firstPage) }
        case .background: send(.front(false))
        case .active: send(.active(true))
        case .inactive: send(.active(false))
        case .push: send(.push)
        case .check: send(.check)
        case .network(let state): send(.network(SubjectBackend.name(of: state)))
        case .user(let intent):
            switch intent {
            case .retry, .lookForUpdate: send(.user(presses: "retry"))
            case .tryAgain: send(.user(presses: "tryAgain"))
            case .sendReport: send(.user(presses: "report"))
            }
        case .webView(let id, let event): pass(event, from: id.rawValue - WebViewID.first.rawValue)
        case .openLink(let url): load(0, url)
        case .launched, .again, .synced, .timer, .transfer, .signaturesVerified, .listener, .connection,
            .upstream, .suspended, .resumed, .frozen, .settings, .callPage, .nativeMethodReturned, .delivered,
            .handlerAnswer, .routes:
            break
        }
    }

    private func pass(_ event: AppHost.WebViewEvent, from view: Int) {
        func page(_ what: String, _ url: String? = nil, how: String? = nil) {
            send(.page(view: view, what, url: url.map(path), how: how))
        }
        switch event {
        case .navigating(let kind, let url): page("navigating", url, how: SubjectBackend.name(of: kind))
        case .committed(let url), .committedKeepingPrevious(let url): page("committed", url)
        case .contentShown: page("shown")
        case .loaded: page("loaded")
        case .webProcessDied: page("died")
        case .closed: page("closed")
        case .message(let bytes, let url):
            do throws(JSONFault) {
                let message = try JSONReader.read(bytes, dialect: .strict)
                if message["method"]?.string != nil { send(.call(view: view, url: path(url), message)) }
            } catch {
                note("the page's message is no JSON, and is not passed on")
            }
        case .documentGone, .addressChanged, .touched: break
        }
    }

    private static func name(of kind: AppHost.NavigationKind) -> String {
        (kind == .unknown ? .other : kind).rawValue
    }

    /// Path and query of a URL on the local server.
    private func path(_ url: String) -> String {
        let root = "http://localhost:\(subjectPort)"
        let path = url.hasPrefix(root) ? String(url.dropFirst(root.count)) : url
        return path.isEmpty ? "/" : path
    }

    private static func name(of state: NetworkState) -> String {
        switch state {
        case .online: "online"
        case .offline: "offline"
        case .metered: "metered"
        }
    }
}
