import Core

/// How fast the bare kernel is: events that each set a successor and mix themselves into the digest.
package enum KernelBench {
    /// Runs so many events over 64 rows; the digest, so that nothing of it can be left out.
    package static func run(events: Int) -> UInt64 {
        var kernel = Kernel<WorldEvent>()
        var history = History(seed: 1, lastEvents: 256)
        for row in 0..<64 {
            kernel.schedule(
                WorldEvent(device: Int32(row), process: 1, what: .wake), at: Instant(microseconds: Int64(row))
            )
        }
        for _ in 0..<events {
            guard let event = kernel.advance() else { break }
            history.note(event.record(at: kernel.now))
            let delay = Int64(history.digest.value & 1_023)
            kernel.schedule(event, at: kernel.now + .microseconds(delay))
            kernel.progressed()
        }
        return history.digest.value
    }
}
