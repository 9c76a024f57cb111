import Backend
import Core
import ScenarioLanguage
import Updater

/// Signs and verifies manifests inside a world. **A stand-in, no cryptography**: whoever has the public key
/// can sign, so it is of no use outside of a world, where only the origin signs. A device verifies with what
/// its platform has (`SignatureVerifier`).
///
/// A signature is SHA-256 of algorithm, key and message, as long as one of the algorithm.
package struct StandInSignatures: SignatureVerifier {
    package init() {}

    package func isValid(_ signature: [UInt8], of message: [UInt8], by key: PublicKey) -> Bool {
        signature == StandInSignatures.signature(of: message, by: key)
    }

    static func signature(of message: [UInt8], by key: PublicKey) -> [UInt8] {
        let hash = SHA256.hash(of: Array(key.algorithm.rawValue.utf8) + key.bytes + message).bytes
        return hash + hash
    }

    /// The whole key of a setup's name.
    static func key(_ setup: KeySetup) -> PublicKey {
        let hash = SHA256.hash(of: Array("key \(setup.name)".utf8)).bytes
        switch setup.algorithm {
        case .ed25519: return PublicKey(id: setup.name, algorithm: .ed25519, bytes: hash)
        case .p256: return PublicKey(id: setup.name, algorithm: .p256, bytes: [4] + hash + hash)
        }
    }

    /// What a build has of it.
    static func builtIn(_ setup: KeySetup) -> PublicKey {
        var key = key(setup)
        switch setup.form {
        case .whole: break
        case .cut: key.bytes.removeLast(key.bytes.count / 2)
        case .empty: key.bytes = []
        }
        return key
    }
}

extension WorldSetup {
    func key(named name: String) -> KeySetup? { app.keys.first { $0.name == name } }

    /// The keys of a build, as its app passes them to the updater.
    func publicKeys(of build: BuildSetup) -> [PublicKey]? {
        build.keys.map { $0.compactMap { key(named: $0) }.map(StandInSignatures.builtIn) }
    }

    /// Who signs a manifest of which nothing else is said: the first key of the first build that has one.
    var usualSigners: [String] { app.builds.lazy.compactMap(\.keys?.first).first.map { [$0] } ?? [] }

    /// Whether some build takes signed manifests only.
    var isSigning: Bool { app.builds.contains { $0.keys != nil } }
}
