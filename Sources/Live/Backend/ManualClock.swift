import Core
import DeviceShell
import Synchronization

/// A clock that shows the time it was set to.
package final class ManualClock: DeviceClock {
    private let microseconds = Atomic<Int64>(0)

    package init() {}

    package var now: Instant {
        get { Instant(microseconds: microseconds.load(ordering: .relaxed)) }
        set { microseconds.store(newValue.microseconds, ordering: .relaxed) }
    }
}
