/// The causes of the log, so that a mistyped cause is reported when a file is read: `hasNot` with a cause
/// that is never logged would always hold. A test compares them with the causes of the updater.
package enum LogVocabulary {
    /// Causes in alphabetical order.
    package static let causes: [String] = [
        "already-downloading", "already-pending", "became-pending", "blacklist-ended", "blacklist-entry",
        "blacklist-spared", "blacklisted", "bridge-message-refused", "check-dropped", "check-failed",
        "check-joined", "coding-refused", "confirmation-from-former-page", "confirmation-too-late",
        "content-damaged", "content-mismatch", "contradicts-accepted", "date-ahead", "disk-failed",
        "download-started", "embedded-by-order", "envelope-malformed", "file-too-large", "forced",
        "forced-wait", "former-build-dropped", "held-off", "index-of-other-app", "index-of-other-version",
        "index-root-url-local", "index-without-configuration", "index-without-root-url", "key-unusable",
        "keys-replaced", "launched", "left-before", "length-mismatch", "line-changed", "manifest-changed",
        "manifest-expired", "manifest-field-malformed", "manifest-field-missing", "manifest-paths-clash",
        "manifest-routes-clash", "manifest-too-large", "manifest-too-many-rows",
        "manifest-unknown-format", "manifest-unreadable", "manifest-unsafe-route",
        "manifest-without-version", "native-outside-range", "no-content-shown", "no-space",
        "nothing-offered", "nothing-to-rescue-to", "number-corrected", "older-than-accepted",
        "optional-missing", "origin-asked-to-wait", "origin-change-not-allowed", "other-app",
        "other-channel", "outcomes-not-taken", "page-error", "parked", "parked-offer", "parking-ended",
        "pending-dropped", "range-refused", "read-failed", "recalled", "recalled-offer",
        "record-fell-back", "record-lost", "record-newer-format", "record-not-written",
        "redirect-refused", "request-refused", "rescue-put-off", "rescued", "retries-exhausted",
        "rolled-back-by-order", "rollout-impossible", "rollout-loop", "rollout-outside",
        "rollout-too-many-hops", "row-without-sha256", "schema-too-low", "second-chance",
        "server-port-failed", "server-port-taken", "set-aside", "signature-algorithm-unknown",
        "signature-by-unknown-key", "signature-missing", "signature-unverifiable", "signature-wrong",
        "start-confirmed", "start-ended-in-front", "start-failed-by-clock", "start-failed-by-crash",
        "start-failed-by-page", "start-failed-not-responding", "start-failed-web-process", "start-marked",
        "start-not-marked", "start-unclear", "start-unclear-by-clock", "start-uncounted",
        "status-refused", "store-in-use", "store-unavailable", "store-update", "superseded", "switched",
        "switched-too-often", "transfer-failed", "transfer-stalled", "unblocked", "up-to-date",
        "updates-off", "user-started", "version-too-large", "waits-for-fix", "waits-for-network",
        "web-process-died-in-background", "web-process-gave-up", "web-process-restarted",
    ]
}
