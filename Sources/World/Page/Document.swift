import Backend
import AppHost
import Core
import HTTP1
import ScenarioLanguage

/// One page load in a web view.
struct Document: Sendable {
    let id: Int
    /// Name in the scenario.
    var name: String?
    /// Address without its fragment.
    var url: String
    /// Fragment of the address, with its `#`; empty where it has none. No request names it.
    var fragment = ""
    var kind: AppHost.NavigationKind
    /// The URL without the page load's token.
    var plainURL = ""
    /// Path, query and fragment of the URL without the page load's token.
    var route = ""
    /// Page-load token in the URL, after redirects.
    var load: PageLoadToken?
    var isCommitted = false
    /// Time of the commit, from which the times of a start-up count.
    var committedAt = Instant.zero
    /// Whether a script replaced the one before by it, with `location.replace`.
    var isReplacement = false
    /// Whether the host requested it; it too replaces the one before.
    var isOfHost = false
    /// Whether the web view's process died with it.
    var hasDied = false
    /// When it left the front for the page cache; nil: it is not there.
    var leftAt: Instant?
    /// Whether the cookie names another document: one that was loaded later, or the one before which it came
    /// back from the page cache. Then the shipped script leaves the load's token in its address.
    var isOlderThanCookie = false
    /// The versions that have all files received so far.
    var versions = VersionMask()
    var hasVersions = false
    /// Number of files that have not arrived yet.
    var missing = 0
    var isParsed = false
    /// Whether it is a file that is no page, such as a script: it has no links and no forms.
    var isPlainFile = false
    var hasFailed = false
    var isShown = false
    /// Whether the browser shows it as it comes: a file that is no page, or the server's word that nothing is
    /// there.
    var showsAsItComes = false
    var isReady = false
    var isTouched = false
    var hasConfirmed = false
    var hasLoaded = false
    /// Whether the API answered what the page asked at its start; nil: it has not asked, or there is no
    /// answer yet.
    var apiHasAnswered: Bool?
    /// References of the document, for late requests.
    var references: [Reference] = []
    /// Whether no version has all files received so far.
    var isMixed = false

    /// Whether the host knows that no way back leads to the document before this one.
    var visiblyReplacesFront: Bool { kind == .reload || isOfHost }

    /// Whether no way back leads to the document before this one.
    var replacesFront: Bool { visiblyReplacesFront || isReplacement }

    /// Splits a URL before its fragment.
    static func parts(ofURL url: String) -> (address: String, fragment: String) {
        let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        return (String(url[..<end]), String(url[end...]))
    }

    /// A reference in a document or a style sheet.
    struct Reference: Hashable, Sendable {
        var target: String
        var destination: PageRequest.Destination
    }

    /// A file arrived that these versions have.
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

/// An entry of a web view's history.
struct HistoryEntry: Hashable, Sendable {
    /// Id of the document that was shown at the address.
    var document: Int
    /// With its fragment.
    var address: String
}

/// A request of a document, and its answer as far as it has arrived.
struct PageFetch: Sendable {
    /// Id of the document.
    var document: Int
    var target: String
    var destination: PageRequest.Destination
    /// Absolute URL for the `Referer` field; nil: none is sent.
    var referer: String?
    /// Value of `Cache-Control`: `max-age=0` for a reload, `no-cache` for a reload from the origin.
    var cacheControl: String?
    /// What a page's own request has that a plain GET does not; nil: it is one.
    var request: RequestSpec?
    /// Whether the document's loading waits for it; not so for late requests.
    var counts = true
    /// Time until which the page sends the request again at each answer; nil: it does not.
    var repeatsUntil: Instant?
    /// Whether the page's start waits for the answer.
    var isForStartup = false
    var redirects = 0
    var status = 0
    var fields = HeaderFields()
    var type = ""
    var body = ReceivedBody()
    /// The cached answer that the request revalidates.
    var cached: CachedAnswer?

    var method: SentMethod { request?.method?.value ?? .get }

    /// Whether the web cache may answer it, and may keep its answer.
    var isCacheable: Bool { method == .get }
}

/// A connection of a web view to the local server.
struct ViewConnection: Sendable {
    let id: Int
    var parser = ResponseParser()
    var isOpen = false
    var fetch: PageFetch?
    var keeps = true
}

struct Cookie: Hashable, Sendable {
    var name: String
    var value: String
    /// Whether the cookie outlives the process.
    var isLasting = false
}

/// An item that a page stored under its origin. Another port is another origin and can't see it (S4).
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
