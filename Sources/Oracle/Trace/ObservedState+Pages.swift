import AppHost
import Backend
import Core
import LocalServer
import Updater

/// Page loads and starts, as events of pages and of the server show them.
extension ObservedState {
    /// Number of page loads that are kept; of a page that reloads again and again only the last ones matter.
    private static let loadLimit = 256

    private mutating func forgetOldLoads() {
        guard loads.count >= ObservedState.loadLimit else { return }
        let half = loads.count / 2
        loads = loads[..<half].filter { !$0.isClosed } + loads[half...]
    }

    mutating func observePage(_ event: TraceEvent) {
        switch event.kind {
        case .pageLoad(let view, let token, let key):
            forgetOldLoads()
            loads.append(
                LoadTrace(
                    token: token, view: view, version: key, process: event.process, begunAt: event.at))
            beginOrContinueStart(key, token, event)
        case .answered(let answer): observeAnswer(answer, event.at)
        case .committed(let view, let token, _):
            withoutPage.removeAll { $0 == view }
            if token == nil {
                withoutPage.append(view)
                for index in loads.indices where loads[index].view == view {
                    loads[index].setInFront(false, at: event.at)
                }
            }
            if let token {
                endAbortedLoads(in: view, before: token, event.at)
                // One that was left may be shown again, from the page cache.
                for index in loads.indices where loads[index].view == view && loads[index].token != token {
                    loads[index].setInFront(false, at: event.at)
                }
                changeLoad(token) {
                    $0.isCommitted = true
                    $0.setInFront(true, at: event.at)
                }
            }
        case .pageClosed(_, let token):
            if let token {
                changeLoad(token) {
                    $0.isClosed = true
                    $0.end(at: event.at)
                }
            }
        case .pageRequested(let request):
            if request.destination == .document, request.webView == .first {
                isRemoteDocument = isForwarded(request.path)
            }
            observeRequest(request, isEnded: false, event.at)
        case .pageReceived(let request, let answer):
            if answer.isWhole, answer.status == 200, let load = request.load {
                if request.destination == .document { changeLoad(load) { $0.hasDocument = true } }
                noteContent(request, answer, of: load)
            }
            observeRequest(request, isEnded: true, event.at)
        case .pageReady(let view):
            guard settings.confirmation == .loaded else { return }
            changeStart(inFrontOf: view) { $0.signalledAt = $0.signalledAt ?? event.at }
        case .called(let view, let method, let token):
            switch method {
            case .startupDidComplete:
                changeStart(of: token, view) {
                    $0.signalledAt = $0.signalledAt ?? event.at
                    $0.hasCalled = true
                }
            case .startupDidFail:
                changeStart(of: token, view) {
                    $0.hasReportedFailure = true
                    if !$0.hasSignalled { $0.hasFailedFirst = true }
                }
            case .switchToPendingVersion, .checkForUpdates, .onNewVersionReady, .onError, .holdOff, .release:
                break
            }
        // A page that fails before it can call the bridge has reported nothing.
        case .pageFailed: break
        case .touched(let view):
            changeStart(inFrontOf: view) { $0.touchedAt = $0.touchedAt ?? event.at }
        case .webProcessDied(let view):
            changeStart(inFrontOf: view) { $0.webProcessDeaths += 1 }
            for index in loads.indices where loads[index].view == view { loads[index].end(at: event.at) }
        default: break
        }
    }

    /// A view shows the document of this load: those that it was answered before and has not shown were
    /// aborted, by another reload for example.
    private mutating func endAbortedLoads(
        in view: WebViewID, before token: PageLoadToken, _ now: Instant
    ) {
        guard let shown = loads.lastIndex(where: { $0.token == token }) else { return }
        for index in loads[..<shown].indices
        where loads[index].view == view && !loads[index].isCommitted && !loads[index].isClosed {
            loads[index].isClosed = true
            loads[index].end(at: now)
        }
    }

