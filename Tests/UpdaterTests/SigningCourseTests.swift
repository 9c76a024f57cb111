import Core
import HTTP1
import Testing

@testable import Updater

@Suite("The course of checks of signed manifests (U16)")
struct SigningCourseTests {
    /// A signature is the hash of key and message.
    private struct Verifier: SignatureVerifier {
        func isValid(_ signature: [UInt8], of message: [UInt8], by key: PublicKey) -> Bool {
            signature == SHA256.hash(of: key.bytes + message).bytes
        }
    }

    private static func key(_ id: String, _ byte: UInt8) -> PublicKey {
        PublicKey(id: id, algorithm: .ed25519, bytes: [UInt8](repeating: byte, count: 32))
    }

    private static let first = key("k1", 1)
    private static let second = key("k2", 2)

    private func signed(_ manifest: [UInt8], by keys: [PublicKey], isWrong: Bool = false) -> Reply {
        let lines = keys.map { key in
            let signature = SHA256.hash(of: key.bytes + manifest + (isWrong ? [1] : [])).bytes
            return "\(key.algorithm.rawValue) \(key.id) \(Hex.text(signature))\n"
        }
        return Reply(200, Array("otalab-signed-1\n\(lines.joined())\n".utf8) + manifest)
    }

    private func device(_ dialect: ManifestDialect = .own) throws -> Harness {
        var device = try Harness(embedded: Version("v1", serial: 1), dialect: dialect)
        device.settings.keys = [Self.first, PublicKey(id: "cut", algorithm: .p256, bytes: [4])]
        device.verifier = Verifier()
        try device.start()
        return device
    }

    private func expect(_ device: inout Harness, _ name: String) {
        let course = device.takeCourse()
        #expect(course == Self.courses[name], "\(name)")
    }

    @Test("What is not signed by a key of the app is refused for its cause, and changes nothing")
    func refused() throws {
        var device = try device()
        expect(&device, "signedLaunch")
        let manifest = Version("v2", serial: 2).manifest
        for reply in [
            Reply(200, manifest), Reply(200, Array("otalab-signed-1\nrsa k1 00\n\n".utf8)),
            Reply(200, Array("otalab-signed-1\nx\n\n".utf8)), signed(manifest, by: [Self.second]),
            signed(manifest, by: [Self.second, Self.first], isWrong: true),
        ] {
            device.script = { _ in reply }
            device.check()
        }
        expect(&device, "signedRefused")
        #expect(device.updater.record.acceptedSignatures.isEmpty)
    }

    @Test("An expired manifest and files without SHA-256 are refused; the later of three clocks counts")
    func terms() throws {
        var device = try device()
        device.effects = []
        for (expires, wallClock) in [
            ("2027-01-15T08:00:00Z", nil), ("2027-01-15T08:00:01Z", nil), ("2028-01-01T00:00:00Z", "2028"),
        ] {
            var version = Version("v2", serial: 2)
            version.extra = "\"expires\": \"\(expires)\","
            device.offered = version
            if wallClock != nil {
                device.updater.launch?.wallClock = WallClock(seconds: 1_830_297_600, at: device.now)
            }
            device.script = { $0.kind == .manifest ? signed(version.manifest, by: [Self.first]) : nil }
            device.check()
        }
        expect(&device, "signedTerms")
        var bare = try self.device(.frontend)
        bare.effects = []
        bare.script = { _ in
            signed(
                Array(
                    """
                    { "commit": "c", "date": "2026-11-20T12:00:00Z",
                      "files": [{ "path": "i", "route": "/" }] }
                    """.utf8), by: [Self.first])
        }
        bare.check()
        expect(&bare, "signedBare")
    }

