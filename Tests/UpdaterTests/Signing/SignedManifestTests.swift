import Core
import Testing

@testable import Updater

@Suite("Signed manifests (U16): the file")
struct SignedManifestTests {
    private static let manifest = Array("{\"a\": 1}\n\nlast".utf8)
    private static let key = PublicKey(
        id: "k1", algorithm: .ed25519, bytes: [UInt8](repeating: 3, count: 32))

    private func file(_ head: String, _ manifest: [UInt8] = manifest) -> [UInt8] {
        Array(head.utf8) + manifest
    }

    private func cause(_ bytes: [UInt8]) -> LogCause? {
        do {
            _ = try SignedManifest(bytes).claims(by: [SignedManifestTests.key])
            return nil
        } catch {
            return error.cause
        }
    }

    @Test("The manifest is every byte after the first empty line")
    func whole() throws {
        let signed = try SignedManifest(file("otalab-signed-1\ned25519 k1 0aFF\np256 k2 00\n\n"))
        #expect(signed.manifest == SignedManifestTests.manifest)
        #expect(signed.signatures.map(\.algorithm) == ["ed25519", "p256"])
        #expect(signed.signatures.map(\.key) == ["k1", "k2"])
        #expect(signed.signatures.map(\.bytes) == [[0x0a, 0xff], [0]])
        #expect(try SignedManifest(file("otalab-signed-1\ned25519 k1 00\n\n", [])).manifest.isEmpty)
    }

    @Test("What is no signed file is refused for its cause")
    func refused() {
        #expect(cause(SignedManifestTests.manifest) == .signatureMissing)
        #expect(cause([]) == .signatureMissing)
        #expect(cause(file("otalab-signed-2\ned25519 k1 00\n\n")) == .signatureMissing)
        #expect(cause(file("otalab-signed-1\r\ned25519 k1 00\r\n\r\n")) == .signatureMissing)
        #expect(cause(file("otalab-signed-1\n\n")) == .signatureMissing)
        for line in [
            "ed25519 k1", "ed25519  00", "ed25519 k1 0", "ed25519 k1 0g", "ed25519 k1 00 ", " k1 00 x",
        ] {
            #expect(cause(file("otalab-signed-1\n\(line)\n\n")) == .envelopeMalformed, "\(line)")
        }
        #expect(cause(file("otalab-signed-1\ned25519 k1 00\n", [])) == .envelopeMalformed)
        #expect(cause(file("otalab-signed-1\nrsa k1 00\n\n")) == .signatureAlgorithmUnknown)
        #expect(cause(file("otalab-signed-1\ned25519 k2 00\n\n")) == .signatureByUnknownKey)
        #expect(cause(file("otalab-signed-1\np256 k1 00\n\n")) == .signatureByUnknownKey)
        #expect(cause(file("otalab-signed-1\nrsa k1 00\ned25519 k1 00\n\n")) == nil)
    }

    @Test("A head has sixteen signatures and 8 KiB at most, which is all of the file that is searched")
    func bounds() {
        let line = "ed25519 k1 00\n"
        func lines(_ count: Int) -> String { String(repeating: line, count: count) }
        #expect(cause(file("otalab-signed-1\n\(lines(16))\n")) == nil)
        #expect(cause(file("otalab-signed-1\n\(lines(17))\n")) == .envelopeMalformed)
        func long(_ bytes: Int) -> [UInt8] {
            let start = "otalab-signed-1\nrsa k 00\ned25519 k1 "
            return file(start + String(repeating: "0", count: bytes - start.utf8.count - 2) + "\n\n")
        }
        #expect(cause(long(SignedManifest.maxHead)) == nil)
        #expect(cause(long(SignedManifest.maxHead + 2)) == .envelopeMalformed)
    }

