import Core

/// Whether a conditional request is to be answered with its content (RFC 9110 §13.2.2, in that order).
public enum Preconditions {
    public enum Outcome: Hashable, Sendable {
        case proceed
        /// 304
        case notModified
        /// 412
        case failed
    }

    /// For a request that would be answered with 2xx. A condition on a date is ignored where the content has
    /// none.
    public static func evaluate(
        _ head: RequestHead, tag: EntityTag?, lastModified: OriginTime? = nil
    ) -> Outcome {
        let fields = head.fields
        if let list = EntityTagList(fields, "If-Match") {
            guard tag.map(list.containsStrongly) ?? (list == .any) else { return .failed }
        } else if let date = fields["If-Unmodified-Since"].flatMap(HTTPDate.time), let lastModified {
            if lastModified > date { return .failed }
        }
        let asks = head.method == .get || head.method == .head
        if let list = EntityTagList(fields, "If-None-Match") {
            if tag.map(list.containsWeakly) ?? (list == .any) { return asks ? .notModified : .failed }
        } else if asks, let date = fields["If-Modified-Since"].flatMap(HTTPDate.time), let lastModified {
            if lastModified <= date { return .notModified }
        }
        return .proceed
    }

    /// Whether `Range` counts: only with GET, and not when `If-Range` names other content (RFC 9110 §13.1.5).
    public static func rangeCounts(
        _ head: RequestHead, tag: EntityTag?, lastModified: OriginTime? = nil
    ) -> Bool {
        guard head.method == .get else { return false }
        let conditions = head.fields.all("If-Range")
        guard let condition = conditions.first else { return true }
        if conditions.count > 1 { return false }
        if let wanted = EntityTag(parsing: condition) { return tag?.matchesStrongly(wanted) ?? false }
        guard let date = HTTPDate.time(condition), let lastModified else { return false }
        return date == lastModified
    }
}
