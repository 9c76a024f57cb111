/// Why parsing of a peer's bytes stops. Each cause has one status that a server answers with; a proxy answers
/// 502 for a failure of its upstream. In either role the connection is closed after a failure.
public enum ParseFailure: Error, Hashable, Sendable {
    case bareLineFeed
    case bareCarriageReturn
    case badRequestLine
    case startLineTooLong
    case badVersion
    case versionNotSupported
    case badTarget
    case userInfoInTarget
    case missingHost
    case repeatedHost
    case badHost
    case fieldsTooLarge
    case leadingSpace
    case foldedField
    case missingColon
    case badFieldName
    case badFieldValue
    case lengthAndTransferEncoding
    case badContentLength
    case repeatedContentLength
    case badTransferEncoding
    case unknownTransferEncoding
    case transferEncodingBefore11
    case badChunkSize
    case badChunkExtension
    case chunkExtensionsTooLarge
    case badChunkEnd
    case bodyTooLarge
    case badStatusLine
    case truncated
    case unexpectedResponse

    /// Status that a server answers with.
    public var status: StatusCode {
        switch self {
        case .bareLineFeed, .bareCarriageReturn, .badRequestLine, .badVersion, .badTarget, .userInfoInTarget,
            .missingHost, .repeatedHost, .badHost, .leadingSpace, .foldedField, .missingColon, .badFieldName,
            .badFieldValue, .lengthAndTransferEncoding, .badContentLength, .repeatedContentLength,
            .badTransferEncoding, .transferEncodingBefore11, .badChunkSize, .badChunkExtension,
            .chunkExtensionsTooLarge, .badChunkEnd, .truncated:
            .badRequest
        case .startLineTooLong: .targetTooLong
        case .versionNotSupported: .versionNotSupported
        case .fieldsTooLarge: .fieldsTooLarge
        case .unknownTransferEncoding: .notImplemented
        case .bodyTooLarge: .contentTooLarge
        case .badStatusLine, .unexpectedResponse: .badGateway
        }
    }
}

extension ParseFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .bareLineFeed: "a line ends in LF without CR"
        case .bareCarriageReturn: "a CR is not followed by LF"
        case .badRequestLine: "the request line is not \"method target version\""
        case .startLineTooLong: "the request line or status line is too long"
        case .badVersion: "the version is not HTTP/d.d"
        case .versionNotSupported: "the major version is not 1"
        case .badTarget: "the request target is malformed or not for this method"
        case .userInfoInTarget: "the authority carries user information"
        case .missingHost: "HTTP/1.1 without Host"
        case .repeatedHost: "more than one Host"
        case .badHost: "the Host is malformed"
        case .fieldsTooLarge: "the fields are too long or too many"
        case .leadingSpace: "the first field line starts with a space"
        case .foldedField: "a field goes on over a second line"
        case .missingColon: "a field line has no colon"
        case .badFieldName: "a field name is not a token"
        case .badFieldValue: "a field value has a control character"
        case .lengthAndTransferEncoding: "both Content-Length and Transfer-Encoding"
        case .badContentLength: "the Content-Length is not a number of bytes"
        case .repeatedContentLength: "more than one Content-Length"
        case .badTransferEncoding: "the Transfer-Encoding is malformed, or chunked is not last and once"
        case .unknownTransferEncoding: "the Transfer-Encoding names a coding other than chunked"
        case .transferEncodingBefore11: "a Transfer-Encoding before HTTP/1.1"
        case .badChunkSize: "a chunk size is not a hexadecimal number"
        case .badChunkExtension: "a chunk extension is malformed"
        case .chunkExtensionsTooLarge: "the chunk extensions are too long"
        case .badChunkEnd: "a chunk's data does not end where its size says"
        case .bodyTooLarge: "the body is longer than allowed"
        case .badStatusLine: "the status line is not \"version code reason\""
        case .truncated: "the peer closed before the end of the message"
        case .unexpectedResponse: "bytes came that no request asked for"
        }
    }
}
