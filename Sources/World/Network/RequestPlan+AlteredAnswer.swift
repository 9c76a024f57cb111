import Backend
import Core
import HTTP1
import ScenarioLanguage
import Updater

/// Answers as network faults change them: another status, corrupt bytes, or another answer.
extension RequestPlan {
    /// The answer with all alterations. `noise` determines the values of corrupted bytes.
    func altered(_ answer: OriginAnswer, _ request: OriginRequest, _ library: VersionLibrary, noise: UInt64)
        -> OriginAnswer
    {
        var answer = answer
        for (index, kind) in alterations.enumerated() {
            switch kind {
            case .captivePortal: answer = .captivePortal(replacing: answer)
            case .status(let status, let headers):
                answer = .plainText(status, "", replacing: answer)
                for header in headers { answer.apply(header) }
            case .corrupt(let count, let amount):
                // The same noise twice would give the bytes back.
                corrupt(&answer, count, amount, noise &+ UInt64(index))
            case .answer(let spec): replace(&answer, spec, request, library)
            default: break
            }
        }
        return answer
    }

    private func corrupt(_ answer: inout OriginAnswer, _ count: Int, _ amount: Amount?, _ noise: UInt64) {
        let size = answer.body.count
        guard size > 0 else { return }
        let start = min(amount?.bytes(of: size) ?? size / 2, size - 1)
        answer.body.corrupt(start..<min(start + max(count, 1), size), noise: noise)
        answer.contentOf = VersionMask()
        answer.forgetOffer()
    }

    private func replace(
        _ answer: inout OriginAnswer, _ spec: AnswerSpec, _ request: OriginRequest, _ library: VersionLibrary
    ) {
        let whole = wholeBody(answer, spec, request, library)
        let status = spec.status.value
        answer.status = status
        if let body = whole.body { answer.body = body }
        if whole.isChanged {
            answer.contentOf = whole.contentOf
            answer.forgetOffer()
        }
        if status == 206, let body = whole.body {
            let first = min(spec.from?.value ?? whole.from, body.count)
            answer.body = body.part(first..<body.count)
            answer.set("Content-Range", "bytes \(first)-\(max(body.count - 1, 0))/\(body.count)")
        }
        if status == 204 || (status >= 300 && spec.body == nil && spec.bytesOf == nil) {
            answer.body = []
            answer.contentOf = VersionMask()
        }
        // Only these give a manifest, or say that the known one is the newest.
        if status != 200, status != 304 { answer.forgetOffer() }
        if let etag = spec.etag?.value {
            answer.set("ETag", etag.hasPrefix("\"") || etag.hasPrefix("W/") ? etag : "\"\(etag)\"")
        }
        if status == 304 || status == 204 {
            answer.fields.remove("Content-Length")
        } else {
            answer.set("Content-Length", String(answer.body.count))
        }
        for header in spec.headers { answer.apply(header) }
        if let span = spec.retryAfter?.value {
            answer.set("Retry-After", String(span.microseconds / 1_000_000))
        }
    }

    private struct WholeBody {
        var body: AnswerBody?
        var contentOf = VersionMask()
        var isChanged = false
        /// First byte of the requested range.
        var from = 0
    }

    /// The whole body of which the answer has a part: the given text, another version's file, or the file
    /// itself.
    private func wholeBody(
        _ answer: OriginAnswer, _ spec: AnswerSpec, _ request: OriginRequest, _ library: VersionLibrary
    ) -> WholeBody {
        var whole = WholeBody()
        whole.from = RequestPlan.firstByte(of: request) ?? 0
        if !spec.configuration.isEmpty {
            whole.body = AnswerBody(MeteorConfiguration.changed(answer.body.bytes, spec.configuration))
            whole.isChanged = true
            return whole
        }
        if let text = spec.body?.value {
            whole.body = AnswerBody(Array(text.utf8))
            whole.isChanged = true
            return whole
        }
        guard case .file(let route) = request.kind else {
            whole.body = answer.body
            return whole
        }
        if let name = spec.bytesOf?.value, let index = library.index(ofVersion: name) {
            let version = library.versions[index]
            whole.isChanged = true
            guard let file = version.file(route) ?? counterpart(of: route, in: version, library) else {
                return whole
            }
            whole.body = AnswerBody(library.content(of: file))
            whole.contentOf = library.versions(withContentOf: file, atRoute: route)
            return whole
        }
        // The answer to a range request has only a part of the file, and an error answer none of it.
        let index =
            answer.contentOf.indices.first
            ?? request.version.flatMap { library.versions(withID: $0.id).indices.first }
        let file = index.flatMap { library.versions[$0].file(route) }
        whole.body = file.map { AnswerBody(library.content(of: $0)) }
        whole.contentOf = answer.contentOf
        return whole
    }

    /// The file of another version that has the same template.
    private func counterpart(of route: String, in version: BuiltVersion, _ library: VersionLibrary)
        -> BuiltFile?
    {
        for other in library.versions {
            if let file = other.file(route) { return version.file(template: file.template) }
        }
        return nil
    }
}
