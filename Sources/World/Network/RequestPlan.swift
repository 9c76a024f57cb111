import Backend
import Core
import HTTP1
import ScenarioLanguage
import Updater

/// What a fault does to one request.
enum NetworkVerdict: Hashable, Sendable {
    /// No connection comes about.
    case fail(TransferFailure)
    /// Nobody answers until the device gives up.
    case silence
    /// The answer begins later.
    case delay(TimeSpan)
    /// The edge answers with what it had before.
    case stale
    /// Unknown paths are answered with the index.
    case indexForUnknown
    /// Another answer.
    case alter(FaultKind)
    /// The body does not come to its end.
    case cut(BodyEnd, after: Amount?)

    /// Nil for what is done to a device instead.
    init?(_ kind: FaultKind) {
        switch kind {
        case .refuse: self = .fail(.refused)
        case .dnsFailure: self = .fail(.nameNotResolved)
        case .insecure: self = .fail(.insecure)
        case .connectTimeout: self = .silence
        case .staleEdge: self = .stale
        case .indexForUnknown: self = .indexForUnknown
        case .slow(.answers, let span): self = .delay(span)
        case .reset(let amount): self = .cut(.reset, after: amount)
        case .stall(let amount): self = .cut(.stall, after: amount)
        case .truncate(let amount): self = .cut(.truncate, after: amount)
        case .captivePortal, .corrupt, .status, .answer: self = .alter(kind)
        case .slow, .offline, .noSpace, .lockedDevice, .readOnlyDisk, .diskError, .lyingSync, .shortWrites,
            .portTaken:
            return nil
        }
    }
}

/// How a body ends.
enum BodyEnd: Hashable, Sendable {
    case whole
    case reset
    case stall
    case truncate
}

/// One request with all that its faults make of it.
struct RequestPlan: Hashable, Sendable {
    var failure: TransferFailure?
    var isSilent = false
    var delay = TimeSpan.zero
    var isStale = false
    var servesIndexForUnknown = false
    var alterations: [FaultKind] = []
    var end = BodyEnd.whole
    /// Nil: before the head.
    var endsAfter: Amount?

    init(_ kinds: [FaultKind]) {
        for kind in kinds {
            switch NetworkVerdict(kind) {
            case nil: break
            case .fail(let failure): if self.failure == nil && !isSilent { self.failure = failure }
            case .silence: if failure == nil { isSilent = true }
            case .delay(let span): delay += span
            case .stale: isStale = true
            case .indexForUnknown: servesIndexForUnknown = true
            case .alter(let kind): alterations.append(kind)
            case .cut(let end, let amount):
                self.end = end
                endsAfter = amount
            }
        }
    }

    /// The bytes of the body that leave, and whether even the head does.
    func bodyLimit(of size: Int) -> (bytes: Int, hasHead: Bool) {
        if end == .whole { return (size, true) }
        guard let endsAfter else { return (0, false) }
        return (min(endsAfter.bytes(of: size), size), true)
    }

    /// Puts the alterations on an answer. `noise` decides what corrupted bytes become.
    func altered(_ answer: OriginAnswer, _ request: OriginRequest, _ library: Library, noise: UInt64)
        -> OriginAnswer
    {
        var answer = answer
        for kind in alterations {
            switch kind {
            case .captivePortal: answer = captivePortal(answer)
            case .status(let status, let headers):
                answer = plain(status, "", answer)
                for header in headers { answer.set(header.name.value, header.value.value) }
            case .corrupt(let count, let amount): corrupt(&answer, count, amount, noise)
            case .answer(let spec): replace(&answer, spec, request, library)
            default: break
            }
        }
        return answer
    }

    private func plain(_ status: Int, _ text: String, _ former: OriginAnswer) -> OriginAnswer {
        var answer = OriginAnswer(status: status, body: Array(text.utf8))
        if let date = former.field("Date") { answer.set("Date", date) }
        answer.set("Content-Length", String(answer.body.count))
        if !text.isEmpty { answer.set("Content-Type", "text/plain; charset=utf-8") }
        return answer
    }

    /// A page of somebody else's, with its own idea of the date left out.
    private func captivePortal(_ former: OriginAnswer) -> OriginAnswer {
        let page =
            "<!DOCTYPE html><html><head><title>Welcome</title></head>"
            + "<body><form action=\"/login\"><button>Accept and connect</button></form></body></html>\n"
        var answer = plain(200, page, former)
        answer.set("Content-Type", "text/html; charset=utf-8")
        return answer
    }