    @Test("One signature is one claim, however often it is there")
    func claims() throws {
        let signed = try SignedManifest(
            file("otalab-signed-1\ned25519 k1 01\ned25519 k1 01\ned25519 k1 02\ned25519 k2 03\n\n"))
        let claims = try signed.claims(by: [SignedManifestTests.key])
        #expect(claims.map(\.signature) == [[1], [2]])
    }

    @Test("A key of another length, or no point of its curve's form, verifies nothing")
    func keys() {
        func isUsable(_ algorithm: SignatureAlgorithm, _ count: Int, first: UInt8 = 4, id: String = "k")
            -> Bool
        {
            PublicKey(
                id: id, algorithm: algorithm,
                bytes: Array(([first] + [UInt8](repeating: 1, count: 99)).prefix(count))
            ).isUsable
        }
        #expect([0, 16, 31, 33].allSatisfy { !isUsable(.ed25519, $0) } && isUsable(.ed25519, 32))
        #expect([0, 32, 64, 66].allSatisfy { !isUsable(.p256, $0) } && isUsable(.p256, 65))
        #expect(!isUsable(.p256, 65, first: 2))
        for id in ["", "a b", "ä", String(repeating: "k", count: 65)] {
            #expect(!isUsable(.ed25519, 32, id: id))
        }
        #expect(isUsable(.ed25519, 32, id: String(repeating: "k", count: 64)))
    }
}

@Suite("Signed manifests (U16): what they say of signatures")
struct SigningTermsTests {
    private func terms(_ fields: String) throws(ManifestRefusal) -> SigningTerms {
        var version = Version("v2", serial: 2)
        version.extra = fields
        var reading = ManifestReading(
            version.manifest, dialect: .own, limits: UpdaterLimits(), isSigned: true)
        _ = try reading.step(.max)
        guard let terms = reading.terms else { throw ManifestRefusal(.manifestUnreadable, "no terms") }
        return terms
    }

    private func cause(_ fields: String) -> LogCause? {
        do {
            _ = try terms(fields)
            return nil
        } catch {
            return error.cause
        }
    }

    private static let key = String(repeating: "ab", count: 32)

    @Test("Expiry and keys are read; a manifest without them says nothing")
    func reading() throws {
        let nothing = try terms("")
        #expect(nothing.expires == nil && nothing.keys.isEmpty)
        let read = try terms(
            #""expires": "2030-01-02T03:04:05Z", "keys": [{ "id": "k2", "algorithm": "ed25519", "key": "\#(SigningTermsTests.key)" }],"#
        )
        #expect(read.expires.map { ISODate.text($0) } == "2030-01-02T03:04:05Z")
        #expect(
            read.keys == [
                PublicKey(id: "k2", algorithm: .ed25519, bytes: [UInt8](repeating: 0xab, count: 32))
            ])
    }

    @Test("Keys that would lock the app out make the manifest malformed")
    func lockout() {
        func key(_ id: String, _ algorithm: String = "ed25519", _ key: String = SigningTermsTests.key)
            -> String
        {
            #"{ "id": "\#(id)", "algorithm": "\#(algorithm)", "key": "\#(key)" }"#
        }
        #expect(cause(#""keys": [\#(key("a"))],"#) == nil)
        for keys in [
            "[]", "{}", "[1]", "[\(key("a")), \(key("a"))]", "[\(key("a", "rsa"))]", "[\(key("a", "p256"))]",
            "[\(key("a", "ed25519", "00"))]", "[\(key("a", "ed25519", "zz"))]", "[\(key("a b"))]",
            "[" + (0...16).map { key("k\($0)") }.joined(separator: ",") + "]",
        ] {
            #expect(cause(#""keys": \#(keys),"#) == .manifestFieldMalformed, "\(keys.prefix(80))")
        }
        #expect(cause(#""expires": "tomorrow","#) == .manifestFieldMalformed)
    }

    @Test("An app without keys does not read them")
    func unsigned() throws {
        var version = Version("v2", serial: 2)
        version.extra = #""expires": 7, "keys": "none","#
        _ = try ManifestReader(dialect: .own).read(version.manifest)
    }
}

