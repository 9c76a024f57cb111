import Core
import HTTP1
import Testing

@testable import Updater

@Suite("What the head of a response to a request for a file means (RFC 9110)")
struct OriginResponseTests {
    private static let sha256 = AssetHash.sha256(Digest256(1, 2, 3, 4))

    /// Decision about a response to a request from this offset on, for a file of 100 bytes.
    private func decide(
        _ status: Int, _ fields: [(String, String)] = [], from start: Int = 0, tag: String? = nil,
        size: Int? = 100, hash: AssetHash = sha256, isOptional: Bool = false, hasStored: Bool = false,
        limit: Int = 1_000
    ) -> OriginResponse {
        let asset = Asset(route: "/a", size: size, hash: hash, url: "a", isOptional: isOptional)
        var transfer = FileTransfer(
            id: TransferID(1), assetIndex: 0, key: SHA256.hash(of: []),
            request: OriginRequest(kind: .file("/a"), url: "a"), resumedAt: start, offset: start,
            sha256: SHA256(), tag: tag, lastProgress: .zero, windowStart: .zero)
        if hasStored {
            transfer.stored = StoredVersion.StoredAsset(location: .blob(Digest256(1, 2, 3, 4)), size: 1)
        }
        let head = HeaderFields(fields.map { HeaderFields.Field($0.0, $0.1) })
        return OriginResponse(status: status, head, transfer, asset, limit: limit)
    }

    private func refusal(_ response: OriginResponse) -> OriginResponse.Refusal? {
        if case .refused(let refusal) = response { refusal } else { nil }
    }

    private func expect(
        _ response: OriginResponse, _ cause: LogCause, _ detail: String, keepsPartial: Bool = true,
        needsManifest: Bool = false, bypassesCache: Bool = false
    ) {
        let wanted = OriginResponse.Refusal(
            cause: cause, detail: "route=/a " + detail, keepsPartial: keepsPartial,
            needsManifest: needsManifest, bypassesCache: bypassesCache)
        #expect(refusal(response) == wanted)
    }

