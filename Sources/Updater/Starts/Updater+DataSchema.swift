import Core

/// R12: recovery never chooses a version below the highest data schema that was confirmed here, unless that
/// schema is declared readable by older versions.
///
/// A manifest's `dataSchema` is the schema that its version writes, `dataSchemaReadableFrom` the lowest
/// schema that can read it (absent: no other). A version that declares none is below every schema, because
/// nothing is known about what it can read.
extension Updater {
    mutating func noteSchema(of key: VersionKey) {
        guard let metadata = version(key)?.table.metadata, let schema = metadata.dataSchema else { return }
        if let known = record.data, known.schema > schema { return }
        let written = WrittenDataSchema(
            schema: schema, readableFrom: min(metadata.dataSchemaReadableFrom ?? schema, schema))
        record.data = written
    }

    func canReadData(_ key: VersionKey) -> Bool {
        guard let data = record.data else { return true }
        guard let schema = version(key)?.table.metadata.dataSchema else { return false }
        return schema >= data.readableFrom
    }

    /// Logs, once per process, the versions that recovery leaves out because of their data schema.
    mutating func logLowSchemas() {
        for key in [record.lastKnownGood, record.previousGood, record.embedded] {
            guard let key, canStart(key), !canReadData(key), selection.logLowSchema(of: key) else { continue }
            let own = version(key)?.table.metadata.dataSchema.map { "\($0)" } ?? "none"
            log(.schemaTooLow, key, "schema=\(own) readable-from=\(record.data?.readableFrom ?? 0)")
        }
    }
}
