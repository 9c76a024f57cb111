import Core

/// A signed manifest as it is published: signatures and the manifest's exact bytes in one file, so that edges
/// and caches can't combine those of two releases (U16).
///
/// ```
/// otalab-signed-1
/// ed25519 2026 0f3a…                    algorithm, id of the key, signature in hex
///                                       an empty line
/// {"format":"otalab-manifest-1", …      the manifest, to the end of the file
/// ```
///
/// A signature is of all bytes after the empty line. Lines end with a line feed. Unknown algorithms and ids
/// of keys are ignored if another signature is valid.
///
/// Guarantees: reading looks at the head alone, which has 16 signatures and 8 KiB at most.
package struct SignedManifest: Hashable, Sendable {
    package struct Signature: Hashable, Sendable {
        package var algorithm: String
        package var key: String
        package var bytes: [UInt8]
    }

    package private(set) var signatures: [Signature]
    package private(set) var manifest: [UInt8]

    package static let format = "otalab-signed-1"
    static let maxSignatures = 16
    /// Bytes before the manifest.
    static let maxHead = 8 << 10

    /// - Throws: why the app can't accept the file: it is not signed, or its head is malformed.
    package init(_ bytes: [UInt8]) throws(ManifestRefusal) {
        var lines = HeadLines(bytes)
        guard let first = lines.next(), first == SignedManifest.format else {
            throw ManifestRefusal(
                .signatureMissing, "the response does not begin with \(SignedManifest.format)")
        }
        var read: [Signature] = []
        while let line = lines.next(), !line.isEmpty {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            guard read.count < SignedManifest.maxSignatures, parts.count == 3,
                PublicKey.isID(String(parts[1])), let signature = Hex.bytes(parts[2])
            else { throw SignedManifest.malformed("line \(read.count + 2)") }
            read.append(Signature(algorithm: String(parts[0]), key: String(parts[1]), bytes: signature))
        }
        guard lines.isComplete else { throw SignedManifest.malformed("no empty line after the signatures") }
        signatures = read
        manifest = Array(bytes[lines.end...])
    }

    private static func malformed(_ place: String) -> ManifestRefusal {
        ManifestRefusal(.envelopeMalformed, place)
    }

    /// The signatures that these keys can verify, each once.
    /// - Throws: why there is none.
    package func claims(by keys: [PublicKey]) throws(ManifestRefusal) -> [SignatureRequest.Claim] {
        guard !signatures.isEmpty else { throw ManifestRefusal(.signatureMissing, "no signature") }
        let known = signatures.filter { SignatureAlgorithm(rawValue: $0.algorithm) != nil }
        guard !known.isEmpty else {
            throw ManifestRefusal(
                .signatureAlgorithmUnknown, "algorithm=\(signatures[0].algorithm.prefix(40))")
        }
        var claims: [SignatureRequest.Claim] = []
        for signature in known {
            let key = keys.first {
                $0.id == signature.key && $0.algorithm.rawValue == signature.algorithm && $0.isUsable
            }
            guard let key, !claims.contains(where: { $0 == .init(key: key, signature: signature.bytes) })
            else { continue }
            claims.append(.init(key: key, signature: signature.bytes))
        }
        guard !claims.isEmpty else {
            let ids = known.map(\.key).joined(separator: ",")
            throw ManifestRefusal(.signatureByUnknownKey, "key=\(ids.prefix(200))")
        }
        return claims
    }
}

/// The lines of the head of a signed manifest, up to the empty one.
private struct HeadLines {
    private let bytes: [UInt8]
    /// First byte after the lines so far.
    private(set) var end = 0
    /// Whether the last line was the empty one.
    private(set) var isComplete = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next line, without its end; nil: none ends within the bytes that a head can have.
    mutating func next() -> String? {
        let limit = min(bytes.count, SignedManifest.maxHead)
        guard let feed = bytes[min(end, limit)..<limit].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = String(decoding: bytes[end..<feed], as: UTF8.self)
        end = feed + 1
        isComplete = line.isEmpty
        return line
    }
}
