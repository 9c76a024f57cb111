import Core

/// The runtime configuration of a Meteor index page, as far as it is checked before the page is accepted
/// (U10.meteor-index).
struct MeteorIndex: Hashable, Sendable {
    /// Version of the page: `autoupdateVersionCordova`, otherwise
    /// `autoupdate.versions["web.cordova"].version`; nil if neither exists.
    var version: String?
    /// `appId`; nil if it is missing or not a string.
    var appID: String?
    /// `ROOT_URL`; nil if it is missing or not a string.
    var rootURL: String?

    /// Bytes of a page that are read; the configuration is in its head.
    static let maxBytes = 1 << 20
    private static let opening = Array("__meteor_runtime_config__ = JSON.parse(decodeURIComponent(\"".utf8)

    /// Nil if the page has no runtime configuration that is a JSON object.
    init?(_ page: [UInt8]) {
        guard let start = MeteorIndex.position(of: MeteorIndex.opening, in: page),
            let end = page[start...].firstIndex(of: UInt8(ascii: "\"")),
            let text = MeteorIndex.decoded(page[start..<end])
        else { return nil }
        do {
            let config = try JSONReader.read(text, dialect: .strict)
            guard config.members != nil else { return nil }
            version =
                config["autoupdateVersionCordova"]?.string
                ?? config["autoupdate"]?["versions"]?["web.cordova"]?["version"]?.string
            appID = config["appId"]?.string
            rootURL = config["ROOT_URL"]?.string
        } catch {
            return nil
        }
    }

    /// Whether `ROOT_URL` leads to the device itself.
    var isLocal: Bool { rootURL.map(MeteorIndex.isLocal) ?? false }

    static func isLocal(_ url: String) -> Bool {
        guard let authority = URLParts(url).authority?.lowercased() else { return false }
        let address =
            authority.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
            .last.map { String(Substring($0)) } ?? ""
        if address.hasPrefix("[") { return address.hasPrefix("[::1]") }
        let host =
            address.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .first.map { String(Substring($0)) } ?? ""
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.")
    }

    /// What an index must state to belong to a version of this app.
    struct Requirements: Hashable, Sendable {
        /// Version id of the manifest.
        var version: String
        /// Ids of the app: that of its settings, and that of the embedded version's index.
        var apps: [String]
        /// Whether `ROOT_URL` may lead to the device itself, because the one before does.
        var allowsLocalRoot: Bool
    }

    /// Checks an index as Meteor's plugin does, in its order.
    /// - Throws: ``ManifestRefusal`` with one cause for each check.
    static func check(_ page: [UInt8], _ required: Requirements) throws(ManifestRefusal) {
        guard let index = MeteorIndex(page) else {
            throw ManifestRefusal(.indexWithoutConfiguration, "bytes=\(page.count)")
        }
        if let version = index.version, version != required.version {
            throw ManifestRefusal(
                .indexOfOtherVersion, "wanted=\(required.version) index=\(version.prefix(100))")
        }
        guard let root = index.rootURL, URLParts(root).isSecure != nil else {
            throw ManifestRefusal(
                .indexWithoutRootURL, "ROOT_URL=\(index.rootURL?.prefix(100) ?? "none")")
        }
        guard !index.isLocal || required.allowsLocalRoot else {
            throw ManifestRefusal(.indexRootURLLocal, "ROOT_URL=\(root.prefix(100))")
        }
        guard let app = index.appID, required.apps.contains(app) else {
            throw ManifestRefusal(
                .indexOfOtherApp,
                "wanted=\(required.apps.joined(separator: ",")) index=\(index.appID?.prefix(100) ?? "none")")
        }
    }

    /// Index behind the first occurrence.
    private static func position(of pattern: [UInt8], in page: [UInt8]) -> Int? {
        guard page.count >= pattern.count else { return nil }
        for start in 0...(page.count - pattern.count)
        where page[start] == pattern[0] && page[start..<(start + pattern.count)].elementsEqual(pattern) {
            return start + pattern.count
        }
        return nil
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index] == UInt8(ascii: "%") else {
                result.append(text[index])
                index += 1
                continue
            }
            guard index + 2 < text.endIndex, let high = Hex.value(ofDigit: text[index + 1]),
                let low = Hex.value(ofDigit: text[index + 2])
            else { return nil }
            result.append(high << 4 | low)
            index += 3
        }
        return result
    }
}
