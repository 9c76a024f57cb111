import Core
import Updater

/// What the edges with an age keep: which content of the origin each URL is answered with, and since when
/// (RFC 9111 §4.2).
struct EdgeCache: Sendable {
    private struct Entry: Sendable {
        var edge: Int
        var url: String
        var since: Instant
        var offer: Origin.Offer
    }

    private var entries: [Entry] = []

    /// The content that a URL is answered with now, and since when the edge has it. A request with `no-cache`
    /// is answered by the origin, and what it answers is kept (RFC 9111 §5.2.1.4).
    /// - Parameter fresh: content of the origin now.
    mutating func content(
        of request: OriginRequest, edge: Int, age: TimeSpan, at now: Instant, fresh: Origin.Offer
    ) -> (offer: Origin.Offer, since: Instant) {
        let url = request.url
        let isPast = request.fields["Cache-Control"] == "no-cache"
        if let index = entries.firstIndex(where: { $0.edge == edge && $0.url == url }) {
            let entry = entries[index]
            if !isPast, now - entry.since < age { return (entry.offer, entry.since) }
            entries.remove(at: index)
        }
        entries.append(Entry(edge: edge, url: url, since: now, offer: fresh))
        return (fresh, now)
    }
}
