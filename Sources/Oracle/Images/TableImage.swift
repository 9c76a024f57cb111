import Core
import Updater

/// A file `tables/<digest>`: where the content of each asset of a stored version is.
package struct TableImage: Hashable, Sendable {
    package var table: VersionTable
    /// One element for each asset of ``table``, in the same order.
    package var contents: [AssetContent]

    /// Where the content of an asset is stored.
    package struct AssetContent: Hashable, Sendable {
        package enum Location: Hashable, Sendable {
            case blob(Digest256)
            /// Path in the app package, relative to the embedded version's folder.
            case package(String)
            case absent
        }

        package var location: Location
        package var size: Int
        /// Strong entity tag of the response that delivered it.
        package var tag: String?

        package init(location: Location, size: Int, tag: String? = nil) {
            self.location = location
            self.size = size
            self.tag = tag
        }
    }

    package var key: VersionKey { table.key }

    /// Names of the stored files that it uses, one for each asset.
    package var blobs: [Digest256] {
        contents.compactMap { if case .blob(let name) = $0.location { name } else { nil } }
    }

    /// Whether any content is part of the app package.
    package var usesPackage: Bool {
        contents.contains { if case .package = $0.location { true } else { false } }
    }

    package init(table: VersionTable, contents: [AssetContent]) {
        self.table = table
        self.contents = contents
    }

    /// Nil if the bytes are damaged.
    package init?(bytes: [UInt8]) {
        guard let file = HeadedFile(bytes, format: "otalab-table-1", numbers: 2),
            file.numbers[1] == file.body.count, file.numbers[0] <= file.body.count,
            SHA256.hash(of: file.body) == file.checksum,
            let root = file.json(from: file.numbers[0]),
            let dialect = root["dialect"]?.string.flatMap(ManifestDialect.init(rawValue:)),
            let items = root["places"]?.elements
        else { return nil }
        do throws(ManifestRefusal) {
            table = try ManifestReader(dialect: dialect).read(Array(file.body[..<file.numbers[0]]))
        } catch {
            return nil
        }
        contents = []
        for item in items {
            guard var fields = item.elements, (3...4).contains(fields.count),
                let kind = fields.next()?.string, let value = fields.next(),
                let size = fields.next()?.integer?.bounded(by: 0...Int.max)
            else { return nil }
            switch kind {
            case "blob":
                guard let digest = value.digest else { return nil }
                contents.append(
                    AssetContent(location: .blob(digest), size: size, tag: fields.next()?.string))
            case "package":
                guard let path = value.string else { return nil }
                contents.append(AssetContent(location: .package(path), size: size))
            case "absent": contents.append(AssetContent(location: .absent, size: 0))
            default: return nil
            }
        }
        guard contents.count == table.assets.count else { return nil }
    }
}
