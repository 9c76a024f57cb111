import Core
import HTTP1

/// What answers a GET or HEAD for a stored file: all of it, a part, 304, 412 or 416 (RFC 9110 §13, §14),
/// decided without the disk.
struct FileResponse: Sendable {
    let status: StatusCode
    let fields: HeaderFields
    /// Offset and length of the content in bytes, for HEAD too; length 0: the response has no content.
    let content: (offset: Int, count: Int)

    /// - Parameters:
    ///   - extra: fields that the document or folder adds; they come first
    ///   - age: how long a cache may keep a file that belongs to no version; nil: the rule for versions (S5)
    init(to head: RequestHead, _ file: ServedFile, _ extra: HeaderFields, age: TimeSpan?) {
        let tag = EntityTag(file.tag)
        var fields = extra
        fields.append("ETag", tag.text)
        fields.append("Cache-Control", FileResponse.caching(file, age))
        // On 304 too, because a cache may hold an answer without it.
        FramingPolicy.append(to: &fields, type: FileResponse.mediaType(of: file))
        switch Preconditions.evaluate(head, tag: tag) {
        case .notModified:
            self.init(.notModified, fields)
            return
        case .failed:
            self.init(.preconditionFailed, HeaderFields())
            return
        case .proceed: break
        }
        let range = RangeResponse(to: head, tag: tag, size: file.size)
        if let contentRange = range.contentRange(ofSize: file.size) {
            fields.append("Content-Range", contentRange)
        }
        if range == .notSatisfiable {
            self.init(range.status, fields)
            return
        }
        fields.append("Accept-Ranges", "bytes")
        if let map = file.sourceMap { fields.append("X-SourceMap", map) }
        fields.append("Content-Type", FileResponse.mediaType(of: file))
        if case .partial(let part) = range {
            self.init(range.status, fields, (part.first, part.count))
        } else {
            self.init(range.status, fields, (0, file.size))
        }
    }

    private init(_ status: StatusCode, _ fields: HeaderFields, _ content: (Int, Int) = (0, 0)) {
        self.status = status
        self.fields = fields
        self.content = content
    }

    /// Whether the file, or that it is unchanged, is the answer.
    var isServed: Bool { status == .ok || status == .partialContent || status == .notModified }

    /// S5: what carries its content's hash never changes; an age is for files outside versions.
    private static func caching(_ file: ServedFile, _ age: TimeSpan?) -> String {
        if file.isImmutable { return "public, max-age=31536000, immutable" }
        return age.map { "private, max-age=\($0.microseconds / 1_000_000)" } ?? "no-cache"
    }

    /// Media type with its charset, which the type in a manifest may lack.
    static func mediaType(of file: ServedFile) -> String {
        guard let type = file.type else { return ContentTypes.type(ofName: file.route) }
        let isText = type.hasPrefix("text/") || type == "application/json"
        return isText && !TextBytes.contains("charset", in: type) ? type + "; charset=utf-8" : type
    }
}
