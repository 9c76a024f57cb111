import Core

/// How the end of a message's body is found (RFC 9112 §6).
public enum BodyFraming: Hashable, Sendable {
    /// The message has no body.
    case none
    /// The body has this number of bytes, from 0 to 2⁶³ − 1.
    case length(UntrustedInteger)
    /// The body has the chunked transfer coding.
    case chunked
    /// The body ends when the peer closes the connection; responses only.
    case untilClose
}

extension BodyFraming {
    /// Framing of a request (RFC 9112 §6.3): without a length or a coding it has no body.
    static func ofRequest(_ fields: HeaderFields, minorVersion: Int) throws(ParseFailure) -> BodyFraming {
        try announced(fields, minorVersion, allowsEqualLengths: false) ?? .none
    }

    /// Framing of a response to a request with `method`.
    package static func ofResponse(
        _ status: StatusCode, to method: RequestMethod, _ fields: HeaderFields, minorVersion: Int
    ) throws(ParseFailure) -> BodyFraming {
        // The fields are validated even where no body follows, because a peer that contradicts itself can't
        // be trusted.
        let framing = try announced(fields, minorVersion, allowsEqualLengths: true)
        if method == .head || status.neverHasContent { return .none }
        if method == .connect && status.isSuccess { return .none }
        return framing ?? .untilClose
    }

    private static func announced(
        _ fields: HeaderFields, _ minorVersion: Int, allowsEqualLengths: Bool
    ) throws(ParseFailure) -> BodyFraming? {
        let codings = fields.all("Transfer-Encoding")
        let lengths = fields.all("Content-Length")
        if codings.isEmpty, lengths.isEmpty { return nil }
        if !codings.isEmpty {
            if !lengths.isEmpty { throw .lengthAndTransferEncoding }
            if minorVersion == 0 { throw .transferEncodingBefore11 }
            try checkChunkedOnly(codings)
            return .chunked
        }
        guard let first = lengths.first else { return nil }
        if lengths.count > 1 {
            guard allowsEqualLengths, lengths.allSatisfy({ $0 == first }) else {
                throw .repeatedContentLength
            }
        }
        guard let length = UntrustedInteger(digits: first.utf8) else { throw .badContentLength }
        return .length(length)
    }

    /// Accepts only `chunked`, once, compared without case.
    private static func checkChunkedOnly(_ values: [String]) throws(ParseFailure) {
        var names: [[UInt8]] = []
        for value in values {
            for element in value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                names.append(Token.trimmed(element).map(Token.lowercased))
            }
        }
        let chunked = Array("chunked".utf8)
        var unknown = false
        for (index, name) in names.enumerated() {
            let coding = name.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 9 }
            guard Token.isToken(coding), name.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else {
                throw .badTransferEncoding
            }
            if coding.elementsEqual(chunked) {
                if index != names.count - 1 || coding.count != name.count { throw .badTransferEncoding }
            } else {
                if coding.count != name.count, name.contains(UInt8(ascii: "\"")) {
                    throw .badTransferEncoding
                }
                unknown = true
            }
        }
        if unknown { throw .unknownTransferEncoding }
    }
}
