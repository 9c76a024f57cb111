import Core

/// What `store/starts` notes about the delay that the origin requested (U5), so that it also ends where the
/// app never runs for long.
///
/// Time over process deaths is counted by what is known of it (N3): while the device is not booted anew, its
/// monotonic clock goes on; and a later response states the origin's time. Where neither is known, only time
/// in which a process runs counts.
struct OriginDelay: Hashable, Sendable {
    /// An instant, with the boot in which it was read; in another boot it means nothing.
    private struct BootInstant: Hashable, Sendable {
        /// Hash of the boot id.
        var boot: UInt32
        var at: Instant
    }

    /// What was left when it was noted.
    private(set) var remaining: TimeSpan
    /// When it was noted; nil if the platform provides no boot id.
    private var noted: BootInstant?
    /// Its end by the origin's clock; nil if the response stated no date.
    private(set) var end: OriginTime?

    init(remaining: TimeSpan, boot: UInt32?, at now: Instant, end: OriginTime?) {
        self.remaining = remaining
        noted = boot.map { BootInstant(boot: $0, at: now) }
        self.end = end
    }

    /// What is left of it; zero if it is over.
    func remaining(boot: UInt32?, at now: Instant) -> TimeSpan {
        guard let noted, noted.boot == boot, noted.at <= now else { return remaining }
        return max(remaining - (now - noted.at), .zero)
    }

    /// Its value in the file: `<milliseconds>,<boot>,<microseconds>,<seconds since 1970>`, each of the last
    /// three `-` if it is not known; milliseconds alone if none is.
    var text: String {
        // Rounded up, so that the delay ends no earlier for having been noted.
        let left = "\((remaining.microseconds + 999) / 1_000)"
        if noted == nil, end == nil { return left }
        let noted = noted.map { "\($0.boot),\($0.at.microseconds)" } ?? "-,-"
        return "\(left),\(noted),\(end.map { "\($0.seconds)" } ?? "-")"
    }

    /// Nil for a text that no updater writes. More than a day counts as a day.
    init?(text: Substring) {
        let parts = text.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0) }
        guard let milliseconds = parts.first.flatMap({ UntrustedInteger(saturatingDigits: $0.utf8) }),
            parts.count == 1 || parts.count == 4
        else { return nil }
        remaining = .milliseconds(Int64(milliseconds.clamped(to: 0...86_400_000)))
        guard parts.count == 4 else { return }
        if parts[1] != "-" || parts[2] != "-" {
            guard let boot = UInt32(parts[1]), let at = OriginDelay.number(parts[2]) else { return nil }
            noted = BootInstant(boot: boot, at: Instant(microseconds: at))
        }
        if parts[3] != "-" {
            guard let seconds = OriginDelay.number(parts[3]) else { return nil }
            end = OriginTime(seconds: seconds)
        }
    }

    private static func number(_ digits: Substring) -> Int64? {
        UntrustedInteger(digits: digits.utf8)?.bounded(by: 0...((1 as Int64) << 60))
    }
}
