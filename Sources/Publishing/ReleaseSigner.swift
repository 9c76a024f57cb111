import Core
import Updater

/// Signs what is published (U16). The cryptography is the caller's.
package struct ReleaseSigner: Sendable {
    package var keyID: String
    package var algorithm: SignatureAlgorithm
    /// The signature of exactly these bytes; nil if it can't be made.
    package var sign: @Sendable (_ manifest: [UInt8]) -> [UInt8]?

    package init(
        keyID: String, algorithm: SignatureAlgorithm, sign: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) {
        self.keyID = keyID
        self.algorithm = algorithm
        self.sign = sign
    }

    /// The file that is published: signatures, an empty line, and the manifest's bytes as they were signed.
    static func signed(_ manifest: [UInt8], by signers: [ReleaseSigner]) throws(PublishError) -> [UInt8] {
        if signers.isEmpty { return manifest }
        var head = SignedManifest.format + "\n"
        for signer in signers {
            guard let signature = signer.sign(manifest) else { throw .notSigned(keyID: signer.keyID) }
            head += "\(signer.algorithm.rawValue) \(signer.keyID) \(Hex.text(signature))\n"
        }
        return Array((head + "\n").utf8) + manifest
    }

    /// The manifest in a published file, and the ids of the keys that signed it.
    static func content(of file: [UInt8]) throws(ManifestRefusal) -> (manifest: [UInt8], keyIDs: [String]) {
        guard file.starts(with: SignedManifest.format.utf8) else { return (file, []) }
        let signed = try SignedManifest(file)
        return (signed.manifest, signed.signatures.map(\.key))
    }
}
