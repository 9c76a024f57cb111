import Backend
import Core
import HTTP1
import ScenarioLanguage
import Updater

/// The answer of an edge to one request, before faults change it.
struct OriginAnswer: Equatable, Sendable {
    var status: Int
    var fields = HeaderFields()
    var body: AnswerBody = []
    /// Id of the version that a manifest offers.
    var offered: String?
    /// Serial of the manifest's publication.
    var serial: Int?
    /// Date of the manifest's publication, in a dialect that orders by it.
    var date: OriginTime?
    /// Serial of a publication that is not for the device that asked.
    var withheldSerial: Int?
    /// What the manifest says of signatures (U16).
    var signature = ManifestSignature()
    /// Versions that have this content at the requested route.
    var contentOf = VersionMask()

    /// What a manifest states after its body was damaged or replaced is unknown.
    mutating func forgetOffer() { (offered, serial, date) = (nil, nil, nil) }

    mutating func set(_ name: String, _ value: String) {
        fields.remove(name)
        fields.append(name, value)
    }

    /// Adds, replaces or removes a field as a scenario states it.
    mutating func apply(_ header: HeaderSpec) {
        if let value = header.value.value {
            set(header.name.value, value)
        } else {
            fields.remove(header.name.value)
        }
    }

    /// Whether the end of the connection is the end of the body (RFC 9112 §6.3, item 8): the head states
    /// neither a length nor chunks.
    var endsWithConnection: Bool {
        !StatusCode(status).neverHasContent && !fields.contains("Content-Length")
            && !fields.contains("Transfer-Encoding")
    }

    /// Whether an HTTP parser can determine the end of the body from the head (RFC 9112 §6.3); false, for
    /// example, if the length is too large.
    var hasReadableFraming: Bool {
        do {
            _ = try BodyFraming.ofResponse(StatusCode(status), to: .get, fields, minorVersion: 1)
            return true
        } catch {
            return false
        }
    }

    /// Fields of the head for the trace.
    /// - Parameter now: the origin's time.
    func note(at now: OriginTime) -> AnswerSummary {
        var note = AnswerSummary()
        note.serial = serial
        note.date = date
        note.withheldSerial = withheldSerial
        note.signature = signature
        // Digits alone are a number of seconds (RFC 9110 §10.2.3): "+30" states none.
        note.retryAfter = field("Retry-After").flatMap { UntrustedInteger(saturatingDigits: $0.utf8) }
            .map { .seconds(Int64($0.clamped(to: 0...OriginAnswer.longestWait))) }
        if status == 416 {
            note.unsatisfiedLength = field("Content-Range").flatMap { text in
                guard text.hasPrefix("bytes */") else { return nil }
                return UntrustedInteger(digits: text.dropFirst("bytes */".count).utf8)?.bounded(
                    by: 0...Int.max)
            }
        }
        if status == 206 {
            note.partFrom = field("Content-Range").flatMap { text in
                guard text.hasPrefix("bytes "), let end = text.firstIndex(of: "-") else { return nil }
                return UntrustedInteger(digits: text[..<end].dropFirst("bytes ".count).utf8)?.bounded(
                    by: 0...Int.max)
            }
        }
        note.tag = field("ETag")
        note.isCoded = field("Content-Encoding").map { !["", "identity"].contains($0.lowercased()) } ?? false
        let stated = field("Date").flatMap(HTTPDate.time)
        note.isMisdated = stated.map { $0 - now > .days(1) || now - $0 > .days(1) } ?? true
        note.isRedirect = (300..<400).contains(status) && field("Location") != nil
        return note
    }

    /// A hundred years, in seconds.
    private static let longestWait = 3_155_760_000

    func field(_ name: String) -> String? {
        fields[name]
    }
}
