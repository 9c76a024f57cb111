import Core

/// The files of a web build, in the package volume of a disk, hashed.
package struct WebBuild: Hashable, Sendable {
    /// Sorted by route.
    package private(set) var files: [ReleaseFile] = []

    static let chunk = 1 << 20

    /// - Parameter optional: patterns of routes (`/videos/*`) without which the pages work.
    package static func read(_ disk: inout some Disk, optional: [String] = []) throws(PublishError)
        -> WebBuild
    {
        var build = WebBuild()
        do throws(DiskError) {
            var folders = [DiskPath(.package, "")]
            while let folder = folders.popLast() {
                for name in try disk.list(folder) {
                    let path = folder / name
                    switch try disk.status(path).kind {
                    case .directory: folders.append(path)
                    case .file: build.files.append(try hashed(path, &disk))
                    case .other: throw DiskError(.invalid, .status, path)
                    }
                }
            }
        } catch {
            if error.code == .invalid, let path = error.path { throw .notAFile(path.text) }
            throw .disk(error)
        }
        build.files.sort { TextBytes.precedes($0.route, $1.route) }
        build.complete(optional)
        return build
    }

    /// An id for versions whose team gives them none: equal files have an equal one.
    package var id: String {
        var digest = SHA256()
        for file in files {
            digest.update(Array("\(file.route)\0\(file.digest.hex)\(file.isOptional ? "?" : "")\n".utf8))
        }
        return "build-" + digest.finish().hex.prefix(12)
    }

    /// The path of a file in the build.
    static func path(of file: ReleaseFile) -> DiskPath {
        DiskPath(.package, String(Substring(file.route.utf8.dropFirst())))
    }

    private static func hashed(_ path: DiskPath, _ disk: inout some Disk) throws(DiskError) -> ReleaseFile {
        let (size, digest) = try sum(of: path, &disk)
        return ReleaseFile(route: "/" + path.text, size: size, digest: digest)
    }

    /// Size and hash of a file.
    static func sum(of path: DiskPath, _ disk: inout some Disk) throws(DiskError) -> (
        size: Int, digest: Digest256
    ) {
        var hash = SHA256()
        let size = try read(path, &disk) { chunk throws(DiskError) in hash.update(chunk) }
        return (size, hash.finish())
    }

    /// The content of a file that fits into memory.
    static func bytes(of path: DiskPath, _ disk: inout some Disk) throws(DiskError) -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try read(path, &disk) { chunk throws(DiskError) in bytes += chunk }
        return bytes
    }

    /// Reads a file from its beginning to its end.
    /// - Returns: its size.
    static func read(
        _ path: DiskPath, _ disk: inout some Disk, _ take: ([UInt8]) throws(DiskError) -> Void
    ) throws(DiskError) -> Int {
        let file = try disk.open(path, .read)
        defer { disk.closeQuietly(file) }
        var offset = 0
        while true {
            let bytes = try disk.read(file, at: offset, count: chunk)
            if bytes.isEmpty { return offset }
            try take(bytes)
            offset += bytes.count
        }
    }

    /// Optional files, and the source maps that stand beside scripts and styles. No page needs a map.
    private mutating func complete(_ optional: [String]) {
        let routes = Set(files.map(\.route))
        for index in files.indices {
            let route = files[index].route
            let isMap = route.hasSuffix(".map") && routes.contains(String(route.dropLast(4)))
            files[index].isOptional = isMap || optional.contains { WebBuild.fits(route, $0) }
            if routes.contains(route + ".map") { files[index].sourceMap = route + ".map" }
        }
    }

    /// A pattern is a route, or the beginning of routes followed by `*`.
    static func fits(_ route: String, _ pattern: String) -> Bool {
        pattern.hasSuffix("*") ? route.hasPrefix(pattern.dropLast()) : route == pattern
    }
}
