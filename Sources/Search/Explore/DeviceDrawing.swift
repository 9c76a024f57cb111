import ScenarioLanguage

/// Draws what differs on a world's devices from their profiles: one to three facts, with values that phones
/// have and some that are worse. No value keeps a sound updater from its end: lines and disks are slow, not
/// dead, the volume has room for all versions of a world, and a sync makes durable what it covers.
enum DeviceDrawing {
    /// Facts that are drawn.
    static let keys = ObjectSchema.deviceChanges.fields.map(\.key).filter { $0 != "sync" }

    static func changes(_ chance: inout Chance) -> PrintedValue {
        var keys = keys
        var pairs: [PrintedValue.Pair] = []
        for _ in 0...chance.below(3) {
            let key = keys.remove(at: chance.below(keys.count))
            pairs.append(.init(key, chance.of(values(key))))
        }
        return .object(pairs)
    }

    /// Values of a fact; empty for one that is not drawn.
    static func values(_ key: String) -> [PrintedValue] {
        guard let field = ObjectSchema.deviceChanges.fields.first(where: { $0.key == key }) else { return [] }
        switch field.type {
        case .flag: return [.flag(true), .flag(false)]
        case .keyword(let keywords): return keywords.map { .text($0) }
        case .whole: return [0, 1, 2, 8].map { .number($0) }
        default: return (texts.first { $0.key == key }?.values ?? []).map { .text($0) }
        }
    }

    private static let texts: [(key: String, values: [String])] = [
        ("backgroundBudget", ["0s", "5s", "30s", "10m"]),
        ("latency", ["0s", "5ms", "300ms", "2s"]),
        ("bandwidth", ["64 kbit/s", "1 Mbit/s", "1000 Mbit/s"]),
        ("storage", ["64 MB", "1 GB"]),
        ("diskCall", ["0s", "1ms", "20ms"]),
        ("fileSync", ["0s", "5ms", "300ms", "2s"]),
        ("folderSync", ["0s", "5ms", "300ms", "2s"]),
        ("diskReads", ["1 MB/s", "100 MB/s", "3000 MB/s"]),
        ("diskWrites", ["1 MB/s", "100 MB/s", "3000 MB/s"]),
    ]
}
