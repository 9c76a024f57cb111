import Core

/// Virtual times for people. Formatted without Foundation, because the output must not depend on a locale.
package enum VirtualTime {
    /// A length: `380 ms`, `4.2 s`, `5m 03s`, `1h 12m`.
    package static func length(_ span: TimeSpan) -> String {
        let micro = span.microseconds
        if micro < 1_000_000 { return "\(micro / 1_000) ms" }
        if micro < 60_000_000 { return "\(micro / 1_000_000).\(micro / 100_000 % 10) s" }
        let seconds = micro / 1_000_000
        if seconds < 3_600 { return "\(seconds / 60)m \(two(seconds % 60))s" }
        return "\(seconds / 3_600)h \(two(seconds / 60 % 60))m"
    }

    /// The same with two decimals of milliseconds below 100 ms: `2.75 ms`.
    package static func fineLength(_ span: TimeSpan) -> String {
        let micro = span.microseconds
        guard micro < 100_000 else { return length(span) }
        return "\(micro / 1_000).\(two(micro / 10 % 100)) ms"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// Wall time of a scenario: `4 ms`, `1.2 s`.
enum WallTime {
    static func text(_ wall: Int64) -> String {
        wall < 1_000_000 ? "\((wall + 500) / 1_000) ms" : "\(wall / 1_000_000).\(wall / 100_000 % 10) s"
    }

    /// Seconds with three decimals and a dot, for XML.
    static func seconds(_ wall: Int64) -> String {
        let milli = (wall + 500) / 1_000
        let rest = String(milli % 1_000)
        return "\(milli / 1_000)." + String(repeating: "0", count: 3 - rest.utf8.count) + rest
    }
}
