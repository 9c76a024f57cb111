import Core
import HTTP1

/// To which page load a request belongs, by the signals that the head of ``LocalServer`` explains.
struct Attribution: Hashable, Sendable {
    enum Signal: Hashable, Sendable {
        /// The request's own URL.
        case ownToken
        case referer
        case cookie
        /// Nothing: the hash in the URL, or the current version.
        case none
    }

    var load: PageLoadToken?
    var signal: Signal

    static let loadItem = "otalab-load"
    static let keyItem = "otalab-key"
}

extension LocalServer {
    mutating func attribute(_ head: RequestHead, _ target: RequestTarget) -> Attribution {
        if let token = target.queryValue(Attribution.loadItem).flatMap({ PageLoadToken(text: $0) }),
            load(token) != nil
        {
            saw(token)
            return Attribution(load: token, signal: .ownToken)
        }
        if let token = refererToken(head), load(token) != nil {
            saw(token)
            return Attribution(load: token, signal: .referer)
        }
        guard let token = Cookies.value(Attribution.loadItem, head.fields), let named = load(token.asToken)
        else {
            return Attribution(load: nil, signal: .none)
        }
        // The cookie came with the new index; until that document is shown the old one still asks.
        if !named.isCommitted, let former = load(named.former) {
            return Attribution(load: former.token, signal: .cookie)
        }
        return Attribution(load: named.token, signal: .cookie)
    }

    private mutating func saw(_ token: PageLoadToken) {
        guard let load = load(token), !load.isCommitted else { return }
        commit(token)
        effects.append(.seen(token))
    }

    private func refererToken(_ head: RequestHead) -> PageLoadToken? {
        guard let referer = head.fields["Referer"],
            let mark = referer.utf8.firstIndex(of: UInt8(ascii: "?"))
        else { return nil }
        let query = referer[referer.utf8.index(after: mark)...]
        for item in query.utf8.split(separator: UInt8(ascii: "&")) {
            let text = Substring(item)
            guard text.hasPrefix(Attribution.loadItem + "=") else { continue }
            return PageLoadToken(text: text.dropFirst(Attribution.loadItem.utf8.count + 1))
        }
        return nil
    }
}

extension String {
    fileprivate var asToken: PageLoadToken? { PageLoadToken(text: self) }
}

/// Cookie fields of a request (RFC 6265 §4.2): the first value of a name.
enum Cookies {
    static func value(_ name: String, _ fields: HeaderFields) -> String? {
        for field in fields.all("Cookie") {
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                var text = Substring(pair)
                while text.hasPrefix(" ") { text.removeFirst() }
                if text.hasPrefix(name + "=") { return String(text.dropFirst(name.utf8.count + 1)) }
            }
        }
        return nil
    }
}

/// Query items of this server's own, which no page and no file knows of.
enum OwnQuery {
    /// The target without our items.
    static func removed(from target: RequestTarget) -> String {
        guard let query = target.query else { return target.path }
        let kept = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
            .filter { item in
                !item.hasPrefix(Attribution.loadItem + "=") && !item.hasPrefix(Attribution.keyItem + "=")
            }
        return kept.isEmpty ? target.path : target.path + "?" + kept.joined(separator: "&")
    }

    /// The same target for the page load of this token.
    static func with(_ token: PageLoadToken, _ target: RequestTarget) -> String {
        let plain = removed(from: target)
        let mark = plain.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return plain + mark + Attribution.loadItem + "=" + token.text
    }
}
