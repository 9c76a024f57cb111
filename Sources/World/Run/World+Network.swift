import Backend
import AppHost
import Core
import HTTP1
import ScenarioLanguage
import Updater

/// Requests to the origin, from the effect to the last byte.
extension World {
    mutating func fetch(_ id: TransferID, _ request: OriginRequest, _ device: Int) {
        let edge = setup.origin.ownEdge(of: request.url) ?? devices[device].network.edge
        record(
            .requestSent(
                RequestEvent(
                    transfer: id, kind: request.kind, url: request.url, version: request.version, edge: edge,
                    from: RequestPlan.firstByte(of: request), ifRange: request.fields["If-Range"],
                    isConditional: request.fields.contains("If-None-Match"),
                    asker: request.kind == .manifest ? .init { request.fields[$0] } : nil)), device)
        if request.kind == .outcomes { record(.outcomes(request.body), device) }
        // An action triggered by this request has happened by now; it may have ended the process, or made the
        // app cancel the request.
        devices[device].network.beginning.append(id)
        performDue()
        guard devices[device].isRunning, devices[device].network.takeBeginning(id) else { return }
        let plan = plan(
            under: faults.apply(to: request, edge: setup.origin.edges[edge], library), device)
        let next = devices[device].network.link.begin(
            id, request, edge: edge, plan,
            connectTimeout: devices[device].settings.connectTimeout, isOffline: isOffline(device))
        devices[device].network.link.note(id, traceEvent: causality.last)
        postFromOutside(.link(id, next.0), device, after: next.after)
    }

    /// What happens to a request under faults, which are recorded as applied.
    mutating func plan(under faults: [ActiveFault], _ device: Int) -> RequestPlan {
        for active in faults { record(.faultApplied(active.id), device) }
        return RequestPlan(faults.map(\.fault.kind))
    }

    func isOffline(_ device: Int) -> Bool { devices[device].network.state == .offline }

    mutating func cancelFetch(_ id: TransferID, _ device: Int) {
        devices[device].process.held.forget(id)
        devices[device].process.inbox.remove { input in
            if case .transfer(id, _) = input { return true }
            return false
        }
        if devices[device].network.takeBeginning(id) {
            return record(.transferCancelled(id, bytes: 0), device)
        }
        guard let transfer = devices[device].network.link.end(id, keepsConnection: false) else { return }
        cancelStages(id, device)
        record(.transferCancelled(id, bytes: transfer.arrived), device)
    }

    /// Cancels the stages of a transfer, but for bytes in flight, which occupy the link.
    private mutating func cancelStages(_ id: TransferID, _ device: Int) {
        kernel.cancelAll { event in
            guard event.device == Int32(device), case .link(id, let stage) = event.what else { return false }
            if case .bytes = stage { return false }
            return true
        }
    }

    /// A stage of a transfer is due.
    mutating func advanceTransfer(_ id: TransferID, _ stage: Link.Stage, _ device: Int) {
        if let cause = devices[device].network.link.lastTraceEvent(of: id), cause != 0 {
            causality.begin(cause)
        }
        switch stage {
        case .atOrigin: requestReachedOrigin(id, device)
        case .head: headArrives(id, device)
        case .bytes(let count): bytesArrive(id, count, device)
        case .fails(let failure): fail(id, failure, device)
        }
    }

    private mutating func requestReachedOrigin(_ id: TransferID, _ device: Int) {
        guard let transfer = devices[device].network.link.transfer(id) else { return }
        let plan = transfer.plan
        let edge = origin.edges[transfer.edge]
        var offer = plan.isStale ? edge.previous : edge.offer(answering: transfer.request)
        var age: TimeSpan?
        if let kept = setup.origin.age(ofEdge: transfer.edge), transfer.request.kind != .outcomes {
            let content = edgeCache.content(
                of: transfer.request, edge: transfer.edge, age: kept, at: now, fresh: offer)
            offer = content.offer
            age = now - content.since
        }
        var answers = OriginResponder(
            library: library, offer: offer, now: originTime + (.zero - (age ?? .zero)),
            servesIndexForUnknown: plan.servesIndexForUnknown)
        answers.isTargeting = !edge.targeted.isEmpty
        var answer = expired(transfer.request, device) ?? answers.answer(transfer.request)
        if let age { answer.set("Age", String(age.microseconds / 1_000_000)) }
        if !plan.alterations.isEmpty {
            let noise = choices.draw(.corruption, named: transfer.request.url)
            answer = plan.altered(answer, transfer.request, library, noise: noise)
        }
        guard let next = devices[device].network.link.answered(id, answer) else { return }
        postFromOutside(.link(id, next.0), device, after: next.after)
    }

    /// The origin's refusal of a file whose URL has expired; nil: it has not, or the origin's URLs don't.
    private mutating func expired(_ request: OriginRequest, _ device: Int) -> OriginAnswer? {
        guard let expiry = setup.origin.urlsExpire else { return nil }
        switch request.kind {
        case .manifest:
            urlExpiries.manifestGiven(to: device, at: now, publications: origin.publications)
            return nil
        case .outcomes: return nil
        case .file:
            let status = urlExpiries.refusal(
                expiry, to: device, at: now, publications: origin.publications)
            guard let status else { return nil }
            var answer = OriginAnswer(status: status)
            answer.set("Date", HTTPDate.text(originTime))
            answer.set("Content-Length", "0")
            return answer
        }
    }