    private func corrupt(_ answer: inout OriginAnswer, _ count: Int, _ amount: Amount?, _ noise: UInt64) {
        let size = answer.body.count
        guard size > 0 else { return }
        let start = min(amount?.bytes(of: size) ?? size / 2, size - 1)
        for place in start..<min(start + max(count, 1), size) {
            // Never the same byte as before.
            answer.body[place] ^= UInt8(truncatingIfNeeded: noise &>> UInt64(place % 8 * 8)) | 1
        }
        answer.contentOf = VersionMask()
        // What a damaged manifest says nobody knows.
        answer.offered = nil
        answer.serial = nil
    }

    private func replace(
        _ answer: inout OriginAnswer, _ spec: AnswerSpec, _ request: OriginRequest, _ library: Library
    ) {
        let whole = wholeBody(answer, spec, request, library)
        let status = spec.status.value
        answer.status = status
        if let body = whole.bytes { answer.body = body }
        if whole.isChanged {
            answer.contentOf = whole.contentOf
            answer.offered = nil
            answer.serial = nil
        }
        if status == 206, let body = whole.bytes {
            let first = min(spec.from?.value ?? whole.from, body.count)
            answer.body = Array(body[first...])
            answer.set("Content-Range", "bytes \(first)-\(max(body.count - 1, 0))/\(body.count)")
        }
        if status >= 300 && spec.body == nil && spec.bytesOf == nil {
            answer.body = []
            answer.contentOf = VersionMask()
        }
        if let etag = spec.etag?.value {
            answer.set("ETag", etag.hasPrefix("\"") || etag.hasPrefix("W/") ? etag : "\"\(etag)\"")
        }
        if status == 304 || status == 204 {
            answer.fields.remove("Content-Length")
        } else {
            answer.set("Content-Length", String(answer.body.count))
        }
        for header in spec.headers { answer.set(header.name.value, header.value.value) }
        if let span = spec.retryAfter?.value {
            answer.set("Retry-After", String(span.microseconds / 1_000_000))
        }
    }

    private struct WholeBody {
        var bytes: [UInt8]?
        var contentOf = VersionMask()
        var isChanged = false
        /// The offset that the request asked for.
        var from = 0
    }

    /// The entity that the answer speaks of: the text, another version's file, or the file itself.
    private func wholeBody(
        _ answer: OriginAnswer, _ spec: AnswerSpec, _ request: OriginRequest, _ library: Library
    ) -> WholeBody {
        var whole = WholeBody()
        whole.from = RequestPlan.firstByte(of: request) ?? 0
        if let text = spec.body?.value {
            whole.bytes = Array(text.utf8)
            whole.isChanged = true
            return whole
        }
        guard case .file(let route) = request.kind else {
            whole.bytes = answer.body
            return whole
        }
        if let name = spec.bytesOf?.value, let place = library.place(ofVersion: name) {
            let version = library.versions[place]
            whole.isChanged = true
            guard let file = version.file(route) ?? counterpart(of: route, in: version, library) else {
                return whole
            }
            whole.bytes = library.bytes(of: file)
            whole.contentOf = library.versions(with: library.bytes(of: file), atRoute: route)
            return whole
        }
        // An answer to a range request has a part only, and an answer with an error nothing.
        let place =
            answer.contentOf.places.first
            ?? request.version.flatMap { library.versions(withID: $0.id).places.first }
        whole.bytes = place.flatMap { library.versions[$0].file(route) }.map(library.bytes(of:))
        whole.contentOf = answer.contentOf
        return whole
    }

    /// The file of another version that has the same template.
    private func counterpart(of route: String, in version: BuiltVersion, _ library: Library) -> BuiltFile? {
        for other in library.versions {
            if let file = other.file(route) { return version.file(template: file.template) }
        }
        return nil
    }

    /// The first byte that a range request asks for.
    static func firstByte(of request: OriginRequest) -> Int? {
        guard let value = request.fields["Range"], value.hasPrefix("bytes=") else { return nil }
        return Int(value.dropFirst("bytes=".count).prefix { $0 != "-" })
    }
}
