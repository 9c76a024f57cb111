import Core

/// Quantities as they are printed: whole units, from large to small.
enum QuantityText {
    /// `1h 30m`.
    static func duration(_ span: TimeSpan) -> String {
        var rest = span.microseconds
        var text = ""
        let units: [(name: String, microseconds: Int64)] = [
            ("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000),
            ("us", 1),
        ]
        for unit in units where rest >= unit.microseconds {
            text += (text.isEmpty ? "" : " ") + "\(rest / unit.microseconds)\(unit.name)"
            rest %= unit.microseconds
        }
        return text.isEmpty ? "0s" : text
    }

    /// `40 KB`.
    static func size(_ bytes: Int) -> String {
        if bytes > 0, bytes % 1_000_000 == 0 { return "\(bytes / 1_000_000) MB" }
        if bytes > 0, bytes % 1_000 == 0 { return "\(bytes / 1_000) KB" }
        return "\(bytes) B"
    }

    /// `60%` or `40 KB`.
    static func amount(_ amount: Amount) -> String {
        switch amount {
        case .percent(let percent): "\(percent)%"
        case .bytes(let bytes): size(bytes)
        }
    }

    /// `10 Mbit/s`: the units are a thousand times as large as the one before; the language has none smaller.
    static func rate(_ number: Int, _ units: [String]) -> String {
        var (rest, unit) = (number / 1_000, 0)
        while rest > 0, rest % 1_000 == 0, unit + 1 < units.count {
            (rest, unit) = (rest / 1_000, unit + 1)
        }
        return "\(rest) \(units[unit])/s"
    }
}
