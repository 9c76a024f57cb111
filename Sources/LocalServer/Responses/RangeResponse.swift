import HTTP1

/// What part of a file answers a request, by its `Range` and `If-Range` (RFC 9110 §13.1.5, §14.2): all of it
/// (200), one range (206), or 416 (Range Not Satisfiable).
///
/// Several ranges get the whole file, which a server may send in place of parts (RFC 9110 §14.2).
/// ``FileResponse``'s initialiser adds the header fields; `sendFile` in `LocalServer+Responses.swift` sends
/// it.
enum RangeResponse: Hashable, Sendable {
    /// 200
    case whole
    /// 206
    case partial(ByteRange)
    /// 416: no byte of the range exists (RFC 9110 §15.5.17).
    case notSatisfiable

    /// - Parameters:
    ///   - tag: that of the file, for `If-Range`
    ///   - size: of the file, in bytes
    init(to head: RequestHead, tag: EntityTag, size: Int) {
        guard Preconditions.rangeApplies(head, tag: tag) else {
            self = .whole
            return
        }
        self =
            switch RangeRequest(head.fields["Range"], size: size) {
            case .ignored, .several: .whole
            case .one(let range): .partial(range)
            case .unsatisfiable: .notSatisfiable
            }
    }

    var status: StatusCode {
        switch self {
        case .whole: .ok
        case .partial: .partialContent
        case .notSatisfiable: .rangeNotSatisfiable
        }
    }

    /// The field `Content-Range` (RFC 9110 §14.4); nil: the response has none.
    func contentRange(ofSize size: Int) -> String? {
        switch self {
        case .whole: nil
        case .partial(let range): range.contentRange(of: size)
        case .notSatisfiable: ByteRange.unsatisfied(size: size)
        }
    }
}
