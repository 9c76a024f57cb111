import Core
import DeviceShell
import Synchronization

/// A clock that shows the time it was set to.
final class ManualClock: DeviceClock {
    private let microseconds = Atomic<Int64>(0)

    var now: Instant {
        get { Instant(microseconds: microseconds.load(ordering: .relaxed)) }
        set { microseconds.store(newValue.microseconds, ordering: .relaxed) }
    }
}
