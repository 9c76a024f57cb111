import Core

/// Prints quantities: whole units, from large to small.
enum QuantityText {
    /// A duration: `1h 30m`.
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

    /// A size: `40 KB`.
    static func size(_ bytes: Int) -> String {
        if bytes > 0, bytes % 1_000_000 == 0 { return "\(bytes / 1_000_000) MB" }
        if bytes > 0, bytes % 1_000 == 0 { return "\(bytes / 1_000) KB" }
        return "\(bytes) B"
    }

    /// An amount: `60%` or `40 KB`.
    static func amount(_ amount: Amount) -> String {
        switch amount {
        case .percent(let percent): "\(percent)%"
        case .bytes(let bytes): size(bytes)
        }
    }

    /// A rate: `10 Mbit/s`.
    /// - Parameter units: each is a thousand times the previous one; the first is a thousand bits or bytes,
    ///   the smallest unit of the language.
    static func rate(_ number: Int, _ units: [String]) -> String {
        var (rest, unit) = (number / 1_000, 0)
        while rest > 0, rest % 1_000 == 0, unit + 1 < units.count {
            (rest, unit) = (rest / 1_000, unit + 1)
        }
        return "\(rest) \(units[unit])/s"
    }
}
