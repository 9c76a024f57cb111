import Core

extension TimeSpan {
    /// `1m 30s`, `250ms`: as scenario files write it.
    package var shown: String {
        if microseconds == 0 { return "0s" }
        if microseconds < 0 { return "-" + TimeSpan(microseconds: -microseconds).shown }
        var rest = microseconds
        var parts: [String] = []
        let units: [(Int64, String)] = [
            (86_400_000_000, "d"), (3_600_000_000, "h"), (60_000_000, "m"), (1_000_000, "s"), (1_000, "ms"),
            (1, "us"),
        ]
        for (size, name) in units where rest >= size {
            parts.append("\(rest / size)\(name)")
            rest %= size
        }
        return parts.joined(separator: " ")
    }
}