    /// A page has sent a request, or it has ended. The page is loaded when its document has arrived and none
    /// of the requests for what it refers to is open. What a document or a style sheet refers to is requested
    /// right after it has arrived.
    private mutating func observeRequest(_ request: PageRequest, isEnded: Bool, _ now: Instant) {
        guard let token = request.load, !request.destination.isOfScript else { return }
        changeLoad(token) { [slept] load in
            if request.destination != .document {
                if isEnded {
                    load.openRequests.remove(request.path)
                } else {
                    load.openRequests.insert(request.path)
                }
            }
            if !isEnded {
                if load.loadedAt == now { load.loadedAt = nil }
            } else if load.hasDocument, load.openRequests.isEmpty {
                load.loaded(at: now, slept: slept)
            }
        }
    }

    private mutating func beginOrContinueStart(_ key: VersionKey, _ token: PageLoadToken, _ event: TraceEvent)
    {
        let index = starts.lastIndex { $0.key == key && $0.process == event.process }
        let last = starts.lastIndex { $0.process == event.process }
        let isOver = { (end: StartTrace.End?) in end != nil && end != .confirmed }
        // A page load of another version ends what was begun before it, whether it was confirmed or not.
        if let index, (index == last && !isOver(starts[index].end)) || postponedRescue == key.id {
            starts[index].loads.append(token)
            return
        }
        var start = StartTrace(key: key, process: event.process, at: event.at, load: token)
        // The event comes after the disk calls of the step that began the start.
        if let lastGoodAnswer, event.at - lastGoodAnswer <= .minutes(1) + diskDelay {
            start.isReachable = true
        }
        start.bootID = bootID
        starts.append(start)
    }

    private mutating func observeAnswer(_ answer: LocalServer.AccessLogEntry, _ now: Instant) {
        guard let token = answer.load, let index = loads.lastIndex(where: { $0.token == token }) else {
            return
        }
        loads[index].isAnswered = true
        let key = loads[index].version
        let start = starts.lastIndex { $0.key == key && $0.process == process }
        if let start, starts[start].servedAt == nil {
            starts[start].servedAt = now
            starts[start].countedAt = now
        }
    }

    private mutating func changeLoad(_ token: PageLoadToken, _ body: (inout LoadTrace) -> Void) {
        if let index = loads.lastIndex(where: { $0.token == token }) { body(&loads[index]) }
    }

    /// Narrows the versions that a page can be, by the bytes of its document and of what that refers to.
    private mutating func noteContent(_ request: PageRequest, _ answer: PageAnswer, of token: PageLoadToken) {
        guard !request.destination.isOfScript else { return }
        if answer.contentOf.isEmpty {
            // A manifest without hashes can't refuse what a captive portal sends instead of a file.
            guard !app.hasHashes, answer.status == 200 else { return }
            changeLoad(token) { $0.hasForeignBytes = true }
        } else {
            changeLoad(token) {
                $0.contentOf = $0.contentOf?.intersection(answer.contentOf) ?? answer.contentOf
            }
        }
        guard let load = load(token), let index = index(of: load.version) else { return }
        while shownContent.count <= index { shownContent.append(nil) }
        shownContent[index] = load.hasForeignBytes ? VersionMask() : load.contentOf
    }

    private mutating func changeStart(
        of token: PageLoadToken?, _ view: WebViewID, _ body: (inout StartTrace) -> Void
    ) {
        guard let token else { return changeStart(inFrontOf: view, body) }
        changeStart(of: token, body)
    }

    private mutating func changeStart(of token: PageLoadToken, _ body: (inout StartTrace) -> Void) {
        for index in starts.indices.reversed() {
            guard starts[index].process == process else { return }
            if starts[index].loads.lastIndex(of: token) != nil { return body(&starts[index]) }
        }
    }

    /// Changes the start whose document a web view shows.
    private mutating func changeStart(inFrontOf view: WebViewID, _ body: (inout StartTrace) -> Void) {
        guard !withoutPage.contains(view) else { return }
        let shown = loads.last { $0.view == view && $0.isInFront } ?? loads.last { $0.view == view }
        guard let shown else { return }
        changeStart(of: shown.token, body)
    }
}
