import Core

/// For how long something has been so without a break, in running time (``RunningTime``).
struct LastingTime: Hashable, Sendable {
    private(set) var time = TimeSpan.zero
    private var isSo = false
    private var clock = RunningTime()

    /// Counts the time since the last call, in which it was as ``set(_:)`` has said.
    mutating func advance(_ observed: ObservedState) {
        let span = clock.advance(observed)
        if isSo { time += span }
    }

    mutating func set(_ isSo: Bool) {
        self.isSo = isSo
        if !isSo { time = .zero }
    }

    /// Counts from zero, though it is still so.
    mutating func countAnew() { time = .zero }
}
