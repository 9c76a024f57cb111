import Core

/// Names of blobs in the order in which they came, or went. It is no part of an image's value: two images
/// with the same files are equal, whatever happened before.
package struct ArrivalLog: Sendable {
    package var names: [Digest256] = []
}

extension ArrivalLog: Hashable {
    package static func == (left: ArrivalLog, right: ArrivalLog) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}
