import Core

/// Evaluates the conditions of a request, in the order of RFC 9110 §13.2.2.
public enum Preconditions {
    /// What the conditions decide.
    public enum Outcome: Hashable, Sendable {
        /// The request is answered as if it had no conditions.
        case proceed
        /// 304
        case notModified
        /// 412
        case failed
    }

    /// Evaluates a request that would otherwise be answered with 2xx. Conditions on a date are ignored when
    /// the content has no modification date.
    /// - Parameters:
    ///   - tag: entity tag of the content; nil when there is none.
    ///   - lastModified: modification date of the content; nil when there is none.
    package static func evaluate(
        _ head: RequestHead, tag: EntityTag?, lastModified: OriginTime? = nil
    ) -> Outcome {
        let fields = head.fields
        if let list = EntityTagList(fields, "If-Match") {
            guard tag.map(list.containsStrongly) ?? (list == .any) else { return .failed }
        } else if let date = fields["If-Unmodified-Since"].flatMap(HTTPDate.time), let lastModified {
            if lastModified > date { return .failed }
        }
        let isGetOrHead = head.method == .get || head.method == .head
        if let list = EntityTagList(fields, "If-None-Match") {
            if tag.map(list.containsWeakly) ?? (list == .any) { return isGetOrHead ? .notModified : .failed }
        } else if isGetOrHead, let date = fields["If-Modified-Since"].flatMap(HTTPDate.time), let lastModified
        {
            if lastModified <= date { return .notModified }
        }
        return .proceed
    }

    /// Whether the `Range` field applies: only with GET, and not when `If-Range` names other content
    /// (RFC 9110 §13.1.5).
    package static func rangeApplies(
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
