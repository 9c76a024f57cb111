import Foundation
import ScenarioLanguage
import TestSupport
import Testing

@testable import Runner

@Suite("Worlds in which nothing is wrong")
struct QuietOracleTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../Fixtures/worlds").standardized

    /// Each was drawn at random or found by a sweep, and a checker or the reference model saw a failure where
    /// there is none.
    static let names = [
        "accepted-as-its-process-ended", "asleep-before-the-note", "embedded-offered-before-another-channel",
        "recall-below-the-accepted-number", "blacklist-in-a-record-that-is-locked",
        "boot-after-a-second-start",
        "build-between-two-of-another-interface", "build-of-another-interface-with-the-same-number",
        "build-that-was-away-unnoticed", "channel-changes-back-before-it-is-written",
        "channel-changes-while-the-blacklist-is-written", "confirmation-in-a-read-only-store",
        "confirmation-that-could-not-be-written", "confirmed-after-its-files-came-again",
        "confirmed-beside-a-newer-format", "content-unreadable-after-a-push", "crash-under-a-debugger",
        "downloads-after-a-lost-record", "dropped-late-by-a-slow-disk", "embedded-order-of-another-channel",
        "embedded-order-that-cannot-start", "embedded-that-may-not-start",
        "end-of-a-start-on-a-locked-device", "failure-before-the-confirmation",
        "false-size-over-two-launches", "file-begun-anew-by-a-stale-edge", "first-generation-taken-back",
        "front-left-before-the-launch-decides", "generation-written-twice", "idle-minute-whose-timer-is-late",
        "inactive-at-the-launch", "index-of-another-version", "left-by-a-process-that-can-not-write",
        "leftover-of-an-unwritten-record", "link-after-a-reload", "link-to-a-script",
        "link-to-a-script-of-the-only-version", "link-while-a-reload-switches", "link-while-the-rescue-waits",
        "list-of-the-download-damaged", "manifest-of-the-download-not-found", "manifest-with-another-hash",
        "newest-record-removed", "no-space-for-the-record-either", "notice-before-the-end-is-reported",
        "notice-of-an-end-that-could-not-be-written", "number-of-an-offer-published-again",
        "offer-that-can-be-read-again", "order-below-the-accepted-one-in-a-download",
        "order-below-the-accepted-publication", "order-by-dates-that-are-stated",
        "order-in-a-manifest-for-another-build",
        "otherwise-of-a-rollout", "page-that-outlives-its-version", "parked-version-is-recalled",
        "parking-in-a-record-that-is-locked", "part-damaged-while-it-comes", "recall-beside-a-false-size",
        "record-read-after-the-launch", "record-removed-while-running", "reload-while-a-link-is-followed",
        "reset-as-the-network-becomes-metered", "retry-due-at-the-front", "same-damage-twice",
        "second-check-after-a-damaged-answer", "second-check-of-an-accepted-number", "settings-at-the-front",
        "settings-while-suspended",
        "share-after-all", "share-of-another-channel", "share-of-nobody-published-again",
        "share-whose-files-are-gone", "spared-at-a-long-clock", "start-without-a-record",
        "startup-timeout-changes-during-a-start", "stopped-at-the-launch", "swipe-that-could-not-be-noted",
        "table-damaged-before-confirmation", "table-damaged-by-its-own-download",
        "table-removed-and-downloaded-again", "table-removed-before-its-record",
        "table-removed-while-running", "text-that-can-not-replace-itself", "two-reasons-at-the-front",
        "unchanged-files-before-a-stale-edge", "unchanged-index-of-a-superseded-version",
        "updates-off-after-a-check", "updates-off-while-suspended", "user-changes-during-retries",
        "wish-while-frozen", "finished-file-whose-line-was-lost",
        "records-removed-at-the-launch", "offered-again-after-a-half-download",
        "record-removed-under-its-accepted-number", "number-of-an-offer-before-an-order",
        "portal-instead-of-a-file", "page-dies-while-suspended", "syncs-of-seconds", "page-dies-while-frozen",
        "close-of-the-first-record-fails", "left-without-a-record", "error-again-without-a-record",
        "build-of-the-same-number",
        "link-that-leads-nowhere", "link-to-a-file", "fifty-connections-at-the-resume",
    ]

    @Test("No oracle is against them", arguments: names)
    func quiet(_ name: String) throws {
        let path = Self.folder.appendingPathComponent(name + ".json5")
        let reading = ScenarioReader.read(
            path: name + ".json5", bytes: Array(try Data(contentsOf: path)), devices: Profiles.all.names)
        let scenario = try #require(reading.scenarios.first)
        let plan = try #require(RunPlan.plans(for: scenario, seed: 1).first)
        #expect(ScenarioRunner(profiles: Profiles.all.profiles).run(plan).failures == [])
    }

    @Test("Each file of the folder is among them")
    func files() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(files.sorted() == Self.names.map { $0 + ".json5" }.sorted())
    }
}
