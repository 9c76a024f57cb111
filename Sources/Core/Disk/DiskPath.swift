/// A path on one of the device's volumes: a volume and a relative path without empty, `.` or `..` components.
/// No text from the network ever becomes a path: the store builds its paths from digests, the app package
/// from its own listing.
public struct DiskPath: Hashable, Sendable {
    public let volume: Volume
    /// Components joined by `/`, no slash at either end; empty for the volume's root.
    public let text: String

    /// `text` must already be in the form described above; anything else is a programming error.
    public init(_ volume: Volume, _ text: String) {
        self.volume = volume
        self.text = text
    }

    public static func / (path: DiskPath, name: String) -> DiskPath {
        DiskPath(path.volume, path.text.isEmpty ? name : path.text + "/" + name)
    }

    /// The directory that holds this name; the root's parent is the root.
    public var parent: DiskPath {
        guard let name = TextBytes.afterLast(UInt8(ascii: "/"), in: text) else { return DiskPath(volume, "") }
        return DiskPath(volume, String(text[..<text.utf8.index(before: name)]))
    }

    /// The last component.
    public var name: String {
        guard let name = TextBytes.afterLast(UInt8(ascii: "/"), in: text) else { return text }
        return String(text[name...])
    }
}

extension DiskPath: CustomStringConvertible {
    public var description: String { "\(volume.rawValue):\(text)" }
}

/// The volumes a hybrid app sees. A rename between two of them throws `crossDevice`.
public enum Volume: String, Hashable, Sendable, CaseIterable {
    /// The app's private, writable folder that is not backed up; holds the store.
    case data
    /// The installed app package: read-only, replaced as a whole by a store update.
    case package
}
