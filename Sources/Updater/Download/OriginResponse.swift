import Core
import HTTP1

/// What the head of a response to a request for a file means (RFC 9110 §14, §15; the table is in
/// <doc:Downloads>). It only decides; ``Updater`` acts.
enum OriginResponse: Hashable, Sendable {
    /// 200: from the first byte, whatever was requested.
    case whole
    /// 206: from the end of the partial file.
    case resumes
    /// 304: an asset without a hash is unchanged from the stored version's content under this URL.
    case unchanged
    /// 416: the partial file is the whole file.
    case complete
    /// 404 or 410: the origin does not have this optional asset (U12).
    case missing
    /// 301, 302, 303, 307, 308.
    case redirected
    /// Any other status, or a response that contradicts the manifest or the partial file.
    case refused(Refusal)

    struct Refusal: Hashable, Sendable {
        var cause: LogCause
        var detail: String
        var keepsPartial = true
        /// The manifest may be outdated or damaged: it is requested before the next attempt.
        var needsManifest = false
        /// Caches on the way have something else than the origin, so they are bypassed.
        var bypassesCache = false
    }

    init(status: Int, _ fields: HeaderFields, _ transfer: FileTransfer, _ asset: Asset, limit: Int) {
        switch status {
        case 200: self = OriginResponse.wholeBody(fields, asset, limit)
        case 206: self = OriginResponse.partialContent(fields, transfer, asset, limit)
        case 304 where transfer.stored != nil: self = .unchanged
        case 301, 302, 303, 307, 308: self = .redirected
        case 416: self = OriginResponse.rangeNotSatisfiable(fields, transfer, asset)
        case 404 where asset.isOptional, 410 where asset.isOptional: self = .missing
        default:
            // A permanent error suggests an outdated manifest or an expired URL in it.
            self = .refused(
                Refusal(
                    cause: .statusRefused, detail: "route=\(asset.route) status=\(status)",
                    needsManifest: !StatusCode(status).isTransient))
        }
    }

    /// 200.
    private static func wholeBody(_ fields: HeaderFields, _ asset: Asset, _ limit: Int) -> OriginResponse {
        if let refusal = codingRefusal(fields, asset) { return .refused(refusal) }
        guard let announced = fields.contentLength else { return .whole }
        if let size = asset.size, UntrustedInteger(size) != announced {
            return .refused(lengthRefusal(announced, size, asset))
        }
        let isTooLarge = announced > UntrustedInteger(limit)
        return isTooLarge ? .refused(tooLargeRefusal(announced, asset, limit)) : .whole
    }

    /// A part that would end beyond the file, or whose file exceeds the limit (U10, U11).
    private static func overlongRefusal(
        _ fields: HeaderFields, _ range: (first: UntrustedInteger, total: UntrustedInteger?), _ asset: Asset,
        _ limit: Int
    ) -> Refusal? {
        let isBeyondLimit = { (end: UntrustedInteger) in end > UntrustedInteger(limit) }
        if asset.size == nil, let total = range.total, isBeyondLimit(total) {
            return tooLargeRefusal(total, asset, limit)
        }
        guard let announced = fields.contentLength else { return nil }
        let end = range.first.adding(announced)
        if let size = asset.size {
            return end > UntrustedInteger(size) ? lengthRefusal(end, size, asset) : nil
        }
        return isBeyondLimit(end) ? tooLargeRefusal(end, asset, limit) : nil
    }

    private static func tooLargeRefusal(
        _ announced: UntrustedInteger, _ asset: Asset, _ limit: Int
    ) -> Refusal {
        Refusal(
            cause: .fileTooLarge, detail: "route=\(asset.route) announced=\(announced) limit=\(limit)",
            keepsPartial: false, needsManifest: true)
    }

    /// 206.
    private static func partialContent(
        _ fields: HeaderFields, _ transfer: FileTransfer, _ asset: Asset, _ limit: Int
    ) -> OriginResponse {
        if let refusal = codingRefusal(fields, asset) { return .refused(refusal) }
        guard let range = fields.range, transfer.resumedAt > 0,
            range.first == UntrustedInteger(transfer.resumedAt)
        else {
            let stated = fields["content-range"] ?? "none"
            return .refused(
                Refusal(
                    cause: .rangeRefused,
                    detail: "route=\(asset.route) asked from \(transfer.resumedAt), got \(stated.prefix(60))",
                    keepsPartial: false))
        }
        if let size = asset.size, let total = range.total, total != UntrustedInteger(size) {
            return .refused(lengthRefusal(total, size, asset))
        }
        if let refusal = overlongRefusal(fields, range, asset, limit) { return .refused(refusal) }
        // A hash protects the joined content; without one, only the same strong tag does.
        let isOther = fields.strongTag.map { $0 != transfer.tag } ?? (asset.hash == .none)
        if isOther, transfer.tag != nil || asset.hash == .none {
            return .refused(
                Refusal(
                    cause: .contentMismatch, detail: "route=\(asset.route) a range of another entity",
                    keepsPartial: false, needsManifest: true, bypassesCache: true))
        }
        return .resumes
    }

    /// 416: complete if the partial file already has the whole file's length (RFC 9110 §15.5.17); otherwise
    /// the partial file is discarded.
    private static func rangeNotSatisfiable(_ fields: HeaderFields, _ transfer: FileTransfer, _ asset: Asset)
        -> OriginResponse
    {
        let whole = asset.size.map { UntrustedInteger($0) } ?? fields.unsatisfiedRangeLength
        if transfer.resumedAt > 0, UntrustedInteger(transfer.resumedAt) == whole { return .complete }
        return .refused(
            Refusal(
                cause: .rangeRefused, detail: "route=\(asset.route) nothing from \(transfer.resumedAt)",
                keepsPartial: false))
    }

    /// The hash covers plain bytes, identity was requested, and nothing here can decode.
    private static func codingRefusal(_ fields: HeaderFields, _ asset: Asset) -> Refusal? {
        guard let coding = fields.coding else { return nil }
        return Refusal(
            cause: .codingRefused, detail: "route=\(asset.route) coding=\(coding.prefix(40))",
            bypassesCache: true)
    }

    private static func lengthRefusal(
        _ announced: UntrustedInteger, _ wanted: Int, _ asset: Asset
    ) -> Refusal {
        Refusal(
            cause: .lengthMismatch, detail: "route=\(asset.route) announced=\(announced) wanted=\(wanted)",
            keepsPartial: false, needsManifest: true, bypassesCache: true)
    }
}
