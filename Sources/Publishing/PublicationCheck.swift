import Core
import Updater

/// Whether what a folder offers is complete and right: `manifest.json`, each manifest to which a rollout
/// leads, and every file that they name, by length and hash; with keys also who signed the manifests.
package enum PublicationCheck {
    /// What an app would verify signatures by (U16).
    package struct Authority {
        package var keys: [PublicKey]
        package var verifier: any SignatureVerifier

        package init(keys: [PublicKey], verifier: any SignatureVerifier) {
            self.keys = keys
            self.verifier = verifier
        }

        /// Why an app with these keys would not take the file; nil: it would.
        fileprivate func refusal(of file: [UInt8]) -> String? {
            do throws(ManifestRefusal) {
                let signed = try SignedManifest(file)
                let claims = try signed.claims(by: keys)
                let request = SignatureRequest(message: signed.manifest, claims: claims)
                if case .valid = request.answer(by: verifier) { return nil }
                return "signature-wrong: the signature is not of these bytes by this key"
            } catch {
                return "\(error.cause.rawValue): \(error.detail)"
            }
        }
    }

    package struct Fault: Hashable, Sendable {
        /// The name in the folder: `files/<sha256>.js`.
        package var name: String
        package var what: String
    }

    package struct Result: Hashable, Sendable {
        package var version: String
        package var serial: Int
        /// Manifests and files that were read.
        package var manifests = 0
        package var files = 0
        package var faults: [Fault] = []
    }

    /// - Parameter authority: the keys of the apps; nil: signatures are not verified.
    package static func result(of disk: inout some Disk, by authority: Authority? = nil) throws(PublishError)
        -> Result
    {
        let releases = try PublishedReleases.read(&disk)
        guard let newest = releases.newest else { throw .noRelease }
        var result = Result(version: newest.table.key.id, serial: newest.serial)
        var tables = [newest.table]
        while tables.count <= Rollout.maxHops, let rollout = tables.last?.metadata.rollout {
            do throws(PublishError) {
                guard let table = try PublishedReleases.table(behind: rollout, &disk) else { break }
                tables.append(table)
            } catch {
                result.faults.append(Fault(name: rollout.otherwise ?? "", what: error.message))
                break
            }
        }
        result.manifests = tables.count
        if let authority {
            let others = tables.dropLast().compactMap { $0.metadata.rollout?.otherwise }
            for path in [PublishedFolder.manifest] + others.map({ PublishedFolder.root / $0 }) {
                let what = authority.refusal(of: try manifest(path, &disk))
                if let what { result.faults.append(Fault(name: path.name, what: what)) }
            }
        }
        var seen: Set<String> = []
        for asset in tables.flatMap(\.assets) where seen.insert(asset.url).inserted {
            result.files += 1
            if let what = fault(of: asset, &disk) { result.faults.append(Fault(name: asset.url, what: what)) }
        }
        return result
    }

    private static func manifest(_ path: DiskPath, _ disk: inout some Disk) throws(PublishError) -> [UInt8] {
        do throws(DiskError) { return try WebBuild.bytes(of: path, &disk) } catch { throw .disk(error) }
    }

    private static func fault(of asset: Asset, _ disk: inout some Disk) -> String? {
        guard let path = PublishedFolder.path(of: asset), case .sha256(let digest) = asset.hash else {
            return "the manifest names it in a way that 'otalab publish' does not"
        }
        do throws(DiskError) {
            let sum = try WebBuild.sum(of: path, &disk)
            if sum.size != asset.size { return "it has \(sum.size) bytes instead of \(asset.size ?? 0)" }
            return sum.digest == digest ? nil : "it has other bytes than the manifest says"
        } catch {
            return error.code == .notFound ? "it is not there" : "\(error)"
        }
    }
}
