import Core
import ScenarioLanguage
import Updater

/// One version of the web files, with every inherited row worked out.
package struct VersionSetup: Hashable, Sendable {
    /// The scenario's name for it.
    package var name: String
    /// The version id in the manifest, where it is not the name.
    package var id: String
    package var files: [FileSetup]
    package var startup: StartupSpec
    /// The native interface it fits; nil: any.
    package var native: String?
    package var dataSchema: Int?
    package var dataSchemaReadableFrom: Int?
    /// The route template that answers navigations. The Meteor dialect makes its index itself, at `/`.
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

/// One row of a version.
package struct FileSetup: Hashable, Sendable {
    /// Absolute; `{hash}` in it becomes the content's hash in hex (SHA-1 for Meteor, else SHA-256).
    package var route: String
    package var content: ContentSource
    package var isOptional = false
    package var isImmutable = false
    /// The media type, where the extension does not say it.
    package var type: String?
    /// The route template of its source map.
    package var sourceMap: String?

    package init(route: String, content: ContentSource) {
        self.route = route
        self.content = content
    }
}

/// Where the bytes of a file come from.
package enum ContentSource: Hashable, Sendable {
    /// Made: equal keys give equal bytes, other keys other bytes. A made index or style sheet refers to
    /// routes of the version that it stands in, and is longer than asked when those need more room.
    case made(ContentKey)
    /// Taken as they are: a real build from disk.
    case bytes([UInt8])
}

/// What made content is made from.
package struct ContentKey: Hashable, Comparable, Sendable {
    /// The version in which this content was new.
    package var version: String
    /// The route template there.
    package var route: String
    /// Bytes.
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
