/// Why a manifest is not taken: one of U10's causes and the place or value it is about.
public struct ManifestRefusal: Error, Hashable, Sendable {
    public var cause: LogCause
    public var detail: String

    public init(_ cause: LogCause, _ detail: String) {
        self.cause = cause
        self.detail = detail
    }
}
