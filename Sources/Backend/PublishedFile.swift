/// A file of a version as the origin publishes it.
package struct PublishedFile: Hashable, Sendable {
    /// Route as the scenario writes it, `{hash}` not replaced.
    package var route: String
    package var bytes: [UInt8]

    package init(route: String, bytes: [UInt8]) {
        self.route = route
        self.bytes = bytes
    }
}
