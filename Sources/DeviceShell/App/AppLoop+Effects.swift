import AppHost
import Core
import LocalServer
import Updater

/// What the loop does for the host.
extension AppLoop {
    func perform(_ effect: AppHost.Effect) {
        switch effect {
        case .again(let lane): enqueue(.again(lane))
        case .sync(let ticket, let target, let lane): beginSync(ticket, target, lane)
        case .setTimer(let name, let after): setTimer(name, at: clock.now + after)
        case .cancelTimer(let name): cancelTimer(name)
        case .fetch(let id, let request): fetch(id, request)
        case .cancelFetch(let id):
            origin.cancel(id)
            secureOrigin?.cancel(id)
            inbox.removeAll { if case .transfer(id, _) = $0 { true } else { false } }
        case .verifySignatures(let id, let request):
            let answer = verifier.map { request.answer(by: $0) } ?? .unavailable
            enqueue(.signaturesVerified(id, answer))
        case .listen(let port): listen(port)
        case .stopListening: stopListening()
        case .send(let id, let output): beginSending(id, output)
        case .close(let id): close(id)
        case .authenticated(let id): authenticated(id)
        case .setReadInterest(let id, let interest): setReadInterest(id, interest)
        case .upstream(let id, let call): callUpstream(id, call)
        case .load, .message, .pageReturned, .nativeMethodCalled, .handlerRequested, .pageTraffic, .screen,
            .status, .log,
            .pageLoad, .answered, .report, .openLink, .environmentSwitched:
            onEffect(effect)
        }
    }

    /// Begins a sync, whose result comes through ``eventInbox``. One that can't begin has failed.
    private func beginSync(_ ticket: SyncTicket, _ target: SyncTarget, _ lane: WorkLane) {
        do throws(DiskError) {
            try syncs.submit(ticket, disk.pendingSync(of: target), lane)
            syncsInFlight += 1
        } catch {
            enqueue(.synced(ticket, error))
        }
    }

    private func setTimer(_ name: AppHost.TimerName, at deadline: Instant) {
        switch AppHost.Event.timer(name).lane {
        case .urgent: timers.set(name, at: deadline)
        case .background:
            cancelTimer(name)
            backgroundTimers.set(name, at: deadline)
        }
    }

    private func cancelTimer(_ name: AppHost.TimerName) {
        let event = AppHost.Event.timer(name)
        switch event.lane {
        case .urgent: timers.cancel(name)
        case .background:
            backgroundTimers.cancel(name)
            // It may be due and wait already.
            inbox.removeAll { $0 == event }
        }
    }

    private func callUpstream(_ id: UpstreamID, _ call: UpstreamCommand) {
        guard let secureUpstream else { return upstream.call(id, call) }
        switch call {
        case .open(let root) where root.isSecure: secureUpstream.call(id, call, eventInbox)
        case .open: upstream.call(id, call)
        case .send, .receive, .finish, .close:
            // The one that has not opened the connection ignores the call.
            upstream.call(id, call)
            secureUpstream.call(id, call, eventInbox)
        }
    }

    private func fetch(_ id: TransferID, _ request: OriginRequest) {
        if let secureOrigin, OriginAddress(request.url)?.isSecure == true {
            secureOrigin.fetch(id, request, eventInbox)
        } else {
            origin.begin(id, request)
        }
    }
}