    @Test("Keys that a manifest publishes count once its version has confirmed and that is durable")
    func replaced() throws {
        var device = try device()
        var version = Version("v2", serial: 2)
        version.extra =
            "\"keys\": [{ \"id\": \"k2\", \"algorithm\": \"ed25519\", \"key\": \"\(Hex.text(Self.second.bytes))\" }],"
        device.offered = version
        device.script = { [version] in
            $0.kind == .manifest ? signed(version.manifest, by: [Self.first]) : nil
        }
        device.check()
        device.kill()
        try device.launch()
        let token = device.load(.processStart)
        #expect(device.updater.signingKeys?.map(\.id) == ["k1", "cut"])
        device.effects = []
        device.send(.page(token, .confirmed))
        expect(&device, "signedReplaced")
        #expect(device.updater.signingKeys?.map(\.id) == ["k2"])
        let next = Version("v3", serial: 3)
        device.offered = next
        for (key, isTaken) in [(Self.first, false), (Self.second, true)] {
            device.script = { $0.kind == .manifest ? signed(next.manifest, by: [key]) : nil }
            device.check()
            #expect((device.status.pending?.id == "v3") == isTaken)
        }
        #expect(device.updater.record.acceptedSignatures.map(\.signer).last == Self.second.fingerprint)
    }

    @Test("The first of several signatures that is valid is named")
    func answers() {
        let message: [UInt8] = [1, 2]
        func claim(_ key: PublicKey, isValid: Bool) -> SignatureRequest.Claim {
            .init(key: key, signature: SHA256.hash(of: key.bytes + message + (isValid ? [] : [3])).bytes)
        }
        for (valid, answer) in [
            ([true, true], SignatureAnswer.valid(0)), ([false, true], .valid(1)), ([false, false], .invalid),
            ([], .invalid),
        ] as [([Bool], SignatureAnswer)] {
            let claims = zip([Self.first, Self.second], valid).map { claim($0, isValid: $1) }
            let request = SignatureRequest(message: message, claims: claims)
            #expect(request.answer(by: Verifier()) == answer)
        }
    }

    @Test("N1: a version of an earlier build counts as signed if a whole key of this one has signed it")
    func builds() throws {
        let key = VersionKey(id: "v", digest: SHA256.hash(of: [1]))
        let cut = PublicKey(id: "cut", algorithm: .ed25519, bytes: [1])
        for (keys, signer, isSigned) in [
            (nil, nil, true), ([], Self.first, false), ([Self.first], Self.first, true),
            ([Self.second], Self.first, false), ([Self.second, Self.first], Self.first, true),
            ([cut], cut, false), ([Self.first], nil, false),
        ] as [([PublicKey]?, PublicKey?, Bool)] {
            var updater = Updater()
            updater.settings.keys = keys
            for other in [key, VersionKey(id: "w", digest: SHA256.hash(of: [2]))] {
                guard let signer else { continue }
                updater.record.acceptedSignatures.append(
                    AcceptedSignature(
                        version: other, line: updater.record.line,
                        signer: other == key ? signer.fingerprint : SHA256.hash(of: [9]), keys: []))
            }
            #expect(updater.isSignedForThisBuild(key) == isSigned)
        }
    }

    @Test("An index of a signature that was not asked for is wrong")
    func index() throws {
        var device = try device()
        device.verifier = nil
        let version = Version("v2", serial: 2)
        device.script = { $0.kind == .manifest ? signed(version.manifest, by: [Self.first]) : nil }
        device.settings.keys = [Self.first]
        device.check()
        #expect(device.causes(.signatureUnverifiable) == 1)
        for (answer, cause) in [
            (SignatureAnswer.valid(1), LogCause.signatureWrong), (.valid(-1), .signatureWrong),
            (.invalid, .signatureWrong), (.unavailable, .signatureUnverifiable),
        ] {
            device.delayed = ["/manifest.json"]
            device.waiting = []
            device.send(.check(.user))
            let id = try #require(device.waiting.last?.id)
            let reply = signed(version.manifest, by: [Self.first])
            let before = device.causes(cause)
            var events = reply.events(device.now).map { Updater.Event.transfer(id, $0) }
            events.append(.signaturesVerified(id, answer))
            device.send(events)
            #expect(device.causes(cause) == before + 1, "\(answer)")
            #expect(device.status.pending == nil && device.updater.checks.run == nil)
        }
    }
}