    @Test("Each status has one meaning; where it depends on the file, that is stated here")
    func statuses() {
        for status in [301, 302, 303, 307, 308] { #expect(decide(status) == .redirected, "\(status)") }
        #expect(decide(200) == .whole)
        #expect(decide(304, hasStored: true) == .unchanged)
        for status in [404, 410] {
            #expect(decide(status, isOptional: true) == .missing)
            expect(decide(status), .statusRefused, "status=\(status)", needsManifest: true)
        }
        for status in [100, 201, 204, 300, 304, 305, 306, 400, 401, 403, 407, 409, 451, 501, 505] {
            for isOptional in [false, true] {
                expect(
                    decide(status, isOptional: isOptional), .statusRefused, "status=\(status)",
                    needsManifest: true)
            }
        }
        for status in [408, 425, 429, 500, 502, 503, 504] {
            expect(decide(status), .statusRefused, "status=\(status)")
        }
    }

    @Test("U11: a whole file must announce the length of the manifest, or none above the limit")
    func whole() {
        #expect(decide(200, [("Content-Length", "100")]) == .whole)
        for length in ["99", "101"] {
            expect(
                decide(200, [("Content-Length", length)]), .lengthMismatch, "announced=\(length) wanted=100",
                keepsPartial: false, needsManifest: true, bypassesCache: true)
        }
        #expect(decide(200, [("Content-Length", "1000")], size: nil) == .whole)
        expect(
            decide(200, [("Content-Length", "1001")], size: nil), .fileTooLarge, "announced=1001 limit=1000",
            keepsPartial: false, needsManifest: true)
    }

    @Test("A coding is refused, of a whole file and of a part, and caches are bypassed")
    func codings() {
        for (status, start) in [(200, 0), (206, 40)] {
            let range = ("Content-Range", "bytes 40-99/100")
            expect(
                decide(status, [range, ("Content-Encoding", "gzip")], from: start), .codingRefused,
                "coding=gzip", bypassesCache: true)
            let plain = decide(status, [range, ("Content-Encoding", "identity")], from: start)
            #expect(plain == (status == 200 ? .whole : .resumes))
        }
    }

    @Test("T1: what the origin states is kept to a length")
    func lengths() {
        let text = String(repeating: "x", count: 100)
        expect(
            decide(200, [("Content-Encoding", text)]), .codingRefused, "coding=" + text.prefix(40),
            bypassesCache: true)
        expect(
            decide(206, [("Content-Range", text)], from: 7), .rangeRefused,
            "asked from 7, got " + text.prefix(60), keepsPartial: false)
    }

    @Test("A part must begin where the partial file ends")
    func parts() {
        func part(_ range: String?, from start: Int) -> OriginResponse {
            decide(206, range.map { [("Content-Range", $0)] } ?? [], from: start)
        }
        #expect(part("bytes 40-99/100", from: 40) == .resumes)
        #expect(part("bytes 1-99/100", from: 1) == .resumes)
        for (range, start) in [
            ("bytes 39-99/100", 40), ("bytes 41-99/100", 40), ("bytes 0-99/100", 0), ("bytes x", 40),
        ] {
            expect(
                part(range, from: start), .rangeRefused, "asked from \(start), got \(range)",
                keepsPartial: false)
        }
        expect(part(nil, from: 40), .rangeRefused, "asked from 40, got none", keepsPartial: false)
    }

    @Test("U10, U11: a part is refused whose file has another length, or that ends beyond it or the limit")
    func overlong() {
        func part(_ total: String, _ length: Int?, size: Int? = 100) -> OriginResponse {
            var fields = [("Content-Range", "bytes 40-99/\(total)"), ("ETag", "\"t\"")]
            if let length { fields.append(("Content-Length", "\(length)")) }
            return decide(206, fields, from: 40, tag: "\"t\"", size: size)
        }
        for (total, announced) in [("99", 99), ("101", 101)] {
            expect(
                part(total, 60), .lengthMismatch, "announced=\(announced) wanted=100", keepsPartial: false,
                needsManifest: true, bypassesCache: true)
        }
        #expect(part("100", 60) == .resumes && part("*", 60) == .resumes && part("100", nil) == .resumes)
        #expect(part("100", 30) == .resumes, "less than was asked for")
        expect(
            part("100", 61), .lengthMismatch, "announced=101 wanted=100", keepsPartial: false,
            needsManifest: true, bypassesCache: true)
        #expect(part("1000", 960, size: nil) == .resumes)
        for (total, length) in [("1001", nil), ("*", 961), ("1000", 961)] as [(String, Int?)] {
            expect(
                part(total, length, size: nil), .fileTooLarge, "announced=1001 limit=1000",
                keepsPartial: false, needsManifest: true)
        }
    }

    @Test("A part of another entity is refused; a hash protects the joined content where no tag is known")
    func entities() {
        let cases: [(sent: String?, known: String?, hash: AssetHash, isSame: Bool)] = [
            ("\"a\"", "\"a\"", .none, true), ("\"b\"", "\"a\"", .none, false), (nil, "\"a\"", .none, false),
            (nil, nil, .none, false), ("\"a\"", nil, .none, false), ("\"a\"", "\"a\"", Self.sha256, true),
            ("\"b\"", "\"a\"", Self.sha256, false), (nil, "\"a\"", Self.sha256, true),
            (nil, nil, Self.sha256, true), ("\"b\"", nil, Self.sha256, true),
        ]
        for (sent, known, hash, isSame) in cases {
            var fields = [("Content-Range", "bytes 40-99/100")]
            if let sent { fields.append(("ETag", sent)) }
            let response = decide(206, fields, from: 40, tag: known, hash: hash)
            let comment: Comment = "sent \(sent ?? "none"), known \(known ?? "none"), \(hash)"
            #expect((response == .resumes) == isSame, comment)
            if !isSame {
                expect(
                    response, .contentMismatch, "a range of another entity", keepsPartial: false,
                    needsManifest: true, bypassesCache: true)
            }
        }
    }

    @Test("416: the partial file is the whole one if it has its length, otherwise it is of no use")
    func rangeNotSatisfiable() {
        #expect(decide(416, from: 100) == .complete)
        #expect(decide(416, [("Content-Range", "bytes */100")], from: 100, size: nil) == .complete)
        #expect(decide(416, [("Content-Range", "bytes */7")], from: 100) == .complete, "the manifest counts")
        for (fields, start, size) in [
            ([], 99, 100), ([], 101, 100), ([], 100, nil), ([("Content-Range", "bytes */99")], 100, nil),
            ([("Content-Range", "bytes */0")], 0, nil), ([], 0, 0),
        ] as [([(String, String)], Int, Int?)] {
            expect(
                decide(416, fields, from: start, size: size), .rangeRefused, "nothing from \(start)",
                keepsPartial: false)
        }
    }
}
