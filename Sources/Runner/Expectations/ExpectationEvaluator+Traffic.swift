import Backend
import Core
import HTTP1
import LocalServer
import Oracle
import ScenarioLanguage
import Updater

/// Parts that count requests, answers, page loads and messages since a position in the trace.
extension ExpectationEvaluator {
    mutating func evaluateHistory(_ expectation: Expectation) {
        if expectation.reloads != nil || expectation.switches != nil {
            let changes = pageChanges
            compare(.reloads, expectation.reloads, Int64(changes.reloads))
            compare(.switches, expectation.switches, Int64(changes.switches))
        }
        if let wanted = expectation.log {
            var causes: [String] = []
            for case .log(let entry) in scopedEvents.lazy.map(\.kind) { causes.append(entry.cause.rawValue) }
            compare(.log, wanted, causes)
        }
        for wanted in expectation.logOf { evaluateLog(wanted) }
        if let wanted = expectation.outcomes { compare(.outcomes, wanted, outcomes) }
        if let wanted = expectation.messages { evaluateMessages(wanted) }
        if let wanted = expectation.replies { compare(.replies, wanted, replies) }
        if let wanted = expectation.links { compare(.links, wanted, links) }
        if let wanted = expectation.nativeAnswers { compare(.nativeAnswers, wanted, nativeAnswers) }
        if let wanted = expectation.report { evaluateReport(wanted) }
        for wanted in expectation.answers {
            compare(.answers(wanted), wanted.count, Int64(answers(wanted)))
        }
        for wanted in expectation.clientAnswers {
            compare(.clientAnswers(wanted), wanted.count, Int64(clientAnswers(wanted)))
        }
        for wanted in expectation.forwarded {
            let count = countedEvents.count { event in
                if case .forwarded(let request) = event.kind { wanted.fits(request) } else { false }
            }
            compare(.forwarded(wanted), wanted.count, Int64(count))
        }
    }

    private mutating func evaluateLog(_ wanted: LogExpectation) {
        var causes: [String] = []
        for case .log(let entry) in scopedEvents.lazy.map(\.kind) {
            guard let id = entry.version, observed.names.name(ofID: id) == wanted.version.value else {
                continue
            }
            causes.append(entry.cause.rawValue)
        }
        compare(.logOf(version: wanted.version.value), wanted.causes, causes)
    }

    mutating func evaluateTraffic(_ expectation: Expectation) {
        if expectation.requests == nil, expectation.fetched == nil, expectation.bytes == nil { return }
        let transfers = countedTransfers
        if let wanted = expectation.requests {
            compare(.requests(.manifest), wanted.manifest, count(transfers) { $0 == .manifest })
            compare(.requests(.index), wanted.index, count(transfers) { $0.isOfIndex })
            compare(.requests(.outcomes), wanted.outcomes, count(transfers) { $0 == .outcomes })
            compare(.requests(.all), wanted.all, Int64(transfers.count))
            compare(
                .requests(.resumed), wanted.resumed,
                Int64(transfers.count { ($0.request.from ?? 0) > 0 }))
            compare(
                .requests(.conditional), wanted.conditional,
                Int64(transfers.count { $0.request.isConditional }))
            compare(
                .requests(.files), wanted.files,
                count(transfers) { if case .file = $0 { true } else { false } })
            for expected in wanted.routes {
                let route = expected.route.value
                compare(
                    .requests(.route(route)), expected.count,
                    count(transfers) {
                        if case .file(let asked) = $0 { RouteTemplate.fits(asked, route) } else { false }
                    })
            }
        }
        if let wanted = expectation.fetched {
            let fetched = transfers.filter { $0.state == .ended && ($0.status == 200 || $0.status == 206) }
                .compactMap(\.route)
            compare(.fetchedFiles, wanted.files, Int64(fetched.count))
            if let routes = wanted.routes { compare(.fetched, routes, templates(fetched, routes)) }
        }
        compare(.bytes, expectation.bytes, Int64(transfers.reduce(0) { $0 + $1.bytes }))
    }

    /// Counted requests with their results.
    private var countedTransfers: ArraySlice<TransferTrace> {
        let sent = countedEvents.reduce(0) { count, event in
            if case .requestSent = event.kind { count + 1 } else { count }
        }
        return observed.transfers.suffix(sent)
    }

    private func count(_ transfers: ArraySlice<TransferTrace>, _ isMeant: (OriginRequest.Kind) -> Bool)
        -> Int64
    {
        Int64(transfers.count { isMeant($0.request.kind) })
    }

