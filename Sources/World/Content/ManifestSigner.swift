import Backend
import Core
import ScenarioLanguage
import Updater

/// How the origin signs a manifest (U16).
struct ManifestSigning: Hashable, Sendable {
    /// Names of the keys; empty: it is published as it is.
    var signers: [String]
    /// The signature by the first of them.
    var form = SignatureForm.good
    var expires: OriginTime?
    /// Names of the keys that it publishes.
    var keys: [String] = []
}

/// Puts a manifest and its signatures in one file, in the format that the updater's `SignedManifest`
/// describes. Shares no code with it.
struct ManifestSigner {
    let setup: WorldSetup

    /// - Parameter former: what the origin published before.
    func file(_ manifest: [UInt8], _ signing: ManifestSigning, former: [UInt8]) -> [UInt8] {
        guard !signing.signers.isEmpty else { return manifest }
        var head = "otalab-signed-1\n"
        for (index, name) in signing.signers.enumerated() {
            guard let setup = setup.key(named: name) else { continue }
            head += lines(manifest, setup, index == 0 ? signing.form : .good, former)
        }
        return Array(head.utf8) + [UInt8(ascii: "\n")] + manifest
    }

    private func lines(_ manifest: [UInt8], _ setup: KeySetup, _ form: SignatureForm, _ former: [UInt8])
        -> String
    {
        let key = StandInSignatures.key(setup)
        let signed: [UInt8] =
            switch form {
            case .ofTheOneBefore: former
            case .ofAPart: Array(manifest.prefix(manifest.count / 2))
            case .damaged, .unknownAlgorithm, .malformed, .afterADamagedOne, .good: manifest
            }
        let signature = StandInSignatures.signature(of: signed, by: key)
        var damaged = signature
        damaged[0] ^= 1
        func line(_ algorithm: String, _ bytes: [UInt8]) -> String {
            "\(algorithm) \(key.id) \(Hex.text(bytes))\n"
        }
        let name = key.algorithm.rawValue
        switch form {
        case .damaged: return line(name, damaged)
        case .unknownAlgorithm: return line("rsa-4096", signature)
        case .malformed: return "\(name) \(key.id)\n"
        case .afterADamagedOne: return line(name, damaged) + line(name, signature)
        case .ofTheOneBefore, .ofAPart, .good: return line(name, signature)
        }
    }

    /// What checkers know of the signatures, without reading the file.
    func summary(_ signing: ManifestSigning, hashesAll: Bool, at date: OriginTime) -> ManifestSignature {
        var summary = ManifestSignature()
        summary.hashesAll = hashesAll
        summary.expires = signing.expires
        summary.date = date
        summary.keys = signing.keys
        switch signing.form {
        case .good, .afterADamagedOne: summary.signers = signing.signers
        // The whole file can't be read then.
        case .malformed: summary.signers = []
        case .damaged, .ofTheOneBefore, .ofAPart, .unknownAlgorithm:
            summary.signers = Array(signing.signers.dropFirst())
        }
        return summary
    }
}
