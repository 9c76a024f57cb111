import Core

/// One version of the web files, as declared.
///
/// `from` inherits files and nothing else. A listed or changed file has new content, which is derived from
/// version, route and size. ``Scenario/files(of:)`` resolves the inheritance.
package struct VersionSpec: Hashable, Sendable {
    package var name: Spanned<String>
    /// Version whose files it inherits.
    package var from: Spanned<String>?
    /// Its own files, in the order of the scenario file.
    package var files: [FileSpec]
    /// Inherited routes that get new content of the same size.
    package var changes: [Spanned<String>]
    /// Inherited routes that this version does not have.
    package var without: [Spanned<String>]
    /// Native interface that it is compatible with; nil for any.
    package var native: Spanned<String>?
    package var startup: StartupSpec
    /// Data schema that it writes (rule R12).
    package var dataSchema: Spanned<Int>?
    /// Lowest data schema of a version that can read what it writes (rule R12).
    package var dataSchemaReadableFrom: Spanned<Int>?
    /// Version id in the manifest; nil for the name.
    package var id: Spanned<String>?
    /// Folder of a real build, relative to the scenario file.
    package var folder: Spanned<String>?
    package var span: SourceSpan
}

/// A file of a version.
package struct FileSpec: Hashable, Sendable {
    /// Absolute route; may contain `{hash}`.
    package var route: Spanned<String>
    /// Size in bytes; nil when `same` gives it.
    package var size: Spanned<Int>?
    package var optional: Bool
    package var immutable: Bool
    /// Size that manifests state, in bytes; nil: the true one.
    package var statedSize: Spanned<Int>?
    /// File of another version with the same content.
    package var same: Spanned<FileReference>?
    /// Content type, when the extension does not give it.
    package var type: Spanned<String>?
    /// Route of its source map.
    package var sourceMap: Spanned<String>?
}

/// A file of a version: `"v1:/app.js"`.
package struct FileReference: Hashable, Sendable {
    package var version: String
    package var route: String

    package init(version: String, route: String) {
        self.version = version
        self.route = route
    }

    var text: String { "\(version):\(route)" }
}

/// A file of a version with resolved inheritance.
package struct ResolvedFile: Hashable, Sendable {
    package var route: String
    /// Size in bytes.
    package var size: Int
    /// File in which the content was new: two files have the same content exactly when this is equal. (A
    /// generated file that refers to a `{hash}` route has new content also when that route changes; the code
    /// that generates the bytes handles that.)
    package var content: FileReference
    package var spec: FileSpec
}
