import Core

/// Keys that an origin line has published in place of those of the native build (U16).
struct LineKeys: Hashable, Sendable {
    var line: OriginLine
    var keys: [PublicKey]

    /// Lines that a record keeps keys of: with those of the build, a line that is left and comes back much
    /// later is verified again.
    static let maxLines = 8
}

/// What a signed manifest that was accepted said, for as long as its version may be confirmed or kept.
struct AcceptedSignature: Hashable, Sendable {
    var version: VersionKey
    var line: OriginLine
    /// Fingerprint of the key that signed it.
    var signer: Digest256
    /// Keys that replace those of the line when the version confirms; empty: none.
    var keys: [PublicKey]
}

extension PublicKey {
    /// Identifies algorithm and key, whatever it is called.
    var fingerprint: Digest256 { SHA256.hash(of: Array(algorithm.rawValue.utf8) + [0] + bytes) }
}

extension StoreRecord {
    /// Keeps what the manifest of a version said; of versions that are not here and not on their way,
    /// nothing is kept.
    mutating func note(_ signature: AcceptedSignature) {
        acceptedSignatures.removeAll { known in
            known.version == signature.version
                || !(versions.contains { $0.key == known.version } || download == known.version)
        }
        acceptedSignatures.append(signature)
    }

    /// A version has confirmed: the keys of its manifest are those of its line from now on.
    /// - Returns: the new keys; nil: they stay.
    mutating func takeKeys(confirmedBy key: VersionKey) -> LineKeys? {
        guard let index = acceptedSignatures.firstIndex(where: { $0.version == key }),
            !acceptedSignatures[index].keys.isEmpty
        else { return nil }
        let taken = LineKeys(
            line: acceptedSignatures[index].line, keys: acceptedSignatures[index].keys.takeAll())
        lineKeys.removeAll { $0.line == taken.line }
        lineKeys.append(taken)
        if lineKeys.count > LineKeys.maxLines { lineKeys.removeFirst(lineKeys.count - LineKeys.maxLines) }
        return taken
    }

    /// U16: a new native build brings keys of its own.
    mutating func forgetKeys() {
        lineKeys = []
        for index in acceptedSignatures.indices { acceptedSignatures[index].keys = [] }
    }
}
