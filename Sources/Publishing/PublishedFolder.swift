import Core
import Updater

/// The names in a folder that a web server or a CDN serves as it is.
///
/// ```
/// manifest.json            the newest publication; the apps' manifest URL leads here
/// manifest-42.json         every publication under its serial, for rollouts and for `--check`
/// files/<sha256>.js        content under immutable names: a cache may keep it for ever
/// ```
///
/// A name ending in `.part` is an unfinished file of a publication that was interrupted; the next one removes
/// it. Content of any version has a name of its own, so that no file that a device may still be downloading
/// ever changes.
package enum PublishedFolder {
    package static let root = DiskPath(.data, "")
    package static let manifest = root / "manifest.json"
    package static let files = root / "files"
    /// Held while something is published; its content means nothing.
    package static let lock = root / ".otalab-publish"

    package static func manifestName(_ serial: Int) -> String { "manifest-\(serial).json" }

    /// The serial in the name of a publication's manifest; nil for any other name.
    static func serial(ofName name: String) -> Int? {
        guard name.hasPrefix("manifest-"), name.hasSuffix(".json") else { return nil }
        let digits = name.utf8.dropFirst("manifest-".utf8.count).dropLast(".json".utf8.count)
        let serial = UntrustedInteger(digits: digits)?.bounded(by: 0...Int.max)
        return serial.flatMap { manifestName($0) == name ? $0 : nil }
    }

    /// The path of an asset below the folder; nil where its URL leads elsewhere.
    static func path(of asset: Asset) -> DiskPath? {
        let parts = asset.url.split(separator: "/", omittingEmptySubsequences: false).suffix(2)
        guard parts.count == 2, parts.first == "files", let name = parts.last, isFileName(name),
            asset.url.hasPrefix("/") || asset.url.hasPrefix("files/")
        else { return nil }
        return files / String(name)
    }

    /// Where the folder is on its host, `/` or `/shop/`, as the URL of an asset says; nil where it is
    /// relative.
    static func place(of asset: Asset) -> String? {
        guard asset.url.hasPrefix("/"), let path = path(of: asset) else { return nil }
        return String(Substring(asset.url.utf8.dropLast("files/".utf8.count + path.name.utf8.count)))
    }

    /// A digest, and an extension where the file has a short one, by which servers choose the media type.
    static func fileName(_ digest: Digest256, ofRoute route: String) -> String {
        let name = route.utf8.split(separator: UInt8(ascii: "/")).last ?? route.utf8[...]
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return digest.hex }
        let suffix = name[name.index(after: dot)...]
        guard (1...8).contains(suffix.count), suffix.allSatisfy(isAlphanumeric) else { return digest.hex }
        return digest.hex + "." + String(Substring(suffix)).lowercased()
    }

    private static func isFileName(_ name: Substring) -> Bool {
        name.utf8.count >= 64 && Digest256(hex: name.prefix(64)) != nil
            && name.utf8.dropFirst(64).allSatisfy { $0 == UInt8(ascii: ".") || isAlphanumeric($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
