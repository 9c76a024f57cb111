import Core

/// R12: recovery never goes below the highest data schema that was confirmed here, unless the data says that
/// an older version reads it.
///
/// A manifest's `dataSchema` is what its version writes, `dataSchemaReadableFrom` the lowest schema that can
/// read it (absent: no other). A version that declares none has not said that it reads anything: it is below
/// every number.
extension Updater {
    mutating func noteSchema(of key: VersionKey) {
        guard let facts = version(key)?.table.facts, let number = facts.dataSchema else { return }
        if let known = record.data, known.number > number { return }
        let mark = DataSchemaMark(
            number: number, readableFrom: min(facts.dataSchemaReadableFrom ?? number, number))
        record.data = mark
    }

    func mayRead(_ key: VersionKey) -> Bool {
        guard let data = record.data else { return true }
        guard let number = version(key)?.table.facts.dataSchema else { return false }
        return number >= data.readableFrom
    }

    /// Told once in a process: what the chain leaves out for its data schema.
    mutating func tellSchema() {
        for key in [record.lastKnownGood, record.goodBefore, record.embedded] {
            guard let key, canStart(key), !mayRead(key), !schemaToldOf.contains(key) else { continue }
            schemaToldOf.append(key)
            let own = version(key)?.table.facts.dataSchema.map { String($0) } ?? "none"
            log(.schemaTooLow, key, "schema=\(own) readable-from=\(record.data?.readableFrom ?? 0)")
        }
    }
}
