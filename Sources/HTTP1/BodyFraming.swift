/// How a message says where its body ends (RFC 9112 §6).
public enum BodyFraming: Hashable, Sendable {
    /// There is none.
    case none
    /// So many bytes.
    case length(Int)
    case chunked
    /// Everything until the peer closes; responses only.
    case untilClose
}

extension BodyFraming {
    /// Of a request (RFC 9112 §6.3): without a length or coding there is no body.
    static func ofRequest(_ fields: HeaderFields, minorVersion: Int) throws(ParseFailure) -> BodyFraming {
        try announced(fields, minorVersion, equalLengthsAreOne: false) ?? .none
    }

    /// Of a response to a request with `method`.
    static func ofResponse(
        _ status: StatusCode, to method: RequestMethod, _ fields: HeaderFields, minorVersion: Int
    ) throws(ParseFailure) -> BodyFraming {
        // What is announced is checked also where no body follows: a peer that contradicts itself is not
        // believed.
        let framing = try announced(fields, minorVersion, equalLengthsAreOne: true)
        if method == .head || status.neverHasContent { return .none }
        if method == .connect && status.isSuccess { return .none }
        return framing ?? .untilClose
    }

    private static func announced(
        _ fields: HeaderFields, _ minorVersion: Int, equalLengthsAreOne: Bool
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
            guard equalLengthsAreOne, lengths.allSatisfy({ $0 == first }) else {
                throw .repeatedContentLength
            }
        }
        guard let length = Token.number(first.utf8) else { throw .badContentLength }
        return .length(length)
    }

    /// Only `chunked`, once, in any case (HT-P3).
    private static func checkChunkedOnly(_ values: [String]) throws(ParseFailure) {
        var names: [[UInt8]] = []
        for value in values {
            for element in value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                names.append(Token.trimmed(element).map(Token.small))
            }
        }
        let chunked = Array("chunked".utf8)
        var unknown = false
        for (place, name) in names.enumerated() {
            let coding = name.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 9 }
            guard Token.isToken(coding), name.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else {
                throw .badTransferEncoding
            }
            if coding.elementsEqual(chunked) {
                if place != names.count - 1 || coding.count != name.count { throw .badTransferEncoding }
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
