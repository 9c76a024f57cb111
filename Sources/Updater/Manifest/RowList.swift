import Core

/// Collects the rows of a manifest: sorted, each route once, with the content digest over them.
struct RowList {
    private var rows: [Row] = []

    mutating func add(_ row: Row) { rows.append(row) }

    /// - Parameter sameIsFine: Meteor lists some files twice; equal rows then count once.
    func sorted(sameIsFine: Bool) throws(ManifestRefusal) -> [Row] {
        if isAscending { return rows }
        let ordered = rows.sorted { RowList.precedes($0.route, $1.route) }
        var result: [Row] = []
        result.reserveCapacity(ordered.count)
        for row in ordered {
            if let last = result.last, last.route == row.route {
                if sameIsFine, last.hash == row.hash { continue }
                throw ManifestRefusal(.manifestRoutesClash, "route=\(row.route)")
            }
            result.append(row)
        }
        return result
    }

    /// As most manifests list them.
    private var isAscending: Bool {
        rows.indices.dropFirst().allSatisfy { RowList.precedes(rows[$0 - 1].route, rows[$0].route) }
    }

    /// Byte order, the same everywhere: `String`'s own order follows Unicode's normal forms.
    static func precedes(_ left: String, _ right: String) -> Bool {
        TextBytes.precedes(left, right)
    }

    /// SHA-256 over the id and the rows (route, size, hash, optional); serial, dates, orders and unknown
    /// fields don't enter it (manifests.md).
    static func contentDigest(id: String, rows: [Row]) -> Digest256 {
        var hash = SHA256()
        var lines: [UInt8] = Array(id.utf8)
        lines.append(0)
        lines.reserveCapacity(8_192)
        for place in rows.indices {
            lines.append(contentsOf: rows[place].route.utf8)
            lines.append(0)
            if let size = rows[place].size { TextBytes.append(size, to: &lines) } else { lines.append(0x2d) }
            lines.append(0)
            switch rows[place].hash {
            case .sha256(let digest): digest.append(to: &lines)
            case .sha1(let digest): lines.append(contentsOf: digest.bytes)
            case .none: break
            }
            lines.append(rows[place].isOptional ? 1 : 0)
            lines.append(0x0a)
            if lines.count >= 6_144 {
                hash.update(lines)
                lines.removeAll(keepingCapacity: true)
            }
        }
        hash.update(lines)
        return hash.finish()
    }
}