@Suite("Signed releases (U16): a device")
struct SignedReleaseTests {
    /// A signature is the hash of key and message.
    private struct Verifier: SignatureVerifier {
        func isValid(_ signature: [UInt8], of message: [UInt8], by key: PublicKey) -> Bool {
            signature == SignedReleaseTests.sign(message, key)
        }
    }

    private static func sign(_ message: [UInt8], _ key: PublicKey) -> [UInt8] {
        SHA256.hash(of: key.bytes + message).bytes
    }

    private static let key = PublicKey(id: "k1", algorithm: .ed25519, bytes: [UInt8](repeating: 5, count: 32))

    private func signed(_ version: Version) -> Reply {
        let manifest = version.manifest
        let line = "ed25519 k1 " + Hex.text(SignedReleaseTests.sign(manifest, SignedReleaseTests.key))
        return Reply(200, Array("otalab-signed-1\n\(line)\n\n".utf8) + manifest)
    }

    private func device(_ verifier: (any SignatureVerifier)?) throws -> Harness {
        var device = try Harness.started()
        device.kill()
        device.settings.keys = [SignedReleaseTests.key]
        device.verifier = verifier
        try device.launch()
        return device
    }

    @Test("Without a verifier the host accepts nothing, and says so")
    func unavailable() throws {
        var device = try device(nil)
        let version = Version("v2", serial: 2)
        device.offered = version
        device.script = { $0.kind == .manifest ? signed(version) : nil }
        device.check()
        #expect(device.causes(.signatureUnverifiable) == 1 && device.status.pending == nil)
        device.verifier = Verifier()
        device.check()
        #expect(device.status.pending?.id == "v2")
    }

    @Test("An answer of the verifier that comes after its check, or twice, changes nothing")
    func late() throws {
        var device = try device(Verifier())
        let version = Version("v2", serial: 2)
        device.offered = version
        device.script = { $0.kind == .manifest ? signed(version) : nil }
        device.send(.signaturesVerified(TransferID(1), .valid(0)))
        device.check()
        #expect(device.status.pending?.id == "v2")
        let before = device.logged.count
        for number in 0..<8 as Range<UInt32> {
            device.send(.signaturesVerified(TransferID(number), .invalid))
        }
        #expect(device.logged.count == before)
    }

    @Test("A manifest may be as long as without a signature")
    func length() throws {
        var device = try device(Verifier())
        let version = Version("v2", serial: 2)
        device.settings.limits.manifestBytes = version.manifest.count
        device.send(.settings(device.settings))
        device.offered = version
        device.script = { $0.kind == .manifest ? signed(version) : nil }
        device.check()
        #expect(device.status.pending?.id == "v2")
        device.settings.limits.manifestBytes -= 1
        device.send(.settings(device.settings))
        device.check()
        #expect(device.causes(.manifestTooLarge) == 1)
    }

    @Test("Of many origin lines the keys of the newest eight are kept")
    func lines() {
        var record = StoreRecord()
        for number in 0..<10 {
            let key = VersionKey(id: "v\(number)", digest: SHA256.hash(of: [UInt8(number)]))
            record.update(key) { _ in }
            record.note(
                AcceptedSignature(
                    version: key, line: OriginLine(root: "https://r\(number)", channel: "stable"),
                    signer: SignedReleaseTests.key.fingerprint, keys: [SignedReleaseTests.key]))
            #expect(record.takeKeys(confirmedBy: key)?.line.root == "https://r\(number)")
            #expect(record.takeKeys(confirmedBy: key) == nil)
        }
        #expect(record.lineKeys.map(\.line.root) == (2..<10).map { "https://r\($0)" })
        record.forgetKeys()
        #expect(record.lineKeys.isEmpty && record.acceptedSignatures.count == 10)
    }
}
