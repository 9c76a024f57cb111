import Core
import ScenarioLanguage

/// Times, sizes and numbers at which something changes: a bug is more likely there than between them.
enum Borders {
    private static let second: Int64 = 1_000_000
    private static let minute = 60 * second
    private static let hour = 60 * minute
    private static let day = 24 * hour

    /// Times that rules name, in microseconds: alive after 5 s (R6), the start-up timeout (R3), the wait of a
    /// stalled download (U4), the pause of a check (U5), the long background (U6), a day without a crash
    /// (R3), the second entry's end (R5), the time that records and parts are kept (R5, U3).
    private static let ruleTimes: [Int64] = [
        second, 3 * second, 5 * second, 10 * second, 20 * second, 30 * second, minute, 5 * minute,
        10 * minute, 15 * minute, 30 * minute, hour, 6 * hour, day, 7 * day, 30 * day,
    ]

    /// A time up to `most`: half of the times from a logarithmic scale, half at the border of a rule, at most
    /// one second off.
    static func time(_ chance: inout Chance, from least: Int64 = 1_000, to most: Int64) -> TimeSpan {
        if chance.once(in: 2) {
            let borders = ruleTimes.filter { least <= $0 && $0 <= most }
            if !borders.isEmpty {
                let off = chance.of([0, 0, 1, -1, 1_000, -1_000, second, -second])
                return TimeSpan(microseconds: max(least, min(most, chance.of(borders) + off)))
            }
        }
        var scale = least
        var steps: [Int64] = []
        while scale < most {
            steps.append(scale)
            scale *= 10
        }
        guard !steps.isEmpty else { return TimeSpan(microseconds: least) }
        let span = chance.of(steps) * chance.whole(1...9)
        // Whole milliseconds from a second on: a person has to read them.
        return TimeSpan(microseconds: min(most, span > second ? span / 1_000 * 1_000 : span))
    }

    /// A time up to `most`, forward or back: `+5s`.
    static func signedTime(_ chance: inout Chance, to most: Int64) -> PrintedValue {
        let text = PrintedValue.duration(time(&chance, to: most)).shownText
        return .text((chance.once(in: 2) ? "+" : "-") + text)
    }

    /// Sizes of files in bytes: nothing, one, a block, and what one step of the updater reads (64 KiB), each
    /// with its neighbours.
    private static let fileSizes: [Int64] = [
        0, 1, 100, 2_000, 4_095, 4_096, 4_097, 16_000, 40_000, 65_535, 65_536, 65_537,
    ]
    /// What one step of the updater hashes (256 KiB), with its neighbours; none makes a world long.
    private static let largeSizes: [Int64] = [100_000, 262_143, 262_144, 262_145, 400_000]

    /// A size of a file in bytes. Large ones are rare: a world's time grows with its content.
    static func fileSize(_ chance: inout Chance) -> Int64 {
        chance.of(chance.once(in: 10) ? largeSizes : fileSizes)
    }

    /// Numbers that a field of a header can have and that code gets wrong.
    static let headerNumbers = [
        "0", "1", "-1", "2147483648", "9007199254740992", "9223372036854775807", "18446744073709551616", "",
        "1e3", " 7", "7, 7",
    ]

    /// Statuses: each class, and those with a meaning of their own (RFC 9110 §15).
    static let statuses: [Int64] = [
        200, 201, 204, 206, 301, 302, 304, 307, 400, 401, 403, 404, 408, 410, 416, 425, 429, 500, 502, 503,
        504, 511,
    ]
}
