import Core

/// Reads a whole manifest of any dialect at once (``ManifestReading`` does so in steps).
package struct ManifestReader {
    let dialect: ManifestDialect
    let limits: UpdaterLimits

    package init(dialect: ManifestDialect, limits: UpdaterLimits = UpdaterLimits()) {
        self.dialect = dialect
        self.limits = limits
    }

    /// - Throws: ``ManifestRefusal`` with a distinct cause.
    package func read(_ bytes: [UInt8]) throws(ManifestRefusal) -> VersionTable {
        try read(bytes, isSigned: false).table
    }

    /// Reads a signed manifest, as an app with keys does.
    /// - Returns: also the keys that it announces; none: they stay.
    package func readSigned(_ bytes: [UInt8]) throws(ManifestRefusal)
        -> (table: VersionTable, keys: [PublicKey])
    {
        try read(bytes, isSigned: true)
    }

    private func read(_ bytes: [UInt8], isSigned: Bool) throws(ManifestRefusal)
        -> (table: VersionTable, keys: [PublicKey])
    {
        var reading = ManifestReading(bytes, dialect: dialect, limits: limits, isSigned: isSigned)
        while true {
            if let table = try reading.step(.max) { return (table, reading.terms?.keys ?? []) }
        }
    }
}
