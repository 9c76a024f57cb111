/// Requests of a page that wait for a connection, in the order in which they are sent. A page of ten thousand
/// files waits with as many, so taking the first one must not move the others.
struct FetchQueue: Sendable {
    private var fetches: [PageFetch] = []
    /// Index of the first one that waits; those before it were taken.
    private var first = 0

    var isEmpty: Bool { first == fetches.count }

    mutating func append(_ fetch: PageFetch) { fetches.append(fetch) }

    /// Puts a request before all others.
    mutating func putBack(_ fetch: PageFetch) {
        if first > 0 {
            first -= 1
            fetches[first] = fetch
        } else {
            fetches.insert(fetch, at: 0)
        }
    }

    mutating func takeFirst() -> PageFetch? {
        guard !isEmpty else { return nil }
        let fetch = fetches[first]
        first += 1
        if first == fetches.count { removeAll() }
        return fetch
    }

    mutating func removeAll(of document: Int) {
        fetches = fetches[first...].filter { $0.document != document }
        first = 0
    }

    mutating func removeAll() {
        fetches = []
        first = 0
    }
}
