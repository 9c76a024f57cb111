import Core
import Updater

/// Whether what a folder offers is complete and right: `manifest.json`, each manifest to which a rollout
/// leads, and every file that they name, by length and hash.
package enum PublicationCheck {
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

    package static func result(of disk: inout some Disk) throws(PublishError) -> Result {
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
        var seen: Set<String> = []
        for asset in tables.flatMap(\.assets) where seen.insert(asset.url).inserted {
            result.files += 1
            if let what = fault(of: asset, &disk) { result.faults.append(Fault(name: asset.url, what: what)) }
        }
        return result
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
