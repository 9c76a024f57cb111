import AppHost
import Backend
import Core
import LocalServer
import Oracle
import ScenarioLanguage
import Updater

/// Describes trace events as text, for timelines and failures.
package struct TraceEventFormatter {
    package let names: VersionNames
    package let edges: [String]
    /// Causes of events that don't have one themselves.
    package var causes = Causes()
    /// Text of each fault in the scenario, by the fault's name in the world.
    package var faults: [(name: String, text: String)] = []
    /// Names of devices if there are several; else empty.
    package var devices: [String] = []

    /// Nil for an event that reports don't show.
    package func entry(_ event: TraceEvent, step: Int?) -> TimelineEntry? {
        guard var text = text(event.kind) else { return nil }
        if devices.indices.contains(event.device) { text = "\(devices[event.device]): \(text)" }
        var entry = TimelineEntry(
            ordinal: event.ordinal, at: event.at, lane: TraceEventFormatter.lane(event.lane), text: text,
            step: step,
            cause: event.cause ?? causes[event.ordinal])
        if case .faultApplied(let fault) = event.kind { entry.fault = faultText(fault) }
        return entry
    }

    /// `fault: { reset: "after 60%" }, path: "/app.js"`, where the step is known.
    private func faultText(_ fault: String) -> String { faults.first { $0.name == fault }?.text ?? fault }

    package static func lane(_ lane: TraceEvent.Lane) -> TimelineLane {
        switch lane {
        case .lab: .lab
        case .origin: .origin
        case .network: .network
        case .disk: .disk
        case .updater: .updater
        case .server: .server
        case .page: .page
        case .user: .user
        case .device: .device
        }
    }

    private func text(_ kind: TraceEvent.Kind) -> String? {
        switch kind {
        case .note(let text): text
        case .actionDidNothing(let text): "nothing happens: \(text)"
        case .raced(let event): "in its turn: \(event.rawValue)"
        case .raceGivenUp: "the order of this race did not come about; it was given up"
        case .deployed, .deployedFor, .recalled, .unblocked, .routed, .faultBegan, .faultApplied,
            .faultHealed,
            .networkChanged, .requestSent, .answerHead, .transferEnded, .transferFailed,
            .transferCancelled, .outcomes:
            wire(kind)
        case .installed, .launched, .processEnded, .processFailed, .foregrounded, .backgrounded, .activated,
            .deactivated,
            .suspended, .resumed, .powerCut, .pushed, .checkRequested, .settingsChanged, .damaged,
            .boundExceeded, .answerDelayed,
            .callsOnStoppedDisk:
            device(kind)
        case .status(let status): self.status(status)
        case .log(let entry): log(entry)
        case .screen(let screen): "screen: " + TraceEventFormatter.shown(screen)
        case .report: "the error report is made"
        case .listening(let isOn): isOn ? "listens" : "stops listening"
        case .forwarded(let request): "forwards \(request.method) \(request.target)"
        case .clientAnswered(let request, let status, _):
            "\(request.kind.rawValue) gets \(request.target): "
                + (status == 0 ? "the end of its connection" : "\(status)")
        case .answered, .pageLoad, .navigation, .pageRequested, .pageReceived, .committed, .contentShown,
            .pageReady,
            .pageFailed, .called, .messageDelivered, .nativeAsked, .nativeAnswered,
            .linkTaken, .touched, .webProcessDied, .pageClosed, .whiteBegan,
            .whiteEnded, .userDid:
            page(kind)
        }
    }

    // MARK: - Origin and network

    private func wire(_ kind: TraceEvent.Kind) -> String? {
        switch kind {
        case .deployed(let version, let edgeIndices, let parts, let command, let serial, _):
            deployed(version, edgeIndices, parts, command, serial)
        case .deployedFor(let audience, let version, _, let serial):
            "deploys \(version) for \(TraceEventFormatter.shown(audience)) (serial \(serial))"
        case .recalled(let ids): "recalls " + list(ids)
        case .unblocked(let ids): "unblocks " + list(ids)
        case .routed(let edge): "the device now reaches edge \(edgeName(edge))"
        case .faultBegan(let text, _, _, _, _): "fault begins: \(faultText(text))"
        case .faultApplied: "a fault strikes"
        case .faultHealed(let text): "fault healed: \(faultText(text))"
        case .networkChanged(let state): state.rawValue
        case .requestSent(let request): sent(request)
        case .answerHead(let id, let status, let offered, _):
            "answer to #\(id.rawValue): \(status)" + (offered.map { " offers \(names.name(ofID: $0))" } ?? "")
        case .transferEnded(let id, let bytes, _): "#\(id.rawValue) ended, \(TraceEventFormatter.size(bytes))"
        case .transferFailed(let id, let failure, let bytes):
            "#\(id.rawValue) failed: \(failure.rawValue) after \(TraceEventFormatter.size(bytes))"
        case .transferCancelled(let id, let bytes):
            "#\(id.rawValue) cancelled after \(TraceEventFormatter.size(bytes))"
        case .outcomes(let bytes): "outcomes reported, \(TraceEventFormatter.size(bytes.count))"
        default: nil
        }
    }

    private func deployed(
        _ version: String?, _ edgeIndices: [Int], _ parts: DeployParts, _ command: ManifestCommand,
        _ serial: Int
    ) -> String {
        var text = "deploys \(version ?? "nothing")"
        if parts != .all { text += ", \(parts.rawValue) only" }
        if command != .update { text += ", order \(command.rawValue)" }
        if edges.count > 1 { text += " to " + edgeIndices.map(edgeName).joined(separator: ", ") }
        return serial > 0 ? text + " (serial \(serial))" : text
    }

    private static func shown(_ audience: Audience) -> String {
        let parts = [("user", audience.user), ("cohort", audience.cohort), ("channel", audience.channel)]
        let named = parts.compactMap { name, value in value.map { "\(name) \($0)" } }
        let share = audience.share.map { "a share of \($0) in \(audience.of ?? Audience.standardOf)" }
        return (named + [share].compactMap { $0 }).joined(separator: ", ")
    }

    private func edgeName(_ index: Int) -> String {
        edges.indices.contains(index) ? edges[index] : "\(index)"
    }

    private func sent(_ request: RequestEvent) -> String {
        var text: String
        switch request.kind {
        case .manifest: text = "asks for the manifest"
        case .file(let route): text = "asks for \(route)"
        case .outcomes: text = "reports outcomes"
        }
        if let version = request.version { text += " of \(names.name(of: version))" }
        if let from = request.from { text += " from byte \(from)" }
        if request.isConditional { text += " if changed" }
        if edges.count > 1 { text += " at edge \(edgeName(request.edge))" }
        return text + " (#\(request.transfer.rawValue))"
    }

    package static func size(_ bytes: Int) -> String {
        bytes < 10_000 ? "\(bytes) B" : bytes < 10_000_000 ? "\(bytes / 1_000) KB" : "\(bytes / 1_000_000) MB"
    }

    private func list(_ names: [String]) -> String {
        names.isEmpty ? "nothing" : names.joined(separator: ", ")
    }

    // MARK: - The device

    private func device(_ kind: TraceEvent.Kind) -> String? {
        switch kind {
        case .installed(let build): "build \(build) is installed"
        case .launched(let foreground, let boot):
            "process starts\(foreground ? "" : " in background"), boot \(boot)"
        case .processEnded(let cause): "process ends: \(cause.rawValue)"
        case .processFailed(let why): "process fails: \(why)"
        case .foregrounded: "comes to the front"
        case .backgrounded: "goes to the background"
        case .activated: "is active again"
        case .deactivated: "is no longer active"
        case .suspended: "suspended"
        case .resumed: "resumed"
        case .powerCut(let survived, let all):
            "power cut: \(survived) of \(all) unsynced disk operations survive"
        case .pushed: "silent push"
        case .checkRequested: "the app wishes for a check"
        case .settingsChanged(_, let byPage):
            byPage ? "the page switches the app to another channel" : "settings change"
        case .damaged(let text): "damaged: \(text)"
        case .boundExceeded(let counts): "a step did too much: \(counts)"
        case .answerDelayed(let delay): "while an answer was waited for: \(delay)"
        case .callsOnStoppedDisk(let count): "\(count) calls on a stopped disk"
        default: nil
        }
    }

    // MARK: - The app

    private func status(_ status: UpdaterStatus) -> String {
        var parts: [String] = []
        if let current = status.current { parts.append("current \(names.name(of: current))") }
        if let pending = status.pending {
            parts.append("pending \(names.name(of: pending))" + (status.pendingWaits ? " (waits)" : ""))
        }
        if let good = status.lastKnownGood { parts.append("last known good \(names.name(of: good))") }
        if let version = status.downloading { parts.append("downloading \(names.name(of: version))") }
        if !status.blacklist.isEmpty { parts.append("blacklist " + list(status.blacklist.map(names.name))) }
        if !status.parked.isEmpty { parts.append("parked " + list(status.parked.map(names.name))) }
        return "status: " + (parts.isEmpty ? "nothing" : parts.joined(separator: ", "))
    }

    private func log(_ entry: LogEntry) -> String {
        var text = "log: \(entry.cause.rawValue)"
        if let version = entry.version { text += " \(names.name(ofID: version))" }
        return entry.detail.isEmpty ? text : text + " (\(entry.detail))"
    }

    /// Describes the screen.
    package static func shown(_ screen: AppHost.Screen) -> String {
        switch screen {
        case .page: return "the page"
        case .cover: return "cover"
        case .loading(let progress):
            guard let progress else { return "loading" }
            guard let all = progress.bytes, all > 0 else {
                return "loading, file \(progress.filesDone) of \(progress.files)"
            }
            return "loading, \(progress.bytesDone * 100 / all) %"
        case .offline: return "offline"
        case .noSpace: return "no space"
        case .recovery: return "recovery"
        case .portTaken: return "port taken"
        case .portFailed(let fault): return "port not opened: \(fault)"
        }
    }

    // MARK: - Pages

    private func page(_ kind: TraceEvent.Kind) -> String? {
        switch kind {
        case .navigation(_, let kind, let name):
            "navigation: \(kind.rawValue)" + (name.map { " as \($0)" } ?? "")
        case .pageLoad(_, let token, let key):
            "page load \(token.text.prefix(6)) of \(names.name(of: key)) begins"
        case .answered(let answer) where answer.status >= 400:
            "answers \(answer.method) \(TraceEventFormatter.shown(target: answer.target)) with \(answer.status)"
        case .pageRequested(let request) where request.destination == .document:
            "asks for \(TraceEventFormatter.shown(target: request.target))"
        case .pageReceived(let request, let answer): got(request, answer)
        case .committed(_, _, let mask):
            mask.isEmpty ? "shows the document" : "shows a document of \(list(names.names(of: mask)))"
        case .contentShown: "first content"
        case .pageReady: "ready"
        case .pageFailed(_, let text): "fails: \(text)"
        case .called(_, let method, _): "calls \(method.rawValue)"
        case .messageDelivered(_, let bytes):
            PageMessage(bytes, names).map { "receives: \($0.text)" }
                ?? PageReply(bytes, names).flatMap { $0.isError ? "is answered: \($0.text)" : nil }
        case .nativeAsked(let method): "native code asks: \(method)"
        case .nativeAnswered(let method, let result):
            "native code gets: \(NativeAnswer.text(method, result))"
        case .linkTaken(let url): "native code takes over \(url)"
        case .touched: "is in use"
        case .webProcessDied: "web process dies"
        case .pageClosed: nil
        case .whiteBegan: "the user sees nothing"
        case .whiteEnded(let span): "the user saw nothing for \(span.shown)"
        case .userDid(let action): TraceEventFormatter.user(action)
        default: nil
        }
    }

    /// Target of a page's request without the query items of host and server (page load token and session
    /// key), which mean nothing to a reader.
    package static func shown(target: String) -> String {
        let sides = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2 else { return target }
        let kept = sides[1].split(separator: "&", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("otalab-") }
        return kept.isEmpty ? String(sides[0]) : sides[0] + "?" + kept.joined(separator: "&")
    }

    private func got(_ request: PageRequest, _ answer: PageAnswer) -> String? {
        let path = request.target.split(separator: "?", omittingEmptySubsequences: false)[0]
        guard answer.status != 0 else { return "gets no answer to \(path)" }
        if answer.source == .cache { return nil }
        var text = "gets \(path): \(answer.serverStatus ?? answer.status) \(answer.type)"
        if !answer.contentOf.isEmpty { text += " of \(list(names.names(of: answer.contentOf)))" }
        return answer.isWhole ? text : text + ", cut off"
    }

    private static func user(_ action: UserAction) -> String {
        switch action {
        case .waits: "waits"
        case .types: "types"
        case .taps: "taps"
        case .tapsLink: "taps a link"
        case .swipesAway: "swipes the app away"
        case .presses(let intent): "presses \(intent.rawValue)"
        }
    }
}
