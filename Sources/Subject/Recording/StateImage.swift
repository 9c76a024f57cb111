import Core
import Foundation
import World

/// The files, folders and symbolic links of a state folder: as it is on this machine, or as the model of a
/// disk has it.
package struct StateImage: Hashable, Sendable {
    package enum Entry: Hashable, Sendable {
        case folder
        case file([UInt8])
        /// A symbolic link with its target.
        case link([UInt8])
    }

    /// Paths relative to the folder, sorted by their bytes.
    package private(set) var entries: [(path: String, entry: Entry)] = []

    package static func == (one: StateImage, other: StateImage) -> Bool {
        one.entries.elementsEqual(other.entries) { $0.path == $1.path && $0.entry == $1.entry }
    }

    package func hash(into hasher: inout Hasher) {
        for (path, entry) in entries {
            hasher.combine(path)
            hasher.combine(entry)
        }
    }

    /// What the model's data volume has, as a process sees it.
    init(_ disk: SimulatedDisk) {
        let root = DiskPath(.data, "")
        entries = disk.directories(under: root).map { ($0.text, .folder) }
        for path in disk.files(under: root) {
            guard let bytes = disk.content(of: path)?.bytes else { continue }
            entries.append((path.text, RecordedLink.target(in: bytes).map { .link($0) } ?? .file(bytes)))
        }
        sort()
    }

    /// A folder of this machine. What is neither file, folder nor link (a socket, a pipe) is left out: it
    /// has no content.
    /// - Throws: an error of the file system.
    package init(folder: String) throws {
        let root = URL(fileURLWithPath: folder)
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            let full = root.appendingPathComponent(path).path
            let kind = try FileManager.default.attributesOfItem(atPath: full)[.type] as? FileAttributeType
            switch kind {
            case .typeDirectory?: entries.append((path, .folder))
            case .typeSymbolicLink?:
                let target = try FileManager.default.destinationOfSymbolicLink(atPath: full)
                entries.append((path, .link(Array(target.utf8))))
            case .typeRegular?:
                entries.append((path, .file(Array(try Data(contentsOf: URL(fileURLWithPath: full))))))
            default: break
            }
        }
        sort()
    }

    private mutating func sort() { entries.sort { TextBytes.precedes($0.path, $1.path) } }

    /// Writes it into an empty folder.
    /// - Throws: an error of the file system.
    package func write(to folder: String) throws {
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (path, entry) in entries {
            let full = folder + "/" + path
            switch entry {
            case .folder: try manager.createDirectory(atPath: full, withIntermediateDirectories: true)
            case .file(let bytes): try Data(bytes).write(to: URL(fileURLWithPath: full))
            case .link(let target):
                try manager.createSymbolicLink(
                    atPath: full, withDestinationPath: String(decoding: target, as: UTF8.self))
            }
        }
    }

    /// Sentences about what differs from another image, at most `count`.
    func differences(from real: StateImage, count: Int) -> [String] {
        var texts: [String] = []
        for (path, entry) in entries {
            guard let other = real.entries.first(where: { $0.path == path })?.entry else {
                texts.append("'\(path)' is in the replay only")
                continue
            }
            if other != entry {
                texts.append("'\(path)' is \(other.shown), and \(entry.shown) in the replay")
            }
        }
        for (path, entry) in real.entries where !entries.contains(where: { $0.path == path }) {
            texts.append("'\(path)' (\(entry.shown)) is missing in the replay")
        }
        return Array(texts.prefix(count))
    }
}

extension StateImage.Entry {
    fileprivate var shown: String {
        switch self {
        case .folder: "a folder"
        case .file(let bytes):
            "a file of \(bytes.count) bytes (checksum \(SHA256.hash(of: bytes).hex.prefix(8)))"
        case .link(let target): "a link to '\(String(decoding: target, as: UTF8.self))'"
        }
    }
}

/// A symbolic link in the model of a disk, which has none: a file whose content is durable before its name,
/// as a link's target is.
enum RecordedLink {
    private static let mark = Array("otalab: symbolic link\0".utf8)

    static func content(_ target: [UInt8]) -> [UInt8] { mark + target }

    /// nil: it is no link.
    static func target(in content: [UInt8]) -> [UInt8]? {
        content.starts(with: mark) ? Array(content.dropFirst(mark.count)) : nil
    }
}
