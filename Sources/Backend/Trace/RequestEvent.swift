import Updater

/// A request to the origin as the device sent it.
package struct RequestEvent: Hashable, Sendable {
    package var transfer: TransferID
    package var kind: OriginRequest.Kind
    package var url: String
    /// The version whose file is requested.
    package var version: VersionKey?
    /// Index of the edge.
    package var edge: Int
    /// First byte of a range request; nil: the whole body is requested.
    package var from: Int?
    package var isConditional: Bool

    package init(
        transfer: TransferID, kind: OriginRequest.Kind, url: String, version: VersionKey?, edge: Int,
        from: Int?, isConditional: Bool
    ) {
        self.transfer = transfer
        self.kind = kind
        self.url = url
        self.version = version
        self.edge = edge
        self.from = from
        self.isConditional = isConditional
    }
}
