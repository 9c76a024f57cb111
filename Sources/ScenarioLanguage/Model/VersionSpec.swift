import Core

/// One version of the web files, as declared.
///
/// `from` inherits files and nothing else. A listed or changed file is new content, made from
/// (version, route, size). ``Scenario/files(of:)`` works the inheritance out.
package struct VersionSpec: Hashable, Sendable {
    package var name: Spanned<String>
    package var from: Spanned<String>?
    /// In the order of the file.
    package var files: [FileSpec]
    /// Inherited routes that get new content of the same size.
    package var changes: [Spanned<String>]
    /// Inherited routes that this version does not have.
    package var without: [Spanned<String>]
    /// The native interface this version fits; nil: any.
    package var native: Spanned<String>?
    package var startup: StartupSpec
    /// The data schema that it writes and the lowest that it reads (rule R12).
    package var dataSchema: Spanned<Int>?
    package var dataSchemaReadableFrom: Spanned<Int>?
    /// The version id in the manifest, where it is not the name.
    package var id: Spanned<String>?
    /// A real build on disk, relative to the scenario file.
    package var folder: Spanned<String>?
    package var span: SourceSpan
}

/// One row of a version.
package struct FileSpec: Hashable, Sendable {
    /// Absolute; may hold `{hash}`.
    package var route: Spanned<String>
    /// In bytes; nil where `same` says it.
    package var size: Spanned<Int>?
    package var optional: Bool
    package var immutable: Bool
    /// Equal content to that of another version's file, on purpose.
    package var same: Spanned<FileReference>?
    /// The content type, where the extension does not say it.
    package var type: Spanned<String>?
    /// The route of its source map.
    package var sourceMap: Spanned<String>?
}

/// `"v1:/app.js"`.
package struct FileReference: Hashable, Sendable {
    package var version: String
    package var route: String

    package init(version: String, route: String) {
        self.version = version
        self.route = route
    }

    var text: String { "\(version):\(route)" }
}

/// A row of a version with its inheritance worked out.
package struct ResolvedFile: Hashable, Sendable {
    package var route: String
    /// In bytes.
    package var size: Int
    /// Where the content was new: two rows have the same content exactly when this is equal. (A made
    /// file that refers to a `{hash}` route is new content too when that route changes; whoever makes
    /// the bytes sees to that.)
    package var content: FileReference
    package var spec: FileSpec
}
