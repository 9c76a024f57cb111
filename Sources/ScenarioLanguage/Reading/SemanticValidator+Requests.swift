import Core

// Requests of pages and other clients.
extension SemanticValidator {
    /// - Parameter ofPage: whether a page's script sends it, which can't set every field.
    mutating func checkRequest(_ request: RequestSpec, ofPage: Bool) {
        if let body = request.body, request.method?.value.isSafe ?? true {
            report(
                .conflict, "a body with \(request.method?.value.rawValue ?? "GET")",
                label: "no such request has a body", at: body.span, help: "say method: \"POST\"")
        }
        for (index, header) in request.headers.enumerated() {
            let name = header.name.value
            if !header.hasValidName {
                report(
                    .badQuantity, "'\(name)' is no name of a field", label: "letters, digits and hyphens",
                    at: header.name.span, help: "such as \"X-Cart\"")
            } else if ofPage, header.isForbiddenToPages {
                report(
                    .impossible, "a page can't set '\(name)'", label: "the browser sets it itself",
                    at: header.name.span, help: "another app can: { client: { asks: … } }")
            } else if header.isOfConnection {
                report(
                    .conflict, "'\(name)' follows from the rest", label: "not by hand", at: header.name.span,
                    help: "'host' and 'body' say it")
            }
            if !header.hasValidValue {
                report(
                    .badQuantity, "the value of '\(name)' can't be sent",
                    label: "control characters, or a blank at its end", at: header.value.span)
            }
            if request.headers[..<index].contains(where: { $0.isNamed(as: header) }) {
                report(.conflict, "'\(name)' twice", label: "again here", at: header.name.span)
            }
        }
    }

    mutating func checkClient(_ client: ClientSpec) {
        if let request = client.request { checkRequest(request, ofPage: client.kind != .app) }
        if client.target == nil, client.hasCookies || client.requests > 1 {
            report(
                .missingKey, "a client that sends cookies or requests, and requests nothing",
                label: "no 'asks'", at: client.span, help: "say what it requests: asks: \"/app.js\"")
        }
        guard client.kind != .app else { return }
        if let piece = client.pieces.first {
            report(
                .conflict, "a page does not choose the bytes that its browser sends",
                label: "not with '\(client.kind.rawValue)'", at: piece.span,
                help: "say what it requests: asks: \"/app.js\"")
        }
        if let host = client.host {
            report(
                .conflict, "a page does not choose the host that its browser names",
                label: "not with '\(client.kind.rawValue)'", at: host.span,
                help: "leave it out, or say is: \"\(ClientKind.app.rawValue)\"")
        }
        if client.target == nil, client.pieces.isEmpty {
            report(
                .missingKey, "a page that requests nothing", label: "no 'asks'", at: client.span,
                help: "only a program connects without a request: is: \"\(ClientKind.app.rawValue)\"")
        }
    }
}

extension SentHeader {
    fileprivate func isNamed(as other: SentHeader) -> Bool {
        TextBytes.areEqual(name.value.lowercased(), other.name.value.lowercased())
    }
}
