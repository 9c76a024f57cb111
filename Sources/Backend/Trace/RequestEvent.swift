import Updater

/// A request to the origin as it left.
package struct RequestEvent: Hashable, Sendable {
    package var transfer: TransferID
    package var kind: OriginRequest.Kind
    package var url: String
    package var version: VersionKey?
    package var edge: Int
    /// The first byte asked for, where it was a range request.
    package var from: Int?
    package var isConditional: Bool

    package init(
        transfer: TransferID, kind: OriginRequest.Kind, url: String, version: VersionKey?, edge: Int,
        from: Int?,
        isConditional: Bool
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
