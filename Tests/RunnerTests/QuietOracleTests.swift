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
        "accepted-as-its-process-ended", "asleep-before-the-note", "attempts-that-the-disk-refuses",
        "begun-anew-by-another-build", "blacklist-in-a-record-that-is-locked",
        "blacklist-of-a-lost-record-ends", "blacklisted-content-goes-before-a-report",
        "boot-after-a-second-start", "build-between-two-of-another-interface",
        "build-of-another-interface-with-the-same-number", "build-of-the-same-number",
        "build-that-was-away-unnoticed", "called-with-nothing-pending",
        "channel-changes-back-before-it-is-written", "channel-changes-while-the-blacklist-is-written",
        "check-at-a-launch-in-the-background", "check-behind-slow-pieces",
        "check-sent-elsewhere-as-a-version-starts", "check-while-the-disk-writes-slowly",
        "checks-fail-after-a-wrong-file", "clean-up-that-cannot-list", "close-of-the-first-record-fails",
        "coded-part-in-place-of-a-manifest", "complete-before-the-newest-answer",
        "confirmation-in-a-read-only-store", "confirmation-only-the-removed-record-knew",
        "confirmation-that-could-not-be-written", "confirmed-after-another-was-switched-to",
        "confirmed-after-its-files-came-again", "confirmed-as-the-settings-change",
        "confirmed-beside-a-newer-format", "confirmed-beside-another-of-its-id",
        "content-unreadable-after-a-push", "corrupted-twice",
        "counts-of-starts-removed-after-failed-folder-syncs", "cover-over-reads-of-half-a-minute",
        "crash-under-a-debugger", "damage-that-two-versions-share", "damaged-after-eight-tries",
        "damaged-list-comes-back", "damaged-version-that-was-left-once", "date-ahead-names-what-runs",
        "dated-by-a-wrong-answer", "delay-of-another-builds-origin", "dies-as-its-cover-goes",
        "download-named-beside-a-newer-format", "downloads-after-a-lost-record",
        "dropped-late-by-a-slow-disk", "dropped-with-the-hash-in-its-url",
        "embedded-by-order-and-a-recalled-offer", "embedded-confirmed-by-its-load",
        "embedded-fails-as-it-is-left", "embedded-offered-before-another-channel",
        "embedded-order-for-what-is-pending", "embedded-order-names-another-version",
        "embedded-order-of-another-channel", "embedded-order-that-cannot-start",
        "embedded-order-that-is-repeated", "embedded-that-may-not-start",
        "embedded-version-with-the-id-of-a-recalled-one", "end-before-the-note-on-a-read-only-disk",
        "end-evaluated-after-two-kills", "end-of-a-start-on-a-locked-device", "ended-as-it-confirms",
        "ended-before-a-start-that-was-not-recorded", "error-again-without-a-record",
        "failed-check-beside-a-download", "failure-before-the-confirmation",
        "failure-learned-after-a-suspension", "false-size-over-two-launches",
        "fifty-connections-at-the-resume", "file-begun-anew-by-a-stale-edge",
        "files-of-an-earlier-process-and-the-eighth-try", "finished-file-whose-line-was-lost",
        "first-generation-taken-back", "fix-over-a-line-of-two-seconds",
        "foreground-in-the-instant-of-a-push-switch", "foreground-while-frozen-before-a-push-switch",
        "foreign-manifest-with-a-later-date", "forwarded-by-a-later-step",
        "frame-of-the-start-page-without-fetch-metadata", "freeze-as-it-comes-to-the-front",
        "front-and-back-while-frozen", "front-for-no-time", "front-left-as-its-note-is-written",
        "front-left-before-the-launch-decides", "front-note-lost-by-the-power-cut", "front-while-frozen",
        "front-without-content", "frozen-as-its-web-process-died", "frozen-before-its-first-content",
        "generation-written-twice", "goes-back-from-a-dead-page-in-background",
        "gone-before-the-record-fell-back", "hash-lost-on-the-way", "head-of-a-file-that-is-empty-elsewhere",
        "id-of-a-damaged-manifest", "idle-minute-whose-timer-is-late", "inactive-at-the-launch",
        "index-in-a-frame", "index-of-another-version", "keys-go-with-the-record", "keys-named-twice",
        "keys-of-a-record-begun-anew", "late-request-of-a-page-whose-process-died",
        "late-timer-after-the-fault", "left-by-a-process-that-can-not-write",
        "left-while-nothing-could-be-written", "left-without-a-record", "leftover-of-an-unwritten-record",
        "leftovers-of-a-download-that-cannot-be-read", "link-after-a-reload",
        "link-for-a-page-that-died-asleep", "link-of-a-parked-version-in-use", "link-that-leads-nowhere",
        "link-to-a-file", "link-to-a-script", "link-to-a-script-of-the-only-version",
        "link-while-a-reload-switches", "link-while-a-rescue-is-put-off", "link-while-the-rescue-waits",
        "list-of-the-download-damaged", "manifest-cut-off-unnoticed", "manifest-of-files-for-others",
        "manifest-of-the-download-not-found", "manifest-over-files-of-another-offer",
        "manifest-with-another-hash", "named-below-the-download", "network-changes-behind-a-slow-disk",
        "newest-record-removed", "no-content-names-nothing", "no-space-for-the-record-either",
        "notice-before-the-end-is-reported", "notice-of-an-end-that-could-not-be-written",
        "number-corrected-while-it-is-fetched", "number-of-an-offer-before-an-order",
        "number-of-an-offer-published-again", "number-that-was-corrected", "offer-right-after-a-newer-one",
        "offer-that-can-be-read-again", "offer-to-others-after-the-embedded-version",
        "offer-while-a-version-is-recorded", "offered-again-after-a-half-download",
        "older-number-while-it-is-recorded", "one-number-for-two-versions", "one-version-in-two-packages",
        "optional-file-of-a-false-size", "optional-in-a-frontend-manifest",
        "order-below-the-accepted-one-in-a-download", "order-below-the-accepted-publication",
        "order-by-dates-that-are-stated", "order-in-a-manifest-for-another-build", "order-of-another-channel",
        "other-channel-names-what-runs", "otherwise-of-a-rollout", "page-calls-again-for-what-it-got",
        "page-dies-in-a-step-of-a-slow-disk", "page-dies-while-frozen",
        "page-dies-while-frozen-before-the-front", "page-dies-while-suspended",
        "page-of-a-file-that-is-read-again", "page-that-came-back-with-its-own-address",
        "page-that-outlives-its-version", "parked-after-a-read-error-meteor", "parked-and-ordered-back",
        "parked-version-is-recalled", "parked-version-that-was-left", "parking-in-a-record-that-is-locked",
        "part-damaged-while-it-comes", "part-of-a-manifest", "part-with-the-tag-of-a-later-answer",
        "part-written-anew-while-a-page-asks", "pending-while-it-is-repaired", "portal-instead-of-a-file",
        "power-cut-after-a-crash", "power-cut-after-an-unconfirmed-start",
        "progress-after-a-download-that-the-disk-refused", "proven-anew",
        "publication-that-could-not-be-recorded", "push-joins-a-check-that-is-sent-elsewhere",
        "push-while-the-launch-checks", "pushed-as-the-app-leaves", "pushed-then-in-front-for-a-moment",
        "recall-below-the-accepted-number", "recall-beside-a-false-size",
        "recall-in-an-order-for-another-build", "recall-of-an-id-that-two-versions-have",
        "recalled-and-reloaded-without-another", "recalled-embedded-version", "recalled-pending-goes-later",
        "recalled-start-left-by-a-reload", "record-cut-to-its-own-length", "record-lost-twice",
        "record-read-after-the-launch", "record-removed-as-a-version-becomes-pending",
        "record-removed-between-confirmations", "record-removed-under-its-accepted-number",
        "record-removed-while-running", "record-withdrawn-as-its-process-ends",
        "records-removed-at-the-launch", "recovery-screen-asks-at-once", "refusal-as-the-line-changes",
        "refused-date-and-a-later-one", "reload-while-a-link-is-followed", "removes-of-a-minute-each",
        "repaired-beside-another-offer", "request-of-a-replaced-document",
        "rescued-version-begins-a-new-start", "reset-as-the-network-becomes-metered",
        "retry-after-that-ends-with-the-request", "retry-due-at-the-front", "reused-files-end-no-row",
        "runs-before-it-is-pending", "same-damage-twice", "same-failure-noticed-before-its-entry",
        "second-check-after-a-damaged-answer", "second-check-of-an-accepted-number",
        "second-check-that-is-refused", "second-view-keeps-its-version", "set-aside-and-reloaded",
        "settings-at-the-front", "settings-while-suspended", "share-after-all", "share-of-another-channel",
        "share-of-nobody-published-again", "share-whose-files-are-gone", "signed-for-an-app-without-keys",
        "signed-on-a-build-that-was-away-unnoticed", "six-files-on-syncs-of-twenty-seconds",
        "slower-than-a-round-of-use", "spared-at-a-long-clock", "stalled-response-without-a-body",
        "start-of-a-minute-on-a-slow-disk", "start-recorded-by-a-write-that-failed",
        "start-that-a-locked-store-can-not-end", "start-without-a-record",
        "startup-timeout-changes-during-a-start", "stopped-at-the-launch",
        "store-in-use-behind-the-loading-screen", "store-opened-again-before-the-foreground",
        "suspended-while-the-port-is-opened", "swipe-that-could-not-be-noted",
        "switch-in-background-that-cannot-be-recorded", "switch-whose-page-comes-a-day-later",
        "syncs-of-seconds", "table-damaged-before-confirmation", "table-damaged-by-its-own-download",
        "table-removed-and-downloaded-again", "table-removed-before-its-record",
        "table-removed-while-running", "text-that-can-not-replace-itself",
        "transfers-lost-in-a-sleep-before-updates-end", "tries-for-a-missing-file-beside-a-slow-disk",
        "two-reasons-at-the-front", "two-reloads-in-a-stopped-process",
        "two-versions-of-one-id-and-a-server-that-confirms", "two-wishes-in-a-sleep",
        "unchanged-file-of-a-version-that-was-left", "unchanged-files-before-a-stale-edge",
        "unchanged-index-of-a-superseded-version", "unread-table-is-given-up",
        "unwritten-start-is-asked-about", "updates-off-after-a-check",
        "updates-off-in-the-instant-of-a-check", "updates-off-while-suspended",
        "url-of-a-file-repaired-by-the-next-check", "user-changes-during-retries",
        "user-presses-before-the-parking-is-reported", "versions-on-a-locked-device",
        "views-mistaken-for-each-other", "web-process-died-before-the-second-resume",
        "web-process-died-in-a-resume-of-no-time", "web-process-dies-in-a-slow-step",
        "what-runs-is-offered-with-a-date-ahead", "wish-and-settings-while-frozen",
        "wish-before-the-launch-has-read-the-store", "wish-while-a-check-fails", "wish-while-frozen",
        "wishes-of-a-dropped-check", "wrong-file-of-two-versions-of-an-id",
    ]

    /// Each day a sixth; `.ci/run` runs all, in release.
    @Test("No oracle is against them", arguments: names.today(of: 6))
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