    private mutating func headArrives(_ id: TransferID, _ device: Int) {
        guard let transfer = devices[device].network.link.transfer(id), let answer = transfer.answer else {
            return
        }
        // The device's HTTP parser reports no head whose body it could not delimit (RFC 9112 §6.3). Only a
        // fault makes such a head.
        guard transfer.plan.alterations.isEmpty || answer.hasReadableFraming else {
            return fail(id, .reset, device)
        }
        let note = answer.note(at: originTime)
        record(.answerHead(id, status: answer.status, offered: answer.offered, note), device)
        devices[device].network.link.note(id, traceEvent: causality.last)
        arrive(.transfer(id, .head(status: answer.status, fields: answer.fields)), device)
        if let end = devices[device].network.link.startBody(id) { finish(id, end, device) }
        serve(device)
    }

    /// Leaves out the turns of a transfer whose reader is behind, or gives it turns again.
    package mutating func pauseTransfer(_ id: TransferID, _ isPaused: Bool, of device: Int = 0) {
        devices[device].network.link.pause(id, isPaused)
        if !isPaused { serve(device) }
    }

    /// Gives the link to the next transfer.
    private mutating func serve(_ device: Int) {
        guard let (id, bytes, after) = devices[device].network.link.serve(stops: stops(device)) else {
            return
        }
        post(.link(id, .bytes(bytes)), device, after: after)
    }

    /// Offsets in bodies at which a turn must end, because a trigger waits for this number of bytes.
    private func stops(_ device: Int) -> [(TransferID, Int)] {
        var found: [(TransferID, Int)] = []
        for index in armed.indices {
            guard let condition = armed.condition(of: index, on: device),
                case .stored(let amount, let route) = condition
            else {
                continue
            }
            for transfer in devices[device].network.link.transfers
            where library.names(route.value, transfer.request.kind) {
                let from = firstStored(transfer)
                let wanted = amount.bytes(of: wholeSize(transfer)) - from
                if wanted > transfer.arrived { found.append((transfer.id, wanted)) }
            }
        }
        return found
    }

    /// Offset in the file at which the body begins.
    private func firstStored(_ transfer: Link.Transfer) -> Int {
        guard let answer = transfer.answer, answer.status == 206 else { return 0 }
        return answer.field("Content-Range").flatMap { ContentRange($0) }?.range?.first ?? 0
    }

    private func wholeSize(_ transfer: Link.Transfer) -> Int {
        guard let answer = transfer.answer else { return 0 }
        if answer.status == 206, let size = answer.field("Content-Range").flatMap({ ContentRange($0) })?.size
        {
            return size
        }
        return answer.body.count
    }

    private mutating func bytesArrive(_ id: TransferID, _ count: Int, _ device: Int) {
        let previous = devices[device].network.link.transfer(id)
        let (bytes, end) = devices[device].network.link.take(id, count)
        if let previous, !bytes.isEmpty {
            arrive(.transfer(id, .bytes(bytes)), device)
            if !armed.isEmpty {
                let from = firstStored(previous) + previous.arrived
                noticeStored(
                    previous.request.kind, from: from, to: from + count, of: wholeSize(previous), device)
            }
            if let end { finish(id, end, device) }
        }
        serve(device)
    }

    /// The last byte that the origin sends has arrived.
    private mutating func finish(_ id: TransferID, _ end: BodyEnd, _ device: Int) {
        guard let transfer = devices[device].network.link.transfer(id) else { return }
        switch end {
        case .stall: return
        case .whole:
            let isWhole = transfer.plan.end == .whole
            devices[device].network.link.end(id, keepsConnection: isWhole)
            // The end of the connection may look like the end of a body that was cut off.
            let content = isWhole ? transfer.answer?.contentOf : nil
            record(
                .transferEnded(id, bytes: transfer.arrived, contentOf: content ?? VersionMask()), device)
            noticeFetched(transfer.request.kind, device, isBefore: true)
            arrive(.transfer(id, .end), device)
            noticeFetched(transfer.request.kind, device, isBefore: false)
        case .reset: fail(id, .reset, device)
        case .truncate: fail(id, .truncated, device)
        }
    }

    mutating func fail(_ id: TransferID, _ failure: TransferFailure, _ device: Int) {
        guard let transfer = devices[device].network.link.end(id, keepsConnection: false) else { return }
        cancelStages(id, device)
        record(.transferFailed(id, failure, bytes: transfer.arrived), device)
        arrive(.transfer(id, .failed(failure)), device)
    }

    // MARK: - The device's network as a whole

    mutating func setNetwork(_ state: NetworkState, _ device: Int) {
        guard devices[device].network.state != state else { return }
        devices[device].network.state = state
        record(.networkChanged(state), device)
        if state == .offline { cutTransfers(.offline, device) }
        arrive(.network(state), device)
    }

    /// Ends all running transfers with a failure.
    mutating func cutTransfers(_ failure: TransferFailure, _ device: Int) {
        let cut = dropTransfers(device)
        for transfer in cut {
            record(.transferFailed(transfer.id, failure, bytes: transfer.arrived), device)
            arrive(.transfer(transfer.id, .failed(failure)), device)
        }
    }

    /// Removes all transfers from the link without notifying the app. A request that has not begun there is
    /// not among them: it meets the network as it is when its triggered actions are done (``fetch(_:_:_:)``).
    @discardableResult
    mutating func dropTransfers(_ device: Int) -> [Link.Transfer] {
        kernel.cancelAll { event in
            guard event.device == Int32(device), case .link = event.what else { return false }
            return true
        }
        return devices[device].network.link.dropAll()
    }
}
