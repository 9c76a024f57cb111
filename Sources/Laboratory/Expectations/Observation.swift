import Core
import World

/// All that an expectation may look at: the screen, the trace, the store's bytes.
struct Observation {
    var view: DeviceView
    var scene: Scene
    var store: StoreView
    var facts: [Fact]
    /// Facts from this place in `facts` on count.
    var counted: Int
    /// The scenario says from where; what is about the whole story counts from there then too.
    var isSinceSaid: Bool
}

extension TimeSpan {
    /// `1m 30s`, `250ms`: as scenario files write it.
    var shown: String {
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
