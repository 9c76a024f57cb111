import Backend
import AppHost
import Core
import ScenarioLanguage
import Updater

extension World {
    /// Arms an action, which happens when its trigger fires. Earlier events do not count.
    package mutating func schedule(_ scheduled: TriggeredAction, device: Int = 0) {
        let index = armed.arm(scheduled, device: device, at: now)
        switch scheduled.trigger {
        case .at(let span): schedule(index, at: Instant.zero + span.value, device)
        case .delay(let span): schedule(index, at: now + span.value, device)
        case .when, .after: break
        }
    }

    private mutating func schedule(_ index: Int, at: Instant, _ device: Int) {
        kernel.schedule(
            WorldEvent(
                device: Int32(device), process: 0, cause: 0, what: .scheduled(index)), at: at)
    }

    /// Armed actions that can still happen.
    package var waitingActions: [TriggeredAction] { armed.waiting }

    mutating func performScheduled(_ index: Int) {
        guard let action = armed.take(index, at: now) else { return }
        act(action.scheduled.namedAction, step: action.scheduled.step, action.device)
    }

    /// Performs the actions that a trace event has made due.
    mutating func performDue() {
        for index in armed.indices {
            switch armed.due(index) {
            case .no: continue
            case .now: performScheduled(index)
            case .later: performLater(index)
            }
        }
    }

    /// Performs an action after all inputs that wait for the process.
    private mutating func performLater(_ index: Int) {
        let device = armed[index].device
        guard devices[device].isRunning, !devices[device].process.isSuspended else {
            return performScheduled(index)
        }
        armed.triggered(index, at: now)
        post(.input(.marker(index)), device)
    }

    // MARK: - Conditions

    /// Checks whether a trace event is what an armed action waits for.
    mutating func notice(_ kind: TraceEvent.Kind, _ device: Int) {
        for index in armed.indices {
            guard let condition = armed.condition(of: index, on: device), isMet(condition, by: kind, device)
            else { continue }
            armed.meet(index)
        }
    }

    private func isMet(_ condition: TriggerCondition, by kind: TraceEvent.Kind, _ device: Int) -> Bool {
        switch condition {
        case .asked(let subject, _):
            if case .requestSent(let request) = kind { return subject.fits(request.kind, library) }
        case .pending(let name):
            if case .status(let status) = kind { return isVersion(name.value, status.pending) }
        case .running(let name):
            if case .status(let status) = kind { return isVersion(name.value, status.current) }
        case .started(let name):
            if case .pageLoad(_, _, let key) = kind { return isVersion(name.value, key) }
        case .confirmed(let name):
            if case .log(let entry) = kind {
                return entry.cause == .startConfirmed && entry.version == id(name.value)
            }
            if case .called(let view, .startupDidComplete, _) = kind {
                return isShown(name.value, view, device)
            }
        case .notified(let text):
            if case .messageDelivered(_, let bytes) = kind { return isNotice(text.value, bytes) }
        case .progress(let percent):
            if case .screen = kind { return (devices[device].display.progress ?? -1) >= percent }
        case .stored, .fetched: return false
        }
        return false
    }

    /// Whether the message is of this method, and about the version or the cause after it, if one is named.
    private func isNotice(_ text: String, _ bytes: [UInt8]) -> Bool {
        do throws(JSONFault) {
            let root = try JSONReader.read(bytes, dialect: .strict)
            guard root["event"] != nil, let method = root["method"]?.string else { return false }
            let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) ?? text.endIndex
            guard text[..<space] == method else { return false }
            if space == text.endIndex { return true }
            let subject = String(text[text.utf8.index(after: space)...])
            let params = root["params"]
            return params?["version"]?.string == id(subject) || params?["cause"]?.string == subject
        } catch {
            return false
        }
    }

    private func id(_ name: String) -> String {
        library.index(ofVersion: name).map { library.versions[$0].id } ?? name
    }

    private func isVersion(_ name: String, _ key: VersionKey?) -> Bool {
        guard let key else { return false }
        return library.index(of: key).map { library.versions[$0].name == name } ?? (key.id == id(name))
    }

    private func isShown(_ name: String, _ id: WebViewID, _ device: Int) -> Bool {
        guard let index = library.index(ofVersion: name),
            let view = devices[device].process.webViews.first(where: { $0.id == id })
        else { return false }
        return view.view.view.versions.contains(index)
    }

    /// Bytes of a route's file have been delivered to the process: an action that waits for them follows at
    /// once.
    mutating func noticeStored(
        _ kind: OriginRequest.Kind, from: Int, to: Int, of size: Int, _ device: Int
    ) {
        for index in armed.indices {
            guard case .stored(let amount, let route)? = armed.condition(of: index, on: device),
                library.names(route.value, kind)
            else { continue }
            let wanted = amount.bytes(of: size)
            armed.noteStored(index, bytes: to, of: size)
            if from < wanted, to >= wanted { performBehindInbox(index, device) }
        }
    }

    mutating func noticeFetched(_ kind: OriginRequest.Kind, _ device: Int, isBefore: Bool) {
        for index in armed.indices {
            guard armed[index].isBefore == isBefore,
                case .fetched(let route)? = armed.condition(of: index, on: device),
                library.names(route.value, kind)
            else { continue }
            // For an external app the bytes are still queued.
            if isBefore, !devices[device].isAppExternal {
                performScheduled(index)
            } else {
                performBehindInbox(index, device)
            }
        }
    }

    /// The trigger has fired; its action follows the inputs that the app still has to handle.
    private mutating func performBehindInbox(_ index: Int, _ device: Int) {
        guard devices[device].isRunning else { return }
        armed.triggered(index, at: now)
        deliver(.marker(index), device)
    }
}