extension SigningCourseTests {
    fileprivate static let courses: [String: String] = [
        "signedLaunch": """
        log launched native=1.0 front=true boot=boot-1
        log key-unusable key=cut p256 bytes=1
        current v1
        ready
        page 1 gets v1
        no timer startup
        no timer sendingAllowance
        timer cover 20000 ms
        no timer startup
        no timer sendingAllowance
        timer cover 20000 ms
        no timer cover
        no timer startup
        no timer sendingAllowance
        no timer startup
        no timer sendingAllowance
        """,
        "signedRefused": """
        fetch 1 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 1 15000 ms
        timer idle 1 30000 ms
        no timer idle 1
        log signature-missing check: the response does not begin with otalab-signed-1
        notice error signature-missing check: the response does not begin with otalab-signed-1
        timer retry 1048 ms
        fetch 2 manifest /app/manifest.json attempt 2 for com.example.shop, this device, stable, 1.0, \
        v1 Cache-Control=no-cache
        timer idle 2 15000 ms
        no timer retry
        timer idle 2 30000 ms
        no timer idle 2
        log signature-algorithm-unknown check: algorithm=rsa
        notice error signature-algorithm-unknown check: algorithm=rsa
        timer retry 2066 ms
        fetch 3 manifest /app/manifest.json attempt 3 for com.example.shop, this device, stable, 1.0, \
        v1 Cache-Control=no-cache
        timer idle 3 15000 ms
        no timer retry
        timer idle 3 30000 ms
        no timer idle 3
        log envelope-malformed check: line 2
        notice error envelope-malformed check: line 2
        timer retry 4996 ms
        fetch 4 manifest /app/manifest.json attempt 4 for com.example.shop, this device, stable, 1.0, \
        v1 Cache-Control=no-cache
        timer idle 4 15000 ms
        no timer retry
        timer idle 4 30000 ms
        no timer idle 4
        log signature-by-unknown-key check: key=k2
        notice error signature-by-unknown-key check: key=k2
        timer retry 8576 ms
        fetch 5 manifest /app/manifest.json attempt 5 for com.example.shop, this device, stable, 1.0, \
        v1 Cache-Control=no-cache
        timer idle 5 15000 ms
        no timer retry
        timer idle 5 30000 ms
        verify 5 by k1
        no timer idle 5
        log signature-wrong check: key=k1
        notice error signature-wrong check: key=k1
        timer retry 13536 ms
        """,
        "signedTerms": """
        fetch 1 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 1 15000 ms
        timer idle 1 30000 ms
        verify 1 by k1
        no timer idle 1
        log manifest-expired check: expires=2027-01-15T08:00:00Z now=2027-01-15T08:00:00Z
        notice error manifest-expired check: expires=2027-01-15T08:00:00Z now=2027-01-15T08:00:00Z
        timer retry 1048 ms
        fetch 2 manifest /app/manifest.json attempt 2 for com.example.shop, this device, stable, 1.0, \
        v1 Cache-Control=no-cache
        timer idle 2 15000 ms
        no timer retry
        timer idle 2 30000 ms
        verify 2 by k1
        no timer idle 2
        log download-started v2 rows=3
        notice progress v2 2/3 files, 729/3729 bytes
        fetch 3 /app.js /app.js
        timer idle 3 15000 ms
        timer idle 3 30000 ms
        notice progress v2 2/3 files, 3729/3729 bytes
        no timer idle 3
        notice progress v2 3/3 files, 3729/3729 bytes
        timer collectGarbage 60000 ms
        log became-pending v2 verified=every-byte unchanged=by-hash order=serial orders=yes native=range
        notice newVersionReady v2
        fetch 4 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 4 15000 ms
        timer idle 4 30000 ms
        verify 4 by k1
        no timer idle 4
        log manifest-expired check: expires=2028-01-01T00:00:00Z now=2028-01-01T00:00:00Z
        notice error manifest-expired check: expires=2028-01-01T00:00:00Z now=2028-01-01T00:00:00Z
        timer retry 1048 ms
        """,
        "signedBare": """
        fetch 1 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 1 15000 ms
        timer idle 1 30000 ms
        verify 1 by k1
        no timer idle 1
        log row-without-sha256 check: route=/
        notice error row-without-sha256 check: route=/
        timer retry 1048 ms
        """,
        "signedReplaced": """
        no timer startup
        no timer sendingAllowance
        log start-confirmed v2
        log keys-replaced v2 keys=k2
        """,
    ]
}