    /// Routes, each replaced by the template of the expectation that matches it, if one does.
    private func templates(_ routes: [String], _ wanted: ListExpectation) -> [String] {
        let templates: [String] =
            switch wanted {
            case .exact(let names, _): names.map(\.value)
            case .partial(let has, let hasNot, _): (has + hasNot).map(\.value)
            }
        return routes.map { route in templates.first { RouteTemplate.fits(route, $0) } ?? route }
    }

    // MARK: - Pages

    /// Counts of the first web view's page loads after the first one: reloads requested by page or host, and
    /// switches to another version.
    private var pageChanges: (reloads: Int, switches: Int) {
        var reloads = 0
        var switches = 0
        var process = 0
        var hasPage = false
        var isReload = true
        var shown: VersionKey?
        for (index, event) in observation.events.enumerated() {
            switch event.kind {
            case .navigation(.first, let kind, _): isReload = kind == .reload || kind == .other
            case .pageLoad(.first, _, let key):
                let isCounted = index >= observation.firstCounted
                if isCounted, hasPage, process == event.process, isReload { reloads += 1 }
                if isCounted, let shown, shown != key { switches += 1 }
                hasPage = true
                process = event.process
                shown = key
                isReload = true
            default: break
            }
        }
        return (reloads, switches)
    }

    private func answers(_ wanted: AnswersExpectation) -> Int {
        countedEvents.reduce(0) { count, event in
            guard case .pageReceived(let request, let answer) = event.kind,
                let received = answer.serverStatus, received != 0
            else {
                return count
            }
            if let type = wanted.type?.value, type != answer.type { return count }
            if let status = wanted.status?.value, status != received { return count }
            guard wanted.fits(answer.content) else { return count }
            return wanted.isAsked(by: request) ? count + 1 : count
        }
    }

    private func clientAnswers(_ wanted: AnswersExpectation) -> Int {
        countedEvents.count { event in
            guard case .clientAnswered(let request, let received, let content) = event.kind, received != 0
            else {
                return false
            }
            if let status = wanted.status?.value, status != received { return false }
            return wanted.fits(content) && wanted.isAsked(by: request)
        }
    }

    /// Messages that reached a page; a repeated one counts again.
    private mutating func evaluateMessages(_ wanted: MessagesExpectation) {
        var messages: [PageMessage] = []
        for case .messageDelivered(_, let bytes) in scopedEvents.lazy.map(\.kind) {
            if let message = PageMessage(bytes, observed.names) { messages.append(message) }
        }
        let others = messages.filter { !$0.isProgress }
        if let texts = wanted.texts {
            switch texts {
            case .exact: compare(.messages, texts, others.map(\.text))
            case .partial: compare(.messages, texts, messages.map(\.text))
            }
        }
        compare(.messages, wanted.count, Int64(others.count))
        compare(.progressMessages, wanted.progress, Int64(messages.count - others.count))
    }

    /// Replies to the page's calls in their order, with repeated ones.
    private var replies: [String] {
        var texts: [String] = []
        for case .messageDelivered(_, let bytes) in scopedEvents.lazy.map(\.kind) {
            if let reply = PageReply(bytes, observed.names) { texts.append(reply.text) }
        }
        return texts
    }

    /// What native code got from pages, in its order.
    private var nativeAnswers: [String] {
        scopedEvents.compactMap { event in
            guard case .nativeAnswered(let method, let result) = event.kind else { return nil }
            return NativeAnswer.text(method, result)
        }
    }

    /// Which of the texts the newest error report has.
    private mutating func evaluateReport(_ wanted: ListExpectation) {
        var newest = ""
        for case .report(let text) in scopedEvents.lazy.map(\.kind) { newest = text }
        let texts =
            switch wanted {
            case .exact(let texts, _): texts
            case .partial(let has, let hasNot, _): has + hasNot
            }
        compare(.report, wanted, texts.map(\.value).filter { newest.contains($0) })
    }

    /// Links that native code took over, in their order.
    private var links: [String] {
        scopedEvents.compactMap { if case .linkTaken(let url) = $0.kind { url } else { nil } }
    }

    /// Outcomes that the origin has accepted: `taken v2`. The origin does not know of a report that it
    /// refused or did not answer, so the next one repeats its outcomes (T3).
    private var outcomes: [String] {
        var reports: [[UInt8]] = []
        for case .outcomes(let bytes) in scopedEvents.lazy.map(\.kind) { reports.append(bytes) }
        let transfers = observed.transfers.filter { $0.request.kind == .outcomes }.suffix(reports.count)
        var texts: [String] = []
        for (bytes, transfer) in zip(reports, transfers) where transfer.isSuccess {
            for text in outcomes(in: bytes) where !texts.contains(text) { texts.append(text) }
        }
        return texts
    }

