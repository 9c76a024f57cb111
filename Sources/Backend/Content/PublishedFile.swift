import Core

/// A file of a version as the origin publishes it.
package struct PublishedFile: Equatable, Sendable {
    /// Route as the scenario writes it, `{hash}` not replaced.
    package var route: String
    package var content: PublishedContent
    /// SHA-256 of the content, if the manifests state it; it is known without reading the content then.
    package var sha256: Digest256?

    package init(route: String, content: PublishedContent, sha256: Digest256? = nil) {
        self.route = route
        self.content = content
        self.sha256 = sha256
    }
}
