import Core

/// One version of the web files, as declared.
///
/// `from` inherits files and nothing else. A listed or changed file is new content, made from
/// (version, route, size). ``Scenario/files(of:)`` works the inheritance out.
public struct VersionSpec: Hashable, Sendable {
    public var name: Spanned<String>
    public var from: Spanned<String>?
    /// In the order of the file.
    public var files: [FileSpec]
    /// Inherited routes that get new content of the same size.
    public var changes: [Spanned<String>]
    /// Inherited routes that this version does not have.
    public var without: [Spanned<String>]
    /// The native interface this version fits; nil: any.
    public var native: Spanned<String>?
    public var startup: StartupSpec
    /// The data schema that it writes and the lowest that it reads (rule R12).
    public var dataSchema: Spanned<Int64>?
    public var dataSchemaReadableFrom: Spanned<Int64>?
    /// The version id in the manifest, where it is not the name.
    public var id: Spanned<String>?
    /// A real build on disk, relative to the scenario file.
    public var folder: Spanned<String>?
    public var span: SourceSpan
}

/// One row of a version.
public struct FileSpec: Hashable, Sendable {
    /// Absolute; may hold `{hash}`.
    public var route: Spanned<String>
    /// In bytes; nil where `same` says it.
    public var size: Spanned<Int64>?
    public var optional: Bool
    public var immutable: Bool
    /// Equal content to that of another version's file, on purpose.
    public var same: Spanned<FileReference>?
    /// The content type, where the extension does not say it.
    public var type: Spanned<String>?
    /// The route of its source map.
    public var sourceMap: Spanned<String>?
}

/// `"v1:/app.js"`.
public struct FileReference: Hashable, Sendable {
    public var version: String
    public var route: String

    public init(version: String, route: String) {
        self.version = version
        self.route = route
    }
}

/// A row of a version with its inheritance worked out.
public struct ResolvedFile: Hashable, Sendable {
    public var route: String
    /// In bytes.
    public var size: Int64
    /// Where the content was new: two rows have the same content exactly when this is equal. (A made
    /// file that refers to a `{hash}` route is new content too when that route changes; whoever makes
    /// the bytes sees to that.)
    public var content: FileReference
    public var spec: FileSpec
}
