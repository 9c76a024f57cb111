import Core

/// Signed releases (U16): an app that was built with keys takes manifests only from files that one of them
/// has signed. The signature is verified before anything in the manifest is read.
///
/// What can go wrong has a cause each: no signature, one by an unknown key or algorithm, a wrong one, a host
/// that can't verify, a manifest that has expired, a row without SHA-256. The check has failed then: nothing
/// is accepted, what runs goes on, and what is complete on this device stays.
extension Updater {
    /// Keys in force for the origin line; nil: the app was built without keys. Published ones count once they
    /// are durable: the next process would not know of them.
    var signingKeys: [PublicKey]? {
        guard let built = settings.keys else { return nil }
        return lastingRecord.lineKeys.first { $0.line == record.line }?.keys ?? built
    }

    /// Bytes that a response to a check may have.
    var manifestResponseLimit: Int {
        let limit = settings.limits.manifestBytes
        return settings.keys == nil
            ? limit : min(limit, Int.max - SignedManifest.maxHead) + SignedManifest.maxHead
    }

    /// Names the keys of the build that can verify nothing, because they were cut or mistyped.
    mutating func logUnusableKeys() {
        guard let keys = settings.keys else { return }
        for key in keys where !key.isUsable {
            log(
                .keyUnusable, nil,
                "key=\(key.id.prefix(64)) \(key.algorithm.rawValue) bytes=\(key.bytes.count)")
        }
        if keys.isEmpty { log(.keyUnusable, nil, "the app has no keys, so that nothing can be accepted") }
    }

    /// Has the signatures of a response verified, before the manifest in it is read.
    /// - Throws: why there is nothing to verify.
    mutating func verifySignatures(of run: CheckRun, by keys: [PublicKey]) throws(ManifestRefusal) {
        let signed = try SignedManifest(run.body)
        let claims = try signed.claims(by: keys)
        checks.run?.claims = claims
        checks.run?.body = signed.manifest
        effects.append(.verifySignatures(run.id, SignatureRequest(message: signed.manifest, claims: claims)))
    }

    /// The host has verified the signatures that the check in progress waits for.
    mutating func signaturesVerified(_ id: TransferID, _ answer: SignatureAnswer) {
        guard let run = checks.run, run.id == id, !run.claims.isEmpty, run.signer == nil else { return }
        switch answer {
        case .valid(let index):
            guard run.claims.indices.contains(index) else { return checkFailed(.signatureWrong, "") }
            checks.run?.signer = run.claims[index].key
            readManifest()
        case .invalid:
            let ids = run.claims.map(\.key.id).joined(separator: ",")
            checkFailed(.signatureWrong, "key=\(ids.prefix(200))")
        case .unavailable: checkFailed(.signatureUnverifiable, "this host verifies no signatures")
        }
    }

    /// What an app with keys requires of a manifest whose signature is valid.
    func checkSigned(_ table: VersionTable, _ terms: SigningTerms, _ run: CheckRun) throws(ManifestRefusal) {
        guard settings.keys != nil else { return }
        if let expires = terms.expires, let time = latestTime(run), expires <= time {
            throw ManifestRefusal(
                .manifestExpired, "expires=\(ISODate.text(expires)) now=\(ISODate.text(time))")
        }
        let weak = table.assets.first { if case .sha256 = $0.hash { false } else { true } }
        if let weak { throw ManifestRefusal(.rowWithoutSHA256, "route=\(weak.route)") }
    }

    /// The later of the wall clock and the newest origin time: neither a clock that was set back nor an
    /// origin that keeps an old answer makes an expired manifest valid. A newest time that both refute does
    /// not count: one wrong date would expire every manifest for years.
    private func latestTime(_ run: CheckRun) -> OriginTime? {
        let isRefuted = run.date.map { isOriginTimeRefuted(by: $0) } ?? false
        let known = isRefuted ? nil : record.originTime
        return [launch?.wallClock?.time(at: now), known, run.date].compactMap(\.self).max()
    }

    /// A signed manifest was accepted: its keys wait for the confirmation of its version, if that has not
    /// confirmed already.
    mutating func noteSignature(_ table: VersionTable, _ terms: SigningTerms, _ run: CheckRun) {
        guard let signer = run.signer else { return }
        record.note(
            AcceptedSignature(
                version: table.key, line: record.line, signer: signer.fingerprint, keys: terms.keys))
        if hasConfirmed(table.key) { takeKeys(confirmedBy: table.key) }
    }

    /// Whether a start of the version has confirmed on this build; of the embedded one, which needs no
    /// confirmation to be good, in this process.
    private func hasConfirmed(_ key: VersionKey) -> Bool {
        guard key == record.embedded else { return record.isGood(key) }
        return starts.run.map { $0.key == key && $0.isConfirmed } ?? false
    }

    mutating func takeKeys(confirmedBy key: VersionKey) {
        guard settings.keys != nil, let taken = record.takeKeys(confirmedBy: key) else { return }
        logWhenDurable(
            .keysReplaced, key, "keys=\(taken.keys.map(\.id).joined(separator: ",").prefix(200))")
    }

    /// Whether a version of an earlier native build was signed by a key of this one. Without keys every one
    /// counts.
    func isSignedForThisBuild(_ key: VersionKey) -> Bool {
        guard let keys = settings.keys else { return true }
        let signer = record.acceptedSignatures.first { $0.version == key }?.signer
        return keys.contains { $0.isUsable && $0.fingerprint == signer }
    }
}
