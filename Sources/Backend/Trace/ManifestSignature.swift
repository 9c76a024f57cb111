import Core

/// What a manifest says of signatures (U16).
package struct ManifestSignature: Hashable, Sendable {
    /// Names of the keys whose signatures are valid.
    package var signers: [String] = []
    /// When it expires; nil: never.
    package var expires: OriginTime?
    /// The origin's time at which it answered.
    package var date: OriginTime?
    /// Names of the keys that it publishes in place of the app's.
    package var keys: [String] = []
    /// Whether each row has SHA-256.
    package var hashesAll = true

    package init() {}
}
