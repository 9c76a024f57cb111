/// Why a manifest or a redirect is refused: one of U10's causes, and the position or value that is wrong.
package struct ManifestRefusal: Error, Hashable, Sendable {
    package var cause: LogCause
    package var detail: String

    package init(_ cause: LogCause, _ detail: String) {
        self.cause = cause
        self.detail = detail
    }
}
