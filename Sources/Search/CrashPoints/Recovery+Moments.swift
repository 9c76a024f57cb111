import Core
import Oracle
import Runner

extension Recovery {
    /// Launches the device and returns the moments with disk operations, until the first confirmed page, or
    /// for ``limit``.
    package func moments(_ device: inout ObservedWorld) -> [CrashMoment] {
        begin(&device)
        var moments: [CrashMoment] = []
        let begun = device.diskOperations
        let end = device.world.now + Recovery.limit
        while !isOver(device) {
            let before = device
            let operations = device.diskOperations
            guard device.advance(to: end) == .event else { break }
            let count = device.diskOperations - operations
            if count > 0 {
                moments.append(
                    CrashMoment(
                        before: before.forked, cause: .event, operations: count,
                        operationIndex: operations - begun,
                        origin: .recovery, operationsBefore: operations - begun))
            }
        }
        return moments
    }
}
