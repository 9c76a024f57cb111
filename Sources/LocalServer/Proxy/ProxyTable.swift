import Core
import HTTP1

/// Rule S7's table: what becomes of the fields of an API request and of its answer. Every field that no row
/// names goes through unchanged, line by line and in its order. There is no `Via`: to the remote root this
/// server is the page's own hand, and S7 says unchanged.
enum ProxyTable {
    enum HeaderRule: Hashable, Sendable {
        /// Belongs to one connection, not to the message (RFC 9110 §7.6.1).
        case hopByHop
        /// Said anew by whoever sends the message on: framing is computed from what was read, nothing raw is
        /// copied (HT-X2).
        case framing
        /// The remote root's authority (HT-X4).
        case authority
        /// The remote root's origin, as a page of it would say.
        case origin
        /// The same path under the remote root.
        case referer
        /// Without this server's own cookies.
        case cookies
        /// A stranger's word about who asks; this server adds none (HT-X4).
        case forged
        /// `Domain` dropped; on loopback http `Secure` dropped and `SameSite=None` made `Lax`. Each line
        /// stays a line; a line that would set one of our own cookies is dropped.
        case setCookie
    }

    static let request: [(name: String, fate: HeaderRule)] =
        hops + [
            ("Host", .authority), ("Origin", .origin), ("Referer", .referer), ("Cookie", .cookies),
            ("Forwarded", .forged), ("X-Forwarded-For", .forged), ("X-Forwarded-Host", .forged),
            ("X-Forwarded-Proto", .forged), ("X-Forwarded-Port", .forged), ("X-Forwarded-Server", .forged),
            ("X-Real-IP", .forged),
        ]

    static let answer: [(name: String, fate: HeaderRule)] = hops + [("Set-Cookie", .setCookie)]

    private static let hops: [(name: String, fate: HeaderRule)] = [
        ("Connection", .hopByHop), ("Keep-Alive", .hopByHop), ("Proxy-Connection", .hopByHop),
        ("Proxy-Authenticate", .hopByHop), ("Proxy-Authorization", .hopByHop),
        ("Proxy-Authentication-Info", .hopByHop), ("TE", .hopByHop), ("Trailer", .hopByHop),
        ("Upgrade", .hopByHop), ("HTTP2-Settings", .hopByHop), ("Transfer-Encoding", .framing),
        ("Content-Length", .framing),
    ]

    /// What `Connection` may not take out of a message: these go from end to end, whatever a peer says
    /// (HT-X3; nginx 1.22 drops none of the named fields, others drop all).
    private static let kept = [
        "host", "cookie", "set-cookie", "authorization", "origin", "referer", "content-type",
        "content-encoding", "content-range", "range", "if-match", "if-none-match", "if-modified-since",
        "if-unmodified-since", "if-range", "cache-control", "etag", "location", "vary", "expect", "date",
    ]

    /// The request as the remote root gets it.
    static func request(
        _ head: RequestHead, to root: RemoteRoot, _ gate: RequestPolicy, upgrades: Bool
    ) -> RequestHead {
        let named = head.fields.tokens("Connection")
        var fields = HeaderFields()
        fields.append("Host", root.authority)
        for field in head.fields.fields {
            switch fate(of: field.name, request, named) {
            case nil: fields.append(field.name, field.value)
            case .hopByHop, .framing, .authority, .forged, .setCookie: break
            case .origin: fields.append(field.name, root.origin)
            case .referer:
                if let value = referer(field.value, root, gate) { fields.append(field.name, value) }
            case .cookies:
                if let value = foreignCookies(field.value) { fields.append(field.name, value) }
            }
        }
        append(head.framing, to: &fields)
        if upgrades {
            fields.append("Upgrade", "websocket")
            fields.append("Connection", "Upgrade")
        } else {
            // One request to a connection: nothing that is left of it can become another one.
            fields.append("Connection", "close")
        }
        return RequestHead(head.method, target(of: head, root), fields: fields, framing: head.framing)
    }

    /// The answer as the page gets it, without its framing.
    static func answer(_ head: ResponseHead) -> HeaderFields {
        let named = head.fields.tokens("Connection")
        var fields = HeaderFields()
        for field in head.fields.fields {
            switch fate(of: field.name, answer, named) {
            case nil: fields.append(field.name, field.value)
            case .hopByHop, .framing, .authority, .origin, .referer, .cookies, .forged: break
            case .setCookie:
                if let value = setCookie(field.value) { fields.append(field.name, value) }
            }
        }
        return fields
    }

    static func append(_ framing: BodyFraming, to fields: inout HeaderFields) {
        switch framing {
        case .none, .untilClose: break
        case .length(let length): fields.append("Content-Length", String(length))
        case .chunked: fields.append("Transfer-Encoding", "chunked")
        }
    }

    private static func fate(
        of name: String, _ table: [(name: String, fate: HeaderRule)], _ named: [String]
    ) -> HeaderRule? {
        if let row = table.first(where: { HeaderFields.areEqual($0.name, name) }) { return row.fate }
        let isNamed = named.contains { HeaderFields.areEqual($0, name) }
        return isNamed && !kept.contains { HeaderFields.areEqual($0, name) } ? .hopByHop : nil
    }

    // MARK: The parts

    private static func target(of head: RequestHead, _ root: RemoteRoot) -> RequestHead.Target {
        guard let target = head.path else { return head.target }
        do {
            return .origin(
                try RequestTarget(Array((root.base + ReservedQueryItems.removed(from: target)).utf8)))
        } catch {
            // Both were read as targets: one behind the other they are one.
            return .origin(target)
        }
    }

    /// nil for a page that is not ours.
    private static func referer(_ value: String, _ root: RemoteRoot, _ gate: RequestPolicy) -> String? {
        gate.ownTarget(ofReferer: value).map {
            root.origin + root.base + ReservedQueryItems.removed(from: $0)
        }
    }

    private static func foreignCookies(_ value: String) -> String? {
        let pairs = value.utf8.split(separator: UInt8(ascii: ";")).map { String(Substring($0)) }
        let kept = pairs.filter { !isOwn(String($0.drop { $0 == " " || $0 == "\t" })) }
        if kept.count == pairs.count { return value }
        let text = kept.joined(separator: ";")
        let trimmed = text.drop { $0 == " " || $0 == "\t" }
        return trimmed.isEmpty ? nil : String(trimmed)
    }

    private static func isOwn(_ pair: String) -> Bool {
        pair.hasPrefix(ReservedQueryItems.key + "=") || pair.hasPrefix(ReservedQueryItems.load + "=")
    }

    private static func setCookie(_ value: String) -> String? {
        var parts = value.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        if isOwn(String(parts[0].drop { $0 == " " })) { return nil }
        for place in parts.indices.dropFirst().reversed() {
            let attribute = small(parts[place])
            if attribute == "secure" || attribute == "domain" || attribute.hasPrefix("domain=") {
                parts.remove(at: place)
            } else if attribute == "samesite=none" {
                parts[place] = " SameSite=Lax"
            }
        }
        return parts.joined(separator: ";")
    }

    /// In small letters, without blanks at its ends and around `=`.
    private static func small(_ attribute: String) -> String {
        let bytes = attribute.utf8.filter { $0 != 0x20 && $0 != 9 }.map {
            (65...90).contains($0) ? $0 + 32 : $0
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
