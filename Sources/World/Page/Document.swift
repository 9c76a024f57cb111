import Backend
import AppHost
import Core
import HTTP1

/// One page load in a web view.
struct Document: Sendable {
    let number: Int
    /// The scenario's name for it.
    var name: String?
    var url: String
    var kind: AppHost.NavigationKind
    /// From the URL, after redirects.
    var load: PageLoadToken?
    var isCommitted = false
    /// Times of the start-up count from here.
    var committedAt = Instant.zero
    var versions = VersionMask()
    var hasVersions = false
    /// Files it still waits for.
    var missing = 0
    var isParsed = false
    var hasFailed = false
    var isShown = false
    var isReady = false
    var isTouched = false
    var hasConfirmed = false
    var hasLoaded = false
    /// Referred to, for late requests.
    var references: [Reference] = []
    /// A later file made `versions` empty.
    var isMixed = false

    /// What a document or a style sheet refers to.
    struct Reference: Hashable, Sendable {
        var target: String
        var destination: PageRequest.Destination
    }

    /// Bytes of a file came: the versions that could be what this is.
    mutating func narrow(_ mask: VersionMask) {
        if !hasVersions {
            versions = mask
            hasVersions = true
            return
        }
        let left = versions.intersection(mask)
        if left.isEmpty { isMixed = true } else { versions = left }
    }
}

/// A request of a document.
struct Fetch: Sendable {
    var document: Int
    var target: String
    var destination: PageRequest.Destination
    /// Absolute; nil for none.
    var referer: String?
    /// `max-age=0` of a reload, `no-cache` of one past the cache.
    var cacheControl: String?
    /// Part of the document's loading; a late request of a page is not.
    var counts = true
    var redirects = 0
    var status = 0
    var fields = HeaderFields()
    var type = ""
    var body: [UInt8] = []
    /// What the request was revalidating.
    var cached: CachedAnswer?
}

struct ViewConnection: Sendable {
    let number: Int
    var parser = ResponseParser()
    var isOpen = false
    var fetch: Fetch?
    var keeps = true
}

struct Cookie: Hashable, Sendable {
    var name: String
    var value: String
    /// It outlives the process.
    var isLasting = false
}

/// What a page keeps under its origin: another port is another origin, and sees nothing of it (S4).
struct StoredItem: Hashable, Sendable {
    var origin: String
    var key: String
}

struct CachedAnswer: Sendable {
    var target: String
    var tag: String
    var type: String
    var bytes: [UInt8]
    var isImmutable: Bool
}
