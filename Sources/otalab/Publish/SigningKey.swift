import Core
import DeviceShell
import Foundation
import Publishing
import Runner
import Updater

/// A private key for signing releases (U16), in a file: an id and the public key as text, then the key as
/// PEM (RFC 7468) of PKCS #8, which `openssl` reads too.
///
/// ```
/// otalab signing key 2026
/// ed25519 5f0a1c…
/// -----BEGIN PRIVATE KEY-----
/// …
/// -----END PRIVATE KEY-----
/// ```
///
/// Reading throws a ``UsageError`` for a file that is missing, that others can read, or that holds no such
/// key; no error contains anything of the private key.
struct SigningKey {
    let id: String
    let algorithm: SignatureAlgorithm
    let publicKey: [UInt8]
    private let privateKey: [UInt8]
    private let signer: SystemSigner

    private static let title = PublicKeyFile.title
    private static let begin = "-----BEGIN PRIVATE KEY-----"
    private static let end = "-----END PRIVATE KEY-----"

    /// A new random key.
    static func new(id: String, _ algorithm: SignatureAlgorithm) throws -> SigningKey {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<SystemSigner.privateKeyLength).map { _ in
            UInt8.random(in: 0...255, using: &generator)
        }
        return try SigningKey(id: id, algorithm, bytes)
    }

    private init(id: String, _ algorithm: SignatureAlgorithm, _ privateKey: [UInt8]) throws {
        guard PublicKey.isID(id) else {
            throw UsageError(
                message: "'\(id)' can't name a key",
                help: "write 1 to 64 visible ASCII characters, the year for example")
        }
        guard let signer = SystemSigner() else {
            throw SigningKey.noLibrary
        }
        guard let publicKey = signer.publicKey(of: privateKey, algorithm) else {
            throw UsageError(
                message: "libcrypto refuses the key '\(id)'", help: "make a new one: otalab keys new")
        }
        (self.id, self.algorithm, self.privateKey) = (id, algorithm, privateKey)
        (self.signer, self.publicKey) = (signer, publicKey)
    }

    static let noLibrary = UsageError(
        message: "this machine has no libcrypto that signs and verifies",
        help: "install OpenSSL 1.1.1 or later: apt-get install libssl3")

    static func read(_ path: String) throws -> SigningKey {
        var status = stat()
        guard stat(path, &status) == 0, let data = FileManager.default.contents(atPath: path) else {
            throw UsageError(
                message: "the key '\(path)' can't be read", help: "otalab keys new ID \(path) makes one")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw UsageError(
                message: "others on this machine can read or change the key '\(path)'",
                help: "chmod 600 \(ShellWord.quoted(path)); if anyone may have read it, make a new one")
        }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        guard let first = lines.first, first.hasPrefix(title), let begin = lines.firstIndex(of: begin),
            let end = lines.firstIndex(of: end), begin < end,
            let der = Data(base64Encoded: lines[(begin + 1)..<end].joined()),
            let algorithm = SignatureAlgorithm.allCases.first(where: {
                der.dropLast(SystemSigner.privateKeyLength).elementsEqual(SystemSigner.prefix(of: $0))
            })
        else {
            throw UsageError(
                message: "'\(path)' holds no key that 'otalab keys new' made",
                help: "its first line is '\(title)ID', and a key of Ed25519 or P-256 in PEM follows")
        }
        return try SigningKey(
            id: String(first.dropFirst(title.count)), algorithm,
            Array(der.suffix(SystemSigner.privateKeyLength)))
    }

    /// Writes a new file that only this user can read; never over another one.
    func write(to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw UsageError(
                message: errno == EEXIST ? "'\(path)' is there already" : "'\(path)' can't be written",
                help: "name another file: a key is never overwritten")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data(text.utf8))
        try file.synchronize()
    }

    private var text: String {
        let der = Data(SystemSigner.prefix(of: algorithm) + privateKey).base64EncodedString()
        return """
            \(PublicKeyFile.text(asPublic))\(SigningKey.begin)
            \(der)
            \(SigningKey.end)

            """
    }

    var asPublic: PublicKey { PublicKey(id: id, algorithm: algorithm, bytes: publicKey) }

    /// What goes into an app's settings, and into a manifest that replaces keys.
    var shown: String {
        """
        key   \(id)
        \(algorithm.rawValue) public key, hex   \(Hex.text(publicKey))

        in the app's settings:
          PublicKey(id: "\(id)", algorithm: .\(algorithm.rawValue), bytes: [
        \(swiftBytes)
          ])

        """
    }

    private var swiftBytes: String {
        stride(from: 0, to: publicKey.count, by: 8).map { start in
            let row = publicKey[start..<min(start + 8, publicKey.count)]
            return "    " + row.map { "0x" + Hex.text([$0]) + "," }.joined(separator: " ")
        }.joined(separator: "\n")
    }

    var releaseSigner: ReleaseSigner {
        ReleaseSigner(keyID: id, algorithm: algorithm) { [signer, privateKey, algorithm] in
            signer.signature(of: $0, by: privateKey, algorithm)
        }
    }
}
