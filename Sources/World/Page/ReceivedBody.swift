/// The body of an answer as far as it has arrived, in the parts in which it came.
///
/// A crash search keeps many forks of a world, each with more of the same body. They share the parts; one
/// array would be copied by each of them.
struct ReceivedBody: Sendable {
    private var parts: [[UInt8]] = []
    /// Size in bytes.
    private(set) var count = 0

    init() {}

    init(_ bytes: [UInt8]) { append(bytes) }

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        parts.append(bytes)
        count += bytes.count
    }

    /// Puts the parts together; afterwards ``bytes`` costs nothing.
    mutating func join() {
        guard parts.count > 1 else { return }
        parts = [joined]
    }

    var bytes: [UInt8] { parts.count > 1 ? joined : parts.first ?? [] }

    /// `joined()` passes on byte by byte, which is most of the time of a run with many answers.
    private var joined: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for part in parts { bytes += part }
        return bytes
    }
}
