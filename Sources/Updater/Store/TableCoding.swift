import Core

/// The file `tables/<digest>`: a header line with lengths and checksum, the manifest's bytes as received, and
/// the content of the assets in the manifest's order. ``TableWriting`` writes it.
enum TableCoding {
    static let format = "otalab-table-1"

    /// Nil if anything is damaged. The whole file at once (``TableReading`` does so in steps).
    static func decode(_ bytes: [UInt8], packageRoot: DiskPath?, limits: UpdaterLimits) -> StoredVersion? {
        var reading = TableReading(bytes, packageRoot: packageRoot, limits: limits)
        while true {
            do {
                if let version = try reading.step(.max) { return version }
            } catch {
                return nil
            }
        }
    }
}