    private func outcomes(in report: [UInt8]) -> [String] {
        do throws(JSONFault) {
            return (try JSONReader.read(report, dialect: .strict).array ?? []).compactMap { entry in
                guard let outcome = entry["outcome"]?.string, let id = entry["version"]?.string else {
                    return nil
                }
                return "\(outcome) \(observed.names.name(ofID: id))"
            }
        } catch {
            return ["unreadable"]
        }
    }
}

extension AnswersExpectation {
    /// Whether answers to this request are meant.
    func isAsked(by request: PageRequest) -> Bool {
        switch asked?.value {
        case .route(let route): return AnswersExpectation.isMeant(route, request.target)
        case .kind(let kind): return AnswersExpectation.isMeant(kind, request.destination)
        case nil: return true
        }
    }

    /// Whether answers to this request are meant.
    func isAsked(by request: ClientRequest) -> Bool {
        switch asked?.value {
        case .route(let route): AnswersExpectation.isMeant(route, request.target)
        case .kind: false
        case nil: true
        }
    }

    /// Whether a request's path fits the route, and its query too if the route has one.
    private static func isMeant(_ route: String, _ target: String) -> Bool {
        let plain = withoutReservedItems(target)
        if route.contains("?") { return plain == route }
        return RouteTemplate.fits(plain.components(around: "?")?.0 ?? plain, route)
    }

    /// The target as the page requested it.
    private static func withoutReservedItems(_ target: String) -> String {
        guard target.contains("?") else { return target }
        do {
            return ReservedQueryItems.removed(from: try RequestTarget(Array(target.utf8)))
        } catch {
            return target
        }
    }

    private static func isMeant(_ kind: ResourceKind, _ destination: PageRequest.Destination) -> Bool {
        switch kind {
        case .document: destination == .document
        case .script: destination == .script
        case .style: destination == .style
        case .image: destination == .image
        case .font: destination == .font
        case .other: destination == .other || destination.isOfScript
        }
    }
}

extension ForwardedExpectation {
    /// Whether a request has all these properties.
    fileprivate func fits(_ request: ForwardedRequest) -> Bool {
        if let asked = asked?.value {
            let path = request.target.components(around: "?")?.0 ?? request.target
            if asked != (asked.contains("?") ? request.target : path) { return false }
        }
        if let method, method.value.rawValue != request.method { return false }
        if let body, Array(body.value.utf8) != request.body { return false }
        return has.allSatisfy { request.has($0.value) } && !hasNot.contains { request.has($0.value) }
    }
}

extension ForwardedRequest {
    /// Whether it has a field of this name, in any case, and with this value, if one is given: `X-Cart: 7`.
    fileprivate func has(_ text: String) -> Bool {
        let (name, value) = text.components(around: ": ") ?? (text, "")
        return fields.contains {
            $0.name.lowercased() == name.lowercased() && (name == text || $0.value == value)
        }
    }
}

extension OriginRequest.Kind {
    fileprivate var isOfIndex: Bool {
        if case .file(let route) = self { RequestSubject.isIndex(route) } else { false }
    }
}

extension RequestSubject {
    /// Whether a version's file at this route answers navigations: Meteor's index, or the other dialects'.
    static func isIndex(_ route: String) -> Bool { route == "/" || route == "/index.html" }
}

/// A route with `{hash}` for any text, like `/{hash}.js`.
enum RouteTemplate {
    /// Whether a route matches the template.
    static func fits(_ route: String, _ template: String) -> Bool {
        guard let (before, after) = template.components(around: "{hash}") else { return route == template }
        return route.hasPrefix(before) && route.hasSuffix(after)
            && route.utf8.count > before.utf8.count + after.utf8.count
    }
}

extension AnswersExpectation {
    /// Whether head and body of an answer are as expected. Content that is not known fits no expectation.
    fileprivate func fits(_ content: PageAnswerContent?) -> Bool {
        if headers == nil, body == nil { return true }
        guard let content else { return false }
        let hasFields =
            switch headers {
            case nil: true
            case .exact(let texts, _)?:
                texts.count == content.fields.count && texts.allSatisfy { content.hasField($0.value) }
            case .partial(let has, let hasNot, _)?:
                has.allSatisfy { content.hasField($0.value) }
                    && !hasNot.contains { content.hasField($0.value) }
            }
        let hasTexts =
            switch body {
            case nil: true
            case .exact(let texts, _)?: texts.map(\.value).joined() == content.body
            case .partial(let has, let hasNot, _)?:
                content.body.map { body in
                    has.allSatisfy { body.contains($0.value) } && !hasNot.contains { body.contains($0.value) }
                } ?? false
            }
        return hasFields && hasTexts
    }
}
