import Core

/// The kernel alone under load, for `otalab bench`: sixteen actors that each answer an event with the next
/// one, digest on. What it leaves out is what a world adds: parts, disks, facts.
public enum BareKernel {
    /// - Returns: the digest over all events, so that nothing can be left out.
    public static func run(events: Int) -> UInt64 {
        var kernel = Kernel<UInt32>()
        var digest = RollingDigest()
        for actor in 0..<16 { kernel.schedule(UInt32(actor), at: Instant(microseconds: Int64(actor))) }
        for _ in 0..<events {
            guard let actor = kernel.advance() else { break }
            digest.mix(UInt64(actor) ^ UInt64(bitPattern: kernel.now.microseconds))
            let pause = Int64(digest.value & 0x3ff) + 1
            kernel.schedule(actor, at: kernel.now + .microseconds(pause))
        }
        return digest.value
    }
}
