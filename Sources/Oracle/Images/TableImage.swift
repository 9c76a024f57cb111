import Core
import Updater

/// A file `tables/<digest>`: which content each row of a stored version has.
package struct TableImage: Hashable, Sendable {
    package var table: VersionTable
    /// One per row of ``table``.
    package var places: [Place]

    package struct Place: Hashable, Sendable {
        package enum Location: Hashable, Sendable {
            case blob(Digest256)
            /// In the app package, relative to the embedded version's folder.
            case package(String)
            case absent
        }

        package var location: Location
        package var size: Int
        /// The strong tag that it came with.
        package var tag: String?

        package init(location: Location, size: Int, tag: String? = nil) {
            self.location = location
            self.size = size
            self.tag = tag
        }
    }

    package var key: VersionKey { table.key }

    package var usesPackage: Bool {
        places.contains { if case .package = $0.location { true } else { false } }
    }

    package init(table: VersionTable, places: [Place]) {
        self.table = table
        self.places = places
    }

    /// Nil for anything damaged.
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
        places = []
        for item in items {
            guard var fields = item.elements, (3...4).contains(fields.count),
                let kind = fields.next()?.string, let value = fields.next(),
                let size = fields.next()?.integer
            else { return nil }
            switch kind {
            case "blob":
                guard let digest = value.digest else { return nil }
                places.append(
                    Place(location: .blob(digest), size: Int(size), tag: fields.next()?.string))
            case "package":
                guard let path = value.string else { return nil }
                places.append(Place(location: .package(path), size: Int(size)))
            case "absent": places.append(Place(location: .absent, size: 0))
            default: return nil
            }
        }
        guard places.count == table.assets.count else { return nil }
    }
}
