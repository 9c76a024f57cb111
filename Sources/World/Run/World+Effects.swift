import AppHost
import Core
import LocalServer
import ScenarioLanguage
import Updater

extension World {
    /// Carries out the app's effects in order. Stops if one of them ended the process. The syncs among them
    /// begin together.
    mutating func carryOut(_ effects: [AppHost.Effect], _ device: Int) {
        let process = devices[device].process.ordinal
        for effect in effects {
            guard devices[device].process.ordinal == process else { return }
            carryOut(effect, device)
        }
        beginSyncs(device)
    }

    /// Queues the rest of a step's work among what waits already, as a shell does: an event of its own would
    /// come after the next input of the background lane (S9).
    private mutating func handleAgain(_ lane: WorkLane, _ device: Int) {
        devices[device].process.inbox.add(.again(lane))
        setWake(device)
    }

    private mutating func carryOut(_ effect: AppHost.Effect, _ device: Int) {
        history.noteEffect(effect, at: now, device)
        switch effect {
        case .again(let lane): handleAgain(lane, device)
        case .sync(let ticket, let target, let lane): submitSync(ticket, target, lane, device)
        case .setTimer(let name, let after): setTimer(name, after, device)
        case .cancelTimer(let name): cancelTimer(name, device)
        case .fetch(let id, let request): fetch(id, request, device)
        case .cancelFetch(let id): cancelFetch(id, device)
        case .verifySignatures(let id, let request):
            post(.input(.signaturesVerified(id, request.answer(by: StandInSignatures()))), device)
        case .listen(let port): listen(port, device)
        case .stopListening: stopListening(device)
        case .send(let id, let output):
            if let delay = devices[device].process.waits.answered(id) { noteDelay(delay, device) }
            send(id, output, device)
        case .close(let id):
            _ = devices[device].process.waits.answered(id)
            closeFromServer(id, device)
        // Chunks have at most 64 KiB and pages send little; there are no unauthenticated clients.
        case .setReadInterest, .authenticated: break
        case .upstream(let id, let call): upstream(id, call, device)
        case .load(let id, let url): load(id, url, device)
        case .message(let id, let token, let bytes):
            postFromOutside(.page(id, .hostMessage(token, bytes)), device, after: World.loopbackDelay)
        case .screen(let screen): show(screen, device)
        case .status(let status):
            devices[device].display.status = status
            record(.status(status), device)
        case .log(let entry): record(.log(entry), device)
        case .pageLoad(let id, let token, let key):
            devices[device].pages.note(token, key)
            record(.pageLoad(id, token, key), device)
        case .answered(let answer): record(.answered(answer), device)
        case .report(let text): record(.report(text), device)
        case .pageReturned(let id, let result): pageReturned(id, result, device)
        case .openLink(let id, let url):
            let origin = devices[device].pages.origin
            let isOwn = url.hasPrefix(origin + "/")
            record(.linkTaken(isOwn ? String(url.dropFirst(origin.count)) : url), device)
            deliverToWebView(id, .linkTaken(url: url), device)
        case .nativeMethodCalled(let call):
            let answer = NativeMethodAnswer(to: call.params)
            post(.input(.nativeAnswer(call.call, answer.result)), device, after: answer.delay)
        case .environmentSwitched(let environment): keep(environment, device)
        case .handlerRequested, .pageTraffic: break
        }
    }

    /// The app keeps the channel that its page has chosen: its next process has it too. The API answers at
    /// any address.
    private mutating func keep(_ environment: AppHost.Environment, _ device: Int) {
        guard environment.channel != devices[device].settings.channel else { return }
        var change = SettingsSpec()
        change.channel = Spanned(environment.channel)
        change.apply(to: &devices[device].settings)
        record(.settingsChanged(change, byPage: true), device)
    }

    private mutating func setTimer(_ name: AppHost.TimerName, _ after: TimeSpan, _ device: Int) {
        let process = devices[device].process.ordinal
        guard process != 0 else { return }
        let ticket = kernel.schedule(
            WorldEvent(
                device: Int32(device), process: Int32(process), cause: causality.last, what: .timer(name)),
            at: firing(of: now + after))
        if let old = devices[device].process.timers.set(name, ticket) { kernel.cancel(old) }
        devices[device].process.inbox.remove { $0 == .timer(name) }
    }

    /// When a timer fires that is due at this instant: a fault makes timers fire late and together.
    private mutating func firing(of due: Instant) -> Instant {
        var latest = due
        for active in faults.active {
            guard case .lateTimers(let span) = active.fault.kind, span > .zero else { continue }
            history.deviceFaultApplied(active.id)
            let periods = (due.microseconds + span.microseconds - 1) / span.microseconds
            latest = max(latest, .zero + span * periods)
        }
        return latest
    }

    private mutating func cancelTimer(_ name: AppHost.TimerName, _ device: Int) {
        if let old = devices[device].process.timers.remove(name) { kernel.cancel(old) }
        devices[device].process.inbox.remove { $0 == .timer(name) }
    }

    private mutating func show(_ screen: AppHost.Screen, _ device: Int) {
        devices[device].display.show(screen)
        if case .loading(let progress?) = screen, let bytes = progress.bytes, bytes > 0 {
            devices[device].display.show(progress: progress.bytesDone * 100 / bytes)
        }
        record(.screen(screen), device)
    }
}
