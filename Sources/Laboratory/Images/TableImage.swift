import Core
import Updater

/// A file `tables/<digest>`: which content each row of a stored version has.
public struct TableImage: Hashable, Sendable {
    public var table: VersionTable
    /// One per row of ``table``.
    public var places: [Place]

    public struct Place: Hashable, Sendable {
        public enum Location: Hashable, Sendable {
            case blob(Digest256)
            /// In the app package, relative to the embedded version's folder.
            case package(String)
            case absent
        }

        public var location: Location
        public var size: Int
        /// The strong tag that it came with.
        public var tag: String?

        public init(location: Location, size: Int, tag: String? = nil) {
            self.location = location
            self.size = size
            self.tag = tag
        }
    }

    public var key: VersionKey { table.key }

    public var usesPackage: Bool {
        places.contains { if case .package = $0.location { true } else { false } }
    }

    public init(table: VersionTable, places: [Place]) {
        self.table = table
        self.places = places
    }

    /// Nil for anything damaged.
    public init?(bytes: [UInt8]) {
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
        guard places.count == table.rows.count else { return nil }
    }
}
