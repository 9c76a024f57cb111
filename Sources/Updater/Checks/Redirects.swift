import Core
import HTTP1

/// Where an answer may send a request on to (RFC 9110 §15.4): five times at most, to the origin itself or to
/// one of the roots that the app's settings allow, and never from https to http.
///
/// The surroundings follow nothing by themselves, so that this is the only place that decides. A captive
/// portal's redirect ends here.
enum Redirects {
    static let most = 5

    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The absolute URL to ask instead.
    /// - Throws: why not.
    static func target(_ location: String?, from url: String, count: Int, _ settings: UpdaterSettings)
        throws(ManifestRefusal) -> String
    {
        guard count < most else { throw ManifestRefusal(.redirectRefused, "more than \(most) in a row") }
        guard let location, !location.isEmpty, location.utf8.count <= 4_096 else {
            throw ManifestRefusal(.redirectRefused, "no usable Location")
        }
        guard let target = OriginURL.resolve(location, against: url, allowed: allowed(settings)) else {
            throw ManifestRefusal(.redirectRefused, "to=\(location.prefix(200))")
        }
        return target
    }

    /// Scheme and authority of every place that files may come from.
    static func allowed(_ settings: UpdaterSettings) -> [String] {
        let root = OriginURL.root(settings.origin)
        let isSecure = URLParts(root).isSecure == true
        return [root] + settings.allowedRoots.filter { !isSecure || URLParts($0).isSecure == true }
    }
}

extension Updater {
    /// Asks elsewhere instead, as a new transfer.
    /// - Throws: why not; the old request then still stands.
    mutating func follow(
        _ answer: HeaderFields, _ id: inout TransferID, _ request: inout OriginRequest,
        _ redirects: inout Int
    ) throws(ManifestRefusal) {
        let target = try Redirects.target(
            answer["Location"], from: request.url, count: redirects, settings)
        effects.append(.cancelFetch(id))
        effects.append(.cancelTimer(.idle(id)))
        id = newTransfer()
        request.url = target
        redirects += 1
        effects.append(.fetch(id, request))
        effects.append(.setTimer(.idle(id), after: settings.connectTimeout))
    }
}
