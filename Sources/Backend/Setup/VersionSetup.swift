import Core
import ScenarioLanguage
import Updater

/// One version of the web files, with all files that it inherits from other versions.
package struct VersionSetup: Hashable, Sendable {
    /// Name of the version in the scenario.
    package var name: String
    /// Version id in the manifest; the name unless the scenario states another.
    package var id: String
    package var files: [FileSetup]
    package var startup: StartupSpec
    /// Native interface that the version needs; nil: any.
    package var native: String?
    package var dataSchema: Int?
    package var dataSchemaReadableFrom: Int?
    /// Route template of the file that answers navigations. In the Meteor dialect the origin generates it, at
    /// `/`.
    package var index = "/index.html"

    package init(
        name: String, id: String? = nil, files: [FileSetup], startup: StartupSpec = StartupSpec(),
        native: String? = nil
    ) {
        self.name = name
        self.id = id ?? name
        self.files = files
        self.startup = startup
        self.native = native
    }
}

extension VersionSetup {
    /// Size of all files in bytes.
    package var size: Int { files.reduce(0) { $0 + $1.content.size } }
}

/// One file of a version.
package struct FileSetup: Hashable, Sendable {
    /// Absolute route; `{hash}` in it becomes the content's hash in hex (SHA-1 for Meteor, else SHA-256).
    package var route: String
    package var content: ContentSource
    /// Size that manifests state; nil: the true one.
    package var statedSize: Int?
    package var isOptional = false
    package var isImmutable = false
    /// Media type; nil: that of the file's extension.
    package var type: String?
    /// Route template of the file's source map.
    package var sourceMap: String?

    package init(route: String, content: ContentSource) {
        self.route = route
        self.content = content
    }
}

/// Where the bytes of a file come from.
package enum ContentSource: Hashable, Sendable {
    /// Generated: equal keys give equal bytes, other keys other bytes. A generated index or style sheet
    /// refers to routes of its version, and is longer than the key's size when those references need more.
    case made(ContentKey)
    /// Given bytes: a real build from disk.
    case bytes([UInt8])

    /// Size in bytes; at least this for a generated index or style sheet.
    package var size: Int {
        switch self {
        case .made(let key): key.size
        case .bytes(let bytes): bytes.count
        }
    }
}

/// What generated content depends on.
package struct ContentKey: Hashable, Comparable, Sendable {
    /// Name of the version in which this content was new.
    package var version: String
    /// Route template of the file in that version.
    package var route: String
    /// Size in bytes.
    package var size: Int

    package init(version: String, route: String, size: Int) {
        self.version = version
        self.route = route
        self.size = size
    }

    package static func == (left: ContentKey, right: ContentKey) -> Bool {
        left.size == right.size && left.version == right.version
            && TextBytes.areEqual(left.route, right.route)
    }

    package static func < (left: ContentKey, right: ContentKey) -> Bool {
        if left.version != right.version { return left.version < right.version }
        if TextBytes.areEqual(left.route, right.route) { return left.size < right.size }
        return TextBytes.precedes(left.route, right.route)
    }
}
