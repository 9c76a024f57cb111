import Backend
import Core
import TestSupport
import Testing

@testable import Runner

/// The figures of `otalab bench --only update`, which are virtual and therefore the same on every machine.
@Suite("What an update costs a device, and the page on it")
struct UpdateMeasurementTests {
    @Test(
        "S9: while forty files are stored the page waits 1.2 × the idle time and one step of the update",
        // A line at the limits of U5 takes hours for this.
        arguments: Profiles.all.profiles.filter { $0.link.bandwidth >= 100_000 })
    func pageDoesNotWait(_ profile: DeviceProfile) throws {
        let times = try UpdateMeasurement(.smallFiles, on: profile)
        let comment = Comment(rawValue: "\(profile.name): \(times)")
        #expect(
            times.reloadDuringUpdate.worst <= UpdateMeasurement.limit(idle: times.reloadIdle, on: profile),
            comment)
        #expect(
            times.fileDuringUpdate.worst <= UpdateMeasurement.limit(idle: times.fileIdle, on: profile),
            comment)
        #expect(times.reloadDuringUpdate.count > 100, comment)
        #expect(times.toPendingWithReloads <= times.toPending * 11 / 10, comment)
    }
}
