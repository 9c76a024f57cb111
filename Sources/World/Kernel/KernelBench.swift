import Core

/// Benchmark of the bare kernel: each event schedules its successor and is mixed into the digest.
package enum KernelBench {
    /// Runs this number of events in 64 interleaved lanes. Returns the digest, so that the work can't be
    /// optimised away.
    package static func run(events: Int) -> UInt64 {
        var kernel = Kernel<WorldEvent>()
        var history = History(seed: 1, lastEvents: 256)
        for lane in 0..<64 {
            kernel.schedule(
                WorldEvent(device: Int32(lane), process: 1, what: .wake),
                at: Instant(microseconds: Int64(lane))
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
