import Core

/// What a signed manifest says about signatures (U16), in any dialect. An app without keys does not read it.
struct SigningTerms: Hashable, Sendable {
    /// Time from which the manifest is not accepted any more.
    var expires: OriginTime?
    /// Keys that replace those of the origin line, once a version of this manifest has confirmed; empty: they
    /// stay.
    var keys: [PublicKey] = []

    static let maxKeys = 16

    /// A key that could not verify anything would lock the app out, so it makes the manifest malformed.
    init(_ root: ManifestNode) throws(ManifestRefusal) {
        if let text = try root.optionalString("expires") {
            guard let time = ISODate.time(text) else {
                throw root.malformed("expires", "an ISO 8601 date and time")
            }
            expires = time
        }
        guard root.has("keys") else { return }
        var entries = try root.files("keys")
        while let (node, _) = try entries.next() {
            let key = try SigningTerms.key(node)
            guard keys.count < SigningTerms.maxKeys, !keys.contains(where: { $0.id == key.id }) else {
                throw root.malformed("keys", "at most \(SigningTerms.maxKeys) keys, each id once")
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw root.malformed("keys", "at least one key") }
    }

    private static func key(_ node: ManifestNode) throws(ManifestRefusal) -> PublicKey {
        let name = try node.string("algorithm")
        guard let algorithm = SignatureAlgorithm(rawValue: name) else {
            throw node.malformed("algorithm", "ed25519 or p256")
        }
        let bytes = Hex.bytes(try node.string("key")) ?? []
        let key = PublicKey(id: try node.string("id"), algorithm: algorithm, bytes: bytes)
        guard key.isUsable else { throw node.malformed("key", "an id, and a key of its algorithm in hex") }
        return key
    }
}
