import Core

/// A rollout by share (own dialect): the devices that a publication is offered to. A static host can serve
/// it, because the device decides.
///
/// A device is inside where SHA-256(salt ‖ 0x00 ‖ device), its first 8 bytes as a big-endian number, modulo
/// `of` is below `share`. The same device gives the same answer at every launch, for every manifest with
/// this salt; the salt defaults to the version's id, so that not the same devices are the first each time.
package struct Rollout: Hashable, Sendable {
    /// Share of the devices, of ``of``: 0 is none, `of` is all.
    package var share: Int
    package var of: Int
    package var salt: String
    /// URL of the manifest for the devices outside, relative to that of this manifest; nil: nothing is
    /// offered to them.
    package var otherwise: String?

    package init(share: Int, of: Int, salt: String, otherwise: String? = nil) {
        self.share = share
        self.of = of
        self.salt = salt
        self.otherwise = otherwise
    }

    package func includes(device: String) -> Bool {
        let digest = SHA256.hash(of: Array(salt.utf8) + [0] + Array(device.utf8))
        return digest.words.0 % UInt64(of) < UInt64(share)
    }

    /// Other manifests that a check may request one after the other.
    package static let maxHops = 3
    static let maxURLBytes = 4_096

    static func read(_ root: ManifestNode, version: String) throws(ManifestRefusal) -> Rollout? {
        guard let node = try root.optionalObject("rollout") else { return nil }
        let share = try node.wholeNumber("share")
        let of = try node.wholeNumber("of")
        guard of >= 1, share <= of else {
            throw ManifestRefusal(.rolloutImpossible, "share=\(share) of=\(of)")
        }
        let salt = try node.optionalString("salt") ?? version
        let otherwise = try node.optionalString("otherwise")
        if let otherwise, otherwise.isEmpty || otherwise.utf8.count > maxURLBytes {
            throw node.malformed("otherwise", "a URL of at most \(maxURLBytes) bytes")
        }
        return Rollout(share: share, of: of, salt: salt, otherwise: otherwise)
    }
}
