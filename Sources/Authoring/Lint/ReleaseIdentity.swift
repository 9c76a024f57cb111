import Core
import Foundation

/// The app that a release is for, and the port that its pages expect, if its files declare them: a manifest
/// of otalab's dialect, Meteor's runtime configuration in the index, `capacitor.config.json`, `config.xml`.
struct ReleaseIdentity {
    struct App: Equatable {
        var id: String
        /// The file that declares the id, as a route.
        var source: String
    }

    private(set) var apps: [App] = []
    /// The port of `http://localhost:…` in the index and its configuration; nil if there is none or several.
    private(set) var port: UInt16?

    /// The port of an app's server (rule S4); a test checks that the app host uses the same.
    static func port(ofApp id: String) -> UInt16 { UInt16(12_000 + FNV1a32.hash(of: id) % 1_000) }

    init(_ folder: ReleaseFolder) {
        var ports: [UInt16] = []
        for file in folder.files where file.size < 4 << 20 {
            guard let text = ReleaseIdentity.text(of: file) else { continue }
            if let id = ReleaseIdentity.app(in: text, file.route) {
                apps.append(App(id: id, source: file.route))
            }
            for match in text.matches(of: #/https?://(?:localhost|127\.0\.0\.1):(\d{2,5})\b/#) {
                if let port = UInt16(match.1), !ports.contains(port) { ports.append(port) }
            }
        }
        port = ports.count == 1 ? ports[0] : nil
    }

    /// The text of a file that may declare an app, including parts that are encoded for a script.
    private static func text(of file: ReleaseFolder.File) -> String? {
        let name = file.route.lowercased()
        guard
            name == "/index.html" || name == "/capacitor.config.json" || name == "/config.xml"
                || name.hasSuffix("manifest.json")
        else { return nil }
        let text = String(decoding: file.bytes, as: UTF8.self)
        let encoded = text.firstMatch(of: #/decodeURIComponent\("([^"]+)"\)/#)
        return text + (encoded.flatMap { String($0.1).removingPercentEncoding } ?? "")
    }

    private static func app(in text: String, _ route: String) -> String? {
        switch route.lowercased() {
        case "/config.xml": text.firstMatch(of: #/<widget[^>]*\sid="([^"]+)"/#).map { String($0.1) }
        case "/index.html", "/capacitor.config.json":
            text.firstMatch(of: #/"appId"\s*:\s*"([^"]+)"/#).map { String($0.1) }
        default:
            text.contains("\"otalab-manifest-1\"")
                ? text.firstMatch(of: #/"app"\s*:\s*"([^"]+)"/#).map { String($0.1) } : nil
        }
    }
}
