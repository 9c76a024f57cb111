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
    /// The tag on which a range request depends (`If-Range`, RFC 9110 §13.1.5).
    package var ifRange: String?
    package var isConditional: Bool
    /// Who asks, of a request for a manifest.
    package var asker: Asker?

    package init(
        transfer: TransferID, kind: OriginRequest.Kind, url: String, version: VersionKey?, edge: Int,
        from: Int?, ifRange: String? = nil, isConditional: Bool, asker: Asker? = nil
    ) {
        self.transfer = transfer
        self.kind = kind
        self.url = url
        self.version = version
        self.edge = edge
        self.from = from
        self.ifRange = ifRange
        self.isConditional = isConditional
        self.asker = asker
    }

    /// What the request says of the device and the app, for an origin that chooses versions (U9.audience);
    /// nil for what it leaves out.
    package struct Asker: Hashable, Sendable {
        package var app: String?
        package var device: String?
        package var channel: String?
        package var native: String?
        /// Id of the version that runs.
        package var running: String?
        package var cohort: String?
        package var user: String?

        /// - Parameter field: the value of a header field.
        package init(_ field: (String) -> String?) {
            app = field("OTA-App")
            device = field("OTA-Device")
            channel = field("OTA-Channel")
            native = field("OTA-Native-Build")
            running = field("OTA-Running")
            cohort = field("OTA-Cohort")
            user = field("OTA-User")
        }
    }
}
