import Core
import HTTP1

/// Decides where a response may redirect a request to (RFC 9110 §15.4): at most five times, to the origin
/// itself or to one of the roots that the app's settings allow, and never from https to http.
///
/// Transports don't follow redirects, so this is the only code that decides. A captive portal's redirect ends
/// here.
enum Redirects {
    static let maxCount = 5

    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The absolute URL to request instead.
    /// - Throws: the reason why the redirect is refused.
    static func target(_ location: String?, from url: String, count: Int, _ settings: UpdaterSettings)
        throws(ManifestRefusal) -> String
    {
        guard count < maxCount else {
            throw ManifestRefusal(.redirectRefused, "more than \(maxCount) in a row")
        }
        guard let location, !location.isEmpty, location.utf8.count <= 4_096 else {
            throw ManifestRefusal(.redirectRefused, "no usable Location")
        }
        guard let target = OriginURL.resolve(location, against: url, allowed: allowed(settings)) else {
            throw ManifestRefusal(.redirectRefused, "to=\(location.prefix(200))")
        }
        return target
    }

    /// Scheme and authority of all roots that files may come from.
    static func allowed(_ settings: UpdaterSettings) -> [String] {
        let root = OriginURL.root(settings.origin)
        let isSecure = URLParts(root).isSecure == true
        return [root] + settings.allowedRoots.filter { !isSecure || URLParts($0).isSecure == true }
    }
}

extension Updater {
    /// Requests the redirect's target, as a new transfer.
    /// - Throws: the reason why the redirect is refused; the old request is then unchanged.
    mutating func followRedirect(
        _ fields: HeaderFields, _ id: inout TransferID, _ request: inout OriginRequest,
        _ redirects: inout Int
    ) throws(ManifestRefusal) {
        let target = try Redirects.target(
            fields["Location"], from: request.url, count: redirects, settings)
        cancelRequest(id)
        id = nextTransferID()
        request.url = target
        redirects += 1
        effects.append(.fetch(id, request))
        effects.append(.setTimer(.idle(id), after: settings.connectTimeout))
    }
}
